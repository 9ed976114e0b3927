public import Logging
import Synchronization

/// The newest lines of a program's log, of `notice` and above, for operators who look at them in the inspector.
///
///     let recent = RecentLog()
///     LoggingSystem.bootstrap { label in
///       MultiplexLogHandler([StreamLogHandler.standardError(label: label), recent.handler(label)])
///     }
///
/// The lines are the program's, whichever server writes them.
public final class RecentLog: Sendable {
  /// How many lines are kept.
  public static let limit = 500
  /// How many characters of a message, and of all metadata of a line, are kept.
  private static let textLimit = 1000

  private struct Ring {
    var lines: [LogLine] = []
    var lastID = 0
  }

  private let ring = Mutex(Ring())
  private let time: TimeSource

  /// A log without lines.
  public convenience init() { self.init(.system) }

  /// A log without lines, by some clock.
  package init(_ time: TimeSource) { self.time = time }

  /// The lines that are kept, the newest last.
  package var lines: [LogLine] { ring.withLock { $0.lines } }

  /// A handler that keeps lines, and writes none.
  ///
  /// - Parameter label: the logger's.
  /// - Returns: the handler, which takes lines of any level, and keeps those of `notice` and above.
  public func handler(_ label: String) -> any LogHandler { RecentLogHandler(log: self, label: label) }

  /// Keeps a line, if its level is `notice` or above.
  ///
  /// - Parameters:
  ///   - level: the level.
  ///   - label: the logger's.
  ///   - message: the message.
  ///   - metadata: the metadata.
  package func note(_ level: Logger.Level, _ label: String, _ message: String, _ metadata: Logger.Metadata) {
    guard level >= .notice else { return }
    let texts = metadata.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
    var line = LogLine(
      id: 0, time: time.wall() * 1000, level: level.rawValue, logger: label,
      message: String(message.prefix(Self.textLimit)),
      metadata: String(texts.joined(separator: " ").prefix(Self.textLimit)))
    ring.withLock { ring in
      ring.lastID += 1
      line.id = ring.lastID
      if ring.lines.count == Self.limit { ring.lines.removeFirst() }
      ring.lines.append(line)
    }
  }
}

/// Keeps the lines of one logger.
private struct RecentLogHandler: LogHandler {
  let log: RecentLog
  let label: String
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?
  var logLevel = Logger.Level.notice

  init(log: RecentLog, label: String) {
    self.log = log
    self.label = label
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var all = metadata
    if let metadataProvider { all.merge(metadataProvider.get()) { $1 } }
    if let error = event.error { all["error"] = "\(error)" }
    if let own = event.metadata { all.merge(own) { $1 } }
    log.note(event.level, label, "\(event.message)", all)
  }
}
