import GRDB
import Logging

extension FlightEntry {
  /// What it was, after "while it".
  var activity: String {
    if client > 0 { return "ran a client's action" }
    return number == 0 ? "brought a session back into memory" : "handled what an effect had sent"
  }

  /// Which it was.
  ///
  /// - Parameter app: the session's; nil if that is not known.
  /// - Returns: for a line of the log.
  func metadata(app: String?) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["session": "\(sessionID)"]
    if let app { metadata["app"] = "\(app)" }
    if client > 0 {
      metadata["client"] = "\(client)"
      metadata["n"] = "\(number)"
    }
    return metadata
  }
}

extension AppFlight {
  /// What it was, after "while it".
  var activity: String {
    switch work {
    case .start: "started an app for a new session"
    case .walk: "did a step of an app's walk"
    case .description: "described an app"
    }
  }
}

extension SessionStore {
  /// Says what was found at a start.
  ///
  /// - Parameters:
  ///   - start: what ran when earlier processes died, which the store has counted, and which processes run.
  ///   - report: what the runtime has written of it; nil if it was not asked to, or the process was killed from outside.
  ///   - logger: where it is said.
  func log(_ start: StoreStart, _ report: CrashReports.Report?, to logger: Logger) {
    for flight in start.appCrashes {
      // No session is to blame that could be refused, and all of an app's are not for what one client may have said.
      var metadata: Logger.Metadata = ["app": "\(flight.app)"]
      if let report { metadata["report"] = "\(report.path)" }
      logger.critical("An earlier process died while it \(flight.activity).", metadata: metadata)
    }
    for entry in start.crashes {
      let known = known(of: entry)
      var metadata = entry.metadata(app: known?.app)
      metadata["times"] = "\(known?.count ?? 1)"
      if let report { metadata["report"] = "\(report.path)" }
      let isLast = known?.count ?? 1 >= StoredSession.Crash.limit
      logger.critical(
        "An earlier process died while it \(entry.activity). \(isLast ? "It is not run again." : "It may be run once more.")",
        metadata: metadata)
    }
    guard !start.others.isEmpty else { return }
    logger.notice(
      "Other processes run on this state directory.", metadata: ["processes": "\(start.others.count)"])
  }
}

extension SQLiteStore {
  package func known(of entry: FlightEntry) -> (app: String, count: Int)? {
    let row = try? database.read { database in
      try Row.fetchOne(
        database,
        sql: """
          SELECT app, count FROM session JOIN crash ON crash.session = session.id AND client = ? AND n = ? WHERE sid = ?
          """, arguments: [entry.client, entry.number, entry.sessionID])
    }
    return row.map { ($0["app"], $0["count"]) }
  }
}
