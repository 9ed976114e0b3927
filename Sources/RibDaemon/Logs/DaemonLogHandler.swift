import Logging

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

  /// A handler.
  ///
  /// - Parameters:
  ///   - label: the logger's name.
  ///   - sink: where to, and how, for all loggers of the daemon.
  init(_ label: String, to sink: LogSink) {
    self.label = label
    self.sink = sink
  }

  var logLevel: Logger.Level {
    get { ownLevel ?? sink.level }
    set { ownLevel = newValue }
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
    sink.write(
      LogFormat.Entry(
        time: Int64(Date.now.timeIntervalSince1970 * 1e6) * 1000, level: event.level, label: label,
        message: "\(event.message)", source: event.source, metadata: all))
  }
}
