package import Logging
import Synchronization

/// What a test's loggers have said.
package final class CollectedLog: Sendable {
  /// One line of the log.
  package struct Line: Sendable {
    package let level: Logger.Level
    package let message: String
    package let metadata: Logger.Metadata

    /// A value of the metadata, as a text; nil if there is none of this name.
    package subscript(_ key: String) -> String? { metadata[key]?.description }

    /// The message, and the metadata in the order of their names.
    package var text: String {
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

  /// A log in which nothing is said yet.
  package init() {}

  /// All lines, in order.
  package var all: [Line] { lines.withLock { $0 } }
  /// Those that are no matter of debugging, as texts.
  package var texts: [String] { all.filter { $0.level >= .info }.map(\.text) }
  /// A logger that writes here.
  package var logger: Logger { Logger(label: "test") { [self] _ in Handler(log: self) } }
}
