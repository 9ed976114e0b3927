/// A line of the log.
package struct LogLine: Codable, Equatable, Identifiable, Sendable {
  /// Counts the lines since the process' start.
  package var id: Int
  /// When it was written, in milliseconds since 1970.
  package var time: Int
  /// The level: `notice`, `warning`, `error` or `critical`.
  package var level: String
  /// The logger's label.
  package var logger: String
  /// The message.
  package var message: String
  /// The metadata, as `key=value` with spaces between, in alphabetical order.
  package var metadata: String

  /// A line.
  package init(id: Int, time: Int, level: String, logger: String, message: String, metadata: String) {
    self.id = id
    self.time = time
    self.level = level
    self.logger = logger
    self.message = message
    self.metadata = metadata
  }
}
