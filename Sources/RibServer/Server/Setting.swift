import Configuration

/// A setting of the server, as it is written down once.
///
/// From ``all`` follow what is read from a configuration, the daemon's flags and their help, what is said of a name that no
/// setting has, and the table in the documentation.
package struct Setting: Sendable {
  /// Where a setting is in ``ServerSettings``.
  package typealias Path<Value> = any WritableKeyPath<ServerSettings, Value> & Sendable

  /// What a setting can be.
  package enum Kind: Sendable {
    /// A whole number in a range.
    case number(Path<Int>, ClosedRange<Int>)
    /// True or false.
    case bool(Path<Bool>)
    /// True if it is named; its flag takes no value.
    case flag(Path<Bool>)
    /// Text; the second value says what of, in one word.
    case text(Path<String>, String)
    /// One of several words.
    case word(WordPath)
    /// Text that the program reads, and not the server; the second value is its default, empty for none.
    case program(String, preset: String)
  }

  /// Where a setting is that is one of an enumeration's words.
  package struct WordPath: Sendable {
    /// The words.
    package let words: [String]
    fileprivate let get: @Sendable (ServerSettings) -> String
    fileprivate let set: @Sendable (inout ServerSettings, String) -> Bool

    init<Choice: RawRepresentable & CaseIterable & SendableMetatype>(_ path: Path<Choice>)
    where Choice.RawValue == String {
      words = Choice.allCases.map(\.rawValue)
      get = { $0[keyPath: path].rawValue }
      set = { settings, word in
        guard let choice = Choice(rawValue: word) else { return false }
        settings[keyPath: path] = choice
        return true
      }
    }
  }

  /// Its name in the file.
  package let key: String
  /// What it can be.
  package let kind: Kind
  /// What it is, in one sentence; what 0 means is said where 0 is allowed.
  package let summary: String
  /// What is said of the default in place of its value.
  private let presetNote: String?

  /// A setting.
  ///
  /// - Parameters:
  ///   - key: its name in the file.
  ///   - kind: what it can be.
  ///   - summary: what it is, in one sentence.
  ///   - preset: what is said of the default in place of its value.
  package init(_ key: String, _ kind: Kind, _ summary: String, preset: String? = nil) {
    self.key = key
    self.kind = kind
    self.summary = summary
    presetNote = preset
  }

  /// The default, for a person.
  package var preset: String {
    if let presetNote { return presetNote }
    let settings = ServerSettings()
    switch kind {
    case .number(let path, _): return "\(settings[keyPath: path])"
    case .bool(let path), .flag(let path): return "\(settings[keyPath: path])"
    case .text(let path, _): return settings[keyPath: path].isEmpty ? "none" : settings[keyPath: path]
    case .word(let path): return path.get(settings)
    case .program(_, let preset): return preset.isEmpty ? "none" : preset
    }
  }

  /// What it can be, for a person.
  package var values: String {
    switch kind {
    case .number(_, let range): "from \(range.lowerBound) to \(range.upperBound)"
    case .bool, .flag: "true or false"
    case .text, .program: "text"
    case .word(let path): "one of \(path.words.joined(separator: ", "))"
    }
  }

  // MARK: Names

  /// The parts of its name, in small letters.
  private var words: [String] {
    var words = [""]
    for letter in key {
      if letter == "." || letter.isUppercase { words.append("") }
      if letter != "." { words[words.count - 1] += letter.lowercased() }
    }
    return words
  }

  /// Its flag, without the two hyphens: `limits-actions-per-second`.
  package var flag: String { words.joined(separator: "-") }
  /// Its environment variable: `RIBD_LIMITS_ACTIONS_PER_SECOND`.
  package var variable: String { Self.variablePrefix + words.joined(separator: "_").uppercased() }
  /// What every environment variable of the daemon begins with.
  package static let variablePrefix = "RIBD_"

  // MARK: Reading

  /// Takes its value over into settings, if there is one.
  ///
  /// - Parameters:
  ///   - config: where from.
  ///   - settings: where to.
  /// - Throws: ``SettingsError`` for a value that it cannot have.
  func read(_ config: ConfigReader, into settings: inout ServerSettings) async throws {
    let name = ConfigKey(key)
    switch kind {
    case .number(let path, let range):
      guard let value = try await fetch(config, { try await config.fetchInt(forKey: name) }) else { return }
      guard range.contains(value) else { throw SettingsError(key: key, value: "\(value)", range: range) }
      settings[keyPath: path] = value
    case .bool(let path), .flag(let path):
      guard let value = try await fetch(config, { try await config.fetchBool(forKey: name) }) else { return }
      settings[keyPath: path] = value
    case .text(let path, _):
      guard let value = try await fetch(config, { try await config.fetchString(forKey: name) }) else { return }
      settings[keyPath: path] = value
    case .word(let path):
      guard let word = try await fetch(config, { try await config.fetchString(forKey: name) }) else { return }
      guard path.set(&settings, word) else { throw SettingsError(key: key, value: "\"\(word)\"", wanted: values) }
    case .program: break
    }
  }

  /// A value, or what is wrong with its type: the configuration does not say what it should be.
  private func fetch<Value>(_ config: ConfigReader, _ body: () async throws -> Value?) async throws -> Value? {
    do {
      return try await body()
    } catch {
      let text = try? await config.fetchString(forKey: ConfigKey(key))
      throw SettingsError(key: key, value: text.map { "\"\($0)\"" } ?? "of another type", wanted: values)
    }
  }

  /// What is wrong with its value; nil if nothing is.
  func fault(in settings: ServerSettings) -> SettingsError? {
    guard case .number(let path, let range) = kind, !range.contains(settings[keyPath: path]) else { return nil }
    return SettingsError(key: key, value: "\(settings[keyPath: path])", range: range)
  }
}
