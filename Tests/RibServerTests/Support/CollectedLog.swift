import Logging
import Synchronization

/// What a test's loggers have said.
final class CollectedLog: Sendable {
  /// One line of the log.
  struct Line: Sendable {
    let level: Logger.Level
    let message: String
    let metadata: Logger.Metadata

    /// A value of the metadata, as a text; nil if there is none of this name.
    subscript(_ key: String) -> String? { metadata[key]?.description }

    /// The message, and the metadata in the order of their names.
    var text: String {
      ([message] + metadata.map { "\($0)=\($1)" }.sorted()).joined(separator: " ")
    }
  }

  private struct Handler: LogHandler {
    let log: CollectedLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let line = Line(level: event.level, message: "\(event.message)", metadata: event.metadata ?? [:])
      log.lines.withLock { $0.append(line) }
    }
  }

  private let lines = Mutex<[Line]>([])

  /// All lines, in order.
  var all: [Line] { lines.withLock { $0 } }
  /// Those that are no matter of debugging, as texts.
  var texts: [String] { all.filter { $0.level >= .info }.map(\.text) }
  /// A logger that writes here.
  var logger: Logger { Logger(label: "test") { [self] _ in Handler(log: self) } }
}
