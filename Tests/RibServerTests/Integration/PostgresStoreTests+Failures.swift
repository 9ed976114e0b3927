import Foundation
import RibTestSupport
import Testing
import Wire

@testable import RibCore
@testable import RibPostgres
@testable import RibServer

/// Persons who are signed out, and databases that fail.
extension PostgresStoreTests {
  // MARK: Persons

  @Test func signOut_fencesWhatOtherNodesHold() throws {
    try withNodes { one, two, _ in
      let person = ClientProfile.Person(Identity("ada", issuer: "i\0"), since: 100)
      var state = StoreSample.state(isHeld: true)
      state.clients[0].profile = ClientProfile(ClientInfo(), person)
      let (lease, own) = (try one.create("one", StoreSample.cut(state)), try two.create("two", StoreSample.cut(state)))
      guard
        case .signedOut(let stored) = try two.perform(
          .signOut(Revocation(Self.ada, at: 200, mark: 50), keeping: .seconds(600)))
      else {
        Issue.record("not signed out")
        return
      }
      // Not below the mark of a binding.
      #expect(stored.mark == 100)
      var progress = StoreSample.cut(state, version: 2)
      progress.isProgress = true
      #expect(try one.write(lease, progress) == "lost")
      #expect(try two.write(own, progress) == "written")
      // Nor is anything else begun or written for her.
      guard case .lost = try one.perform(.create(StoreSample.identity("three"), StoreSample.cut(state))) else {
        Issue.record("it was created")
        return
      }
      #expect(try #require(try one.load()).state.clients[0].person?.isRevoked == true)
      guard case .revocations(let found, let last) = try one.perform(.findRevocations(after: 0)) else {
        Issue.record("none was found")
        return
      }
      #expect(found == [stored])
      _ = try two.perform(.signOut(Revocation(Self.ada, at: 300, mark: 90), keeping: .seconds(600)))
      guard case .revocations(let again, _) = try one.perform(.findRevocations(after: last)) else { return }
      #expect(again.map(\.mark) == [101])
    }
  }

  @Test func quota_isCountedByPlaceAndPerson() throws {
    try withNodes { store, _, _ in
      var cut = Self.held
      cut.quota = SessionCut.Quota(perPlace: 2, perPerson: 0)
      let results = try (0..<3).map { number in
        try store.perform(
          .create(SessionIdentity(id: "\(number)", app: "app", parameters: nil, place: "here"), cut))
      }
      guard case .written = results[0], case .written = results[1], case .overQuota = results[2] else {
        Issue.record("\(results)")
        return
      }
    }
  }

  // MARK: Failures

  /// The connection is lost while nothing is under way: the next request fails or goes over another one, and nothing is half done.
  @Test func connectionThatIsLost_isMadeAnew() throws {
    let url = try PostgresServer.makeDatabase()
    let store = try PostgresStore(url: url)
    defer { store.close() }
    try store.begin(StoreStart())
    let lease = try store.create()
    for version in 2...4 {
      try end(store, url)
      let cut = StoreSample.cut(StoreSample.state(revision: version), version: Int64(version))
      var failures = 0
      while true {
        do throws(StoreError) {
          _ = try store.perform([.write(lease, cut)])
          break
        } catch {
          #expect(error.isGlobal, "\(error)")
          failures += 1
          try #require(failures < 3)
        }
      }
    }
    #expect(try store.load()?.state.revision == 4)
  }

  /// Has the server end a store's connection.
  private func end(_ store: PostgresStore, _ url: String) throws {
    let connection = try PostgresConnection(url)
    let query = PostgresQuery(
      """
      SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid = $1::int8
      """, isPrepared: false)
    _ = try connection.run([PostgresStatement(query, .integer(store.backend))])
  }

