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
  var logLevel = Logger.Level.info
  private let label: String
  private let format: LogFormat
  private let sink: LogSink
  /// Writes persons so that nobody can tell who they are; nil if the log may name them.
  private let mark: SubjectMark?

  /// A handler.
  ///
  /// - Parameters:
  ///   - label: the logger's name.
  ///   - format: how lines are written.
  ///   - sink: where to, for all loggers of the daemon.
  ///   - mark: writes the `subject` of lines in place of the person's name; nil if the log may have that.
  init(_ label: String, _ format: LogFormat, to sink: LogSink, marking mark: SubjectMark? = nil) {
    self.label = label
    self.format = format
    self.sink = sink
    self.mark = mark
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
    if let mark, let subject = all["subject"] { all["subject"] = "\(mark(subject.description))" }
    sink.write(
      LogFormat.Entry(
        time: Int64(Date.now.timeIntervalSince1970 * 1e6) * 1000, level: event.level, label: label,
        message: "\(event.message)", source: event.source, metadata: all), as: format)
  }
}
