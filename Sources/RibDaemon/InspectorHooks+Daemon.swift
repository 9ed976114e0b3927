import Logging
import RibInspector
import RibServer
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension InspectorHooks {
  /// The hooks that the daemon adds to the inspector of its server.
  ///
  /// - Parameters:
  ///   - server: the daemon's.
  ///   - settings: the server's.
  init(of server: Server, _ settings: ServerSettings) {
    self.init()
    crashReports = { CrashReports.ofProcess?.summaries ?? [] }
    if settings.store == .sqlite {
      let last = Mutex<StoreReport.Backup?>(nil)
      let directory = settings.stateDirectory + "/backups"
      backUp = {
        let now = Date.now
        try FileManager.default.createDirectory(
          atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let file = "\(directory)/\(now.ISO8601Format().replacing(":", with: "-")).sqlite"
        let backup = try await server.backup(to: file)
        last.withLock { $0 = .init(time: Int(now.timeIntervalSince1970), file: file, bytes: backup.bytes) }
        return "\(backup.sessionCount) sessions were copied to \(file)."
      }
      lastBackup = { last.withLock { $0 } }
    }
  }

  /// Shows operators the log, and lets them have more of it written for a while.
  ///
  /// - Parameter sink: where the daemon's loggers write.
  mutating func show(logOf sink: LogSink) {
    log = sink.recent
    writtenLevel = { WrittenLevel(sink.level.rawValue, secondsLeft: sink.lentSeconds) }
    writeLog = { name in
      guard let level = Logger.Level(rawValue: name) else { throw InspectionError("\(name) is no level of a log.") }
      guard level < sink.level else { throw InspectionError("The log is written from \(sink.level) on already.") }
      sink.lend(level, for: 600)
      return "The log is written from \(level) on, for ten minutes."
    }
  }
}
