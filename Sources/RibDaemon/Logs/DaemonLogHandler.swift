import Logging
import RibServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The daemon's log: a line an entry on the standard error, written at once.
struct DaemonLogHandler: LogHandler {
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?
  /// The level of this logger alone; nil for that of the sink.
  private var ownLevel: Logger.Level?
  private let label: String
  private let sink: LogSink
  /// Writes persons so that nobody can tell who they are; nil if the log may name them.
  private let mark: SubjectMark?

  /// A handler.
  ///
  /// - Parameters:
  ///   - label: the logger's name.
  ///   - sink: where to, and how, for all loggers of the daemon.
  ///   - mark: writes the `subject` of lines in place of the person's name; nil if the log may have that.
  init(_ label: String, to sink: LogSink, marking mark: SubjectMark? = nil) {
    self.label = label
    self.sink = sink
    self.mark = mark
  }

  var logLevel: Logger.Level {
    get { sink.recent == nil ? writtenLevel : min(writtenLevel, .notice) }
    set { ownLevel = newValue }
  }

  /// The least important level that is written; what is kept for operators is not for this to say.
  private var writtenLevel: Logger.Level { ownLevel ?? sink.level }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var all = metadata
    if let metadataProvider { all.merge(metadataProvider.get()) { $1 } }
    if let error = event.error { all["error"] = "\(error)" }
    if let own = event.metadata { all.merge(own) { $1 } }
    if let mark, let subject = all["subject"] { all["subject"] = "\(mark(subject.description))" }
    sink.recent?.note(event.level, label, "\(event.message)", all)
    // The audit is written whatever the level is.
    guard event.level >= writtenLevel || all["audit"] != nil else { return }
    sink.write(
      LogFormat.Entry(
        time: Int64(Date.now.timeIntervalSince1970 * 1e6) * 1000, level: event.level, label: label,
        message: "\(event.message)", source: event.source, metadata: all))
  }
}
