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

extension SQLiteStore {
  /// Says what was found at a start.
  ///
  /// - Parameters:
  ///   - entries: what ran when earlier processes died; the file has counted it.
  ///   - others: the numbers of the processes that run.
  ///   - logger: who is told.
  func log(_ entries: [FlightEntry], besides others: [Int], to logger: Logger) {
    for entry in entries {
      let known = known(of: entry)
      var metadata = entry.metadata(app: known?.app)
      metadata["times"] = "\(known?.count ?? 1)"
      let isLast = known?.count ?? 1 >= StoredSession.Crash.limit
      logger.error(
        "An earlier process died while it \(entry.activity). \(isLast ? "It is not run again." : "It may be run once more.")",
        metadata: metadata)
    }
    guard !others.isEmpty else { return }
    logger.notice(
      "Other processes run on this state directory.", metadata: ["processes": "\(others.count)"])
  }

  /// What the file has about an entry's session; nil for one that was never committed.
  private func known(of entry: FlightEntry) -> (app: String, count: Int)? {
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