  /// The server has the statements and does nothing: the node gives them up, and writes the next cut on another connection.
  ///
  /// Then the first one is run after all.
  @Test func statementsThatAreRunLate_changeNothing() async throws {
    let url = try PostgresServer.makeDatabase()
    let store = try PostgresStore(url: url)
    defer { store.close() }
    try store.begin(StoreStart())
    let (lease, other) = (try store.create(), try store.create("two"))
    let cut = { (version: Int64) in
      StoreSample.cut(
        StoreSample.state(revision: Int(version)), changed: [StoreSample.node(1, "\(version)")],
        nacks: [StoreSample.refusal(Int(version))], version: version)
    }
    let stopped = pid_t(store.backend)
    try #require(kill(stopped, SIGSTOP) == 0)
    defer { kill(stopped, SIGCONT) }
    do throws(StoreError) {
      _ = try store.perform([.write(lease, cut(2)), .write(other, cut(2))])
      Issue.record("nobody was there to write it")
    } catch {
      #expect(error.isGlobal && error.description.contains("not answered within 5000 ms"), "\(error)")
    }
    #expect(try store.write(lease, cut(3)) == "written")
    try #require(kill(stopped, SIGCONT) == 0)
    #expect(await eventually { kill(stopped, 0) != 0 })
    let loaded = try #require(try store.load())
    #expect(loaded.state.revision == 3 && loaded.tree.nodes[1]?.state == "3")
    #expect(loaded.nacks.map(\.nack.number) == [3])
    // They were run: what nobody has written since, they have.
    #expect(try store.load("two")?.state.revision == 2)
  }

  /// The same with a creation: nothing would fence it, as the session has ended again when it is run.
  @Test func creationThatIsRunLate_isNotCommitted() async throws {
    let url = try PostgresServer.makeDatabase()
    let store = try PostgresStore(url: url)
    defer { store.close() }
    try store.begin(StoreStart())
    _ = try store.create("before")
    let stopped = pid_t(store.backend)
    try #require(kill(stopped, SIGSTOP) == 0)
    defer { kill(stopped, SIGCONT) }
    let error = #expect(throws: StoreError.self) { try store.create("one") }
    #expect(error?.description.contains("not answered within 5000 ms") == true, "\(String(describing: error))")
    let lease = try store.create("one")
    guard case .removed(1) = try store.perform(.remove(sessionID: "one", lease)) else {
      Issue.record("it was not there")
      return
    }
    try #require(kill(stopped, SIGCONT) == 0)
    #expect(await eventually { kill(stopped, 0) != 0 })
    #expect(try store.load("one") == nil)
    #expect(try store.create("behind").row == lease.row + 2, "it was run: it has taken a number")
  }

  /// Also one that has become so while the node was there: at each try.
  @Test func databaseThatHasBecomeUnsafe_isRefused() throws {
    let url = try PostgresServer.makeDatabase()
    // What the connection string says is not asked again.
    let role = "role\(UInt32.random(in: 0...(.max)))"
    let admin = try PostgresConnection(url)
    let run = { (sql: String) throws in
      _ = try admin.run([PostgresStatement(PostgresQuery(sql, isPrepared: false))])
    }
    try run("CREATE ROLE \(role) LOGIN SUPERUSER")
    let store = try PostgresStore(url: url.replacing("user=ribserver", with: "user=\(role)"))
    defer { store.close() }
    try store.begin(StoreStart())
    try run("ALTER ROLE \(role) SET synchronous_commit = off")
    try end(store, url)
    for _ in 0..<3 {
      let error = #expect(throws: StoreError.self) { try store.perform(.probe) }
      #expect(error?.isGlobal == true)
    }
    try run("ALTER ROLE \(role) RESET synchronous_commit")
    _ = try store.perform(.probe)
  }

  @Test func databaseThatMayLoseCommits_isRefused() throws {
    let url = try PostgresServer.makeDatabase()
    let unsafe = url.replacing("options='", with: "options='-c synchronous_commit=off ")
    let error = #expect(throws: StoreError.self) { try PostgresStore(url: unsafe) }
    #expect(error?.description.contains("synchronous_commit is off") == true)
  }

  @Test func databaseThatIsNotThere_isSaidSo() throws {
    let error = #expect(throws: StoreError.self) { try PostgresStore(url: "host=/nowhere dbname=x") }
    #expect(error?.isGlobal == true && error?.description.contains("no connection to PostgreSQL") == true)
  }

