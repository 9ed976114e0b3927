/// A setting that is in force.
package struct SettingReport: Codable, Equatable, Identifiable, Sendable {
  /// The setting's name in a file.
  package var id: String
  /// Its value; `set` for a secret, empty for none.
  package var value: String
  /// Where the value comes from: `flag`, `RIBD_…`, `file` or `default`; nil if that is not known.
  package var source: String?
  /// The setting's meaning, in one sentence.
  package var summary: String
  /// Whether a change needs a restart; nil if that is not known.
  package var needsRestart: Bool?

  /// A setting.
  ///
  /// - Parameters:
  ///   - id: its name in a file.
  ///   - value: its value.
  ///   - source: where it comes from; nil if that is not known.
  ///   - summary: what it is.
  ///   - needsRestart: whether a change needs a restart; nil if that is not known.
  package init(id: String, value: String, source: String?, summary: String, needsRestart: Bool? = nil) {
    self.id = id
    self.value = value
    self.source = source
    self.summary = summary
    self.needsRestart = needsRestart
  }
}
