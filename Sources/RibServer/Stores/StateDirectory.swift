import GRDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What a server keeps in its state directory, for an operator's tools; also while servers run on it.
package struct StateDirectory: Sendable {
  /// Something that is not run again, as a server's process has died of it.
  package struct Poison: Equatable, Sendable, CustomStringConvertible {
    /// The session.
    package let session: String
    /// The session's app.
    package let app: String
    /// The client whose action it was; 0 for none.
    package let client: Int
    /// The action; without a client 0 if the session was coming back into memory, otherwise the number of an effect.
    package let number: Int
    /// How often a process has died of it.
    package let count: Int

    /// One line for a person, the session first.
    package var description: String {
      let what =
        client > 0
        ? "action \(number) of client \(client)" : number == 0 ? "its return to memory" : "what an effect sent"
      return "\(session) \(app): \(what), \(count) times"
    }
  }

  private let database: DatabaseQueue
  private let path: String

  /// Opens the store of a directory.
  ///
  /// - Parameter directory: the state directory.
  /// - Throws: ``StoreError`` if there is no store, or if it is not one that this program knows.
  package init(_ directory: String) throws(StoreError) {
    path = "\(directory)/\(SQLiteStore.fileName)"
    guard access(path, F_OK) == 0 else {
      throw StoreError("There is no session store in \(directory): name a server's state directory with --state-dir.")
    }
    do {
      database = try DatabaseQueue(path: path, configuration: StoreCopy.configuration)
      let isKnown = try database.read { database in
        try SQLiteStore.migrator.hasCompletedMigrations(database)
          && !SQLiteStore.migrator.hasBeenSuperseded(database)
      }
      guard isKnown else { throw StoreError("\(path) is of another version of this program: use that one's.") }
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(opening: path, error)
    }
  }

  /// What is set aside, by session.
  ///
  /// - Throws: ``StoreError``.
  package func poison() throws(StoreError) -> [Poison] {
    do {
      return try database.read { database in
        try Row.fetchAll(
          database,
          sql: """
            SELECT sid, app, client, n, count FROM crash JOIN session ON session.id = crash.session WHERE count >= ?
            ORDER BY sid, client, n
            """, arguments: [StoredSession.Crash.limit]
        ).map { Poison(session: $0[0], app: $0[1], client: $0[2], number: $0[3], count: $0[4]) }
      }
    } catch {
      throw StoreError(error)
    }
  }

  /// Forgets that processes have died of what is set aside: it is run again when the session is brought into memory next.
  ///
  /// An action that a client was told is poisoned is done with, and not run again.
  ///
  /// - Parameter session: of which session; nil for all.
  /// - Throws: ``StoreError``.
  /// - Returns: how many were set aside.
  package func lift(session: String? = nil) throws(StoreError) -> Int {
    do {
      return try database.write { database in
        try database.execute(
          sql: """
            DELETE FROM crash WHERE count >= ? AND (? IS NULL OR session = (SELECT id FROM session WHERE sid = ?))
            """, arguments: [StoredSession.Crash.limit, session, session])
        return database.changesCount
      }
    } catch {
      throw StoreError(error)
    }
  }
}