  @Test func newerTables_areLeftAlone() throws {
    let url = try PostgresServer.makeDatabase()
    try PostgresStore(url: url).close()
    let connection = try PostgresConnection(url)
    _ = try connection.run([PostgresStatement(PostgresQuery("INSERT INTO rib_schema VALUES (99)", isPrepared: false))])
    let error = #expect(throws: StoreError.self) { try PostgresStore(url: url) }
    #expect(error?.description.contains("newer version") == true)
  }

  /// A node that starts waits for the one that makes the tables, longer than for any other lock; and not for one in another schema.
  @Test func tablesThatAreBeingMade_areWaitedFor() async throws {
    let (url, elsewhere) = (try PostgresServer.makeDatabase(), try PostgresServer.makeDatabase())
    let (other, watcher) = (try PostgresConnection(url), try PostgresConnection(elsewhere))
    let run = { (connection: PostgresConnection, sql: String) throws(PostgresError) in
      try connection.run([PostgresStatement(PostgresQuery(sql, isPrepared: false))])[0]
    }
    _ = try run(other, "BEGIN")
    _ = try run(other, "SELECT pg_advisory_xact_lock(\(PostgresStore.lock(of: "schema")))")
    try PostgresStore(url: elsewhere).close()
    async let start: Void = blocking { try PostgresStore(url: url).close() }
    let name = try #require(url.split(separator: "=").last)
    let waits = """
      SELECT 1::int8 FROM pg_stat_activity
        WHERE application_name = '\(name)' AND wait_event = 'advisory' AND clock_timestamp() - query_start > interval '2.5 s'
      """
    #expect(await eventually { (try? run(watcher, waits).first) != nil })
    _ = try run(other, "COMMIT")
    try await start
  }

  /// A table that is to be changed is in use: the nodes that are there go on to be heard until the one that starts may change it.
  @Test func tableThatIsInUse_isWaitedForInPortions() async throws {
    let url = try PostgresServer.makeDatabase()
    let node = try Self.tablesOfTheFirstVersion(url)
    let (other, watcher, peer) = (try PostgresConnection(url), try PostgresConnection(url), try PostgresConnection(url))
    let run = { (connection: PostgresConnection, sql: String) throws(PostgresError) in
      try connection.run([PostgresStatement(PostgresQuery(sql, isPrepared: false))])[0]
    }
    _ = try run(other, "BEGIN")
    _ = try run(other, "SELECT * FROM rib_node")
    // Somewhat longer than the step waits; and much longer where the machine may do something else.
    _ = try run(peer, "SET statement_timeout = '\(TestRun.judgesTime ? 1500 : 10_000)ms'")
    let migrating = try PostgresConnection(url)
    let tries = #expect(throws: PostgresError.self) { try PostgresStore.migrate(migrating, attempts: 1) }
    #expect(tries?.message.contains("keeps a lock on one of them") == true && tries?.isBroken == true)
    async let start: Void = blocking { try PostgresStore(url: url).close() }
    let name = try #require(url.split(separator: "=").last)
    let waits = """
      SELECT 1::int8 FROM pg_stat_activity WHERE application_name = '\(name)' AND wait_event = 'relation' AND query LIKE '%ALTER%'
      """
    for _ in 0..<2 {
      #expect(await eventually { (try? run(watcher, waits).first) != nil })
      // A beat waits behind the step that waits, and not for long.
      #expect(throws: Never.self) { try run(peer, "UPDATE rib_node SET beat = beat + 1 WHERE id = \(node)") }
    }
    _ = try run(other, "COMMIT")
    try await start
    #expect(try run(other, "SELECT max(version)::int8 FROM rib_schema").first?.integer(0) == 2)
  }

  /// Makes the tables as the version before this one has them.
  ///
  /// - Returns: the number of a node.
  private static func tablesOfTheFirstVersion(_ url: String) throws -> Int {
    let store = try PostgresStore(url: url)
    let node = try store.begin(StoreStart())
    let connection = try PostgresConnection(url)
    for sql in [
      "DROP TABLE rib_value, rib_value_write", "ALTER TABLE rib_node DROP COLUMN mark",
      "DELETE FROM rib_schema WHERE version > 1",
    ] {
      _ = try connection.run([PostgresStatement(PostgresQuery(sql, isPrepared: false))])
    }
    return node
  }
}
