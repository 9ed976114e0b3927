import Logging
import RibTestSupport
import Testing
import Wire

@testable import RibCore
@testable import RibPostgres
@testable import RibServer

/// The order in which batches lock what several of them need, and how a node's successor is known.
extension PostgresStoreTests {
  private static func run(_ sql: String, _ connection: PostgresConnection) throws(PostgresError) -> PostgresResult {
    try connection.run([PostgresStatement(PostgresQuery(sql, isPrepared: false))])[0]
  }

  /// Whether a store waits for a lock.
  private static func waits(_ backend: Int, _ watcher: PostgresConnection) -> Bool {
    let sql = "SELECT 1::int8 FROM pg_stat_activity WHERE pid = \(backend) AND wait_event_type = 'Lock'"
    return (try? run(sql, watcher).first) != nil
  }

  /// A batch that has more to lock later, as it reads sessions or writes persons, locks the rows that it writes before, and the first one first.
  @Test(arguments: [false, true])
  func batch_locksItsRowsInOrder(hasPersons: Bool) async throws {
    let url = try PostgresServer.makeDatabase()
    let store = try PostgresStore(url: url)
    defer { store.close() }
    try store.begin(StoreStart())
    let cut = { (version: Int64) in StoreSample.cut(Self.state(of: hasPersons ? Self.ada : nil), version: version) }
    let leases = try ["one", "two"].map { try store.create($0, cut(1)) }
    let (other, watcher) = (try PostgresConnection(url), try PostgresConnection(url))
    _ = try Self.run("BEGIN", other)
    _ = try Self.run("SELECT id FROM rib_session WHERE sid = 'one' FOR UPDATE", other)
    let last: StoreRequest =
      hasPersons ? .write(leases[0], cut(2)) : .load(sessionID: "one", from: .nobody)
    let (backend, requests) = (store.backend, [StoreRequest.write(leases[1], cut(2)), last])
    async let count = blocking { try store.perform(requests).count }
    #expect(await eventually { Self.waits(backend, watcher) })
    let unlocked = try Self.run("SELECT sid FROM rib_session ORDER BY id FOR UPDATE SKIP LOCKED", watcher)
    #expect(unlocked.rows.map { $0.text(0) } == ["two"])
    _ = try Self.run("COMMIT", other)
    #expect(try await count == 2)
  }

  /// A node asks again for what it has given up, and its commit is under way nevertheless: that is waited for.
  @Test(arguments: [false, true])
  func whatIsAskedForAgain_waitsForItsFirstCommit(isCreation: Bool) async throws {
    let url = try PostgresServer.makeDatabase()
    let store = try PostgresStore(url: url)
    defer { store.close() }
    try store.begin(StoreStart())
    if !isCreation { _ = try store.create() }
    let (connection, watcher) = (try PostgresConnection(url), try PostgresConnection(url))
    let first = PostgresTransaction(connection)
    let again =
      isCreation
      ? StoreRequest.create(StoreSample.identity(), StoreSample.cut()) : .load(sessionID: "one", from: .nobody)
    // Its first message, and what is sent with the commit.
    let locked = try store.lock([again], first)
    var batch = PostgresBatch(node: store.node, now: 1)
    if batch.take(again) { _ = try batch.write(first) }
    let backend = store.backend
    async let lease = blocking { () -> SessionLease? in
      switch try store.perform(again) {
      case .written(let lease): lease
      case .loaded(let session): session.lease
      default: nil
      }
    }
    #expect(await eventually { Self.waits(backend, watcher) })
    var reads = PostgresReads()
    if reads.accept(again) { _ = try store.read(reads, locked, first, isLast: true) }
    try first.commit()
    #expect(try await lease == SessionLease(row: 1, number: isCreation ? 1 : 3))
  }

  /// A sign-out waits for the rows of a batch before it keeps the batch from the person; otherwise each would wait for the other.
  @Test func signOut_locksRowsBeforePersons() async throws {
    let url = try PostgresServer.makeDatabase()
    let (one, two) = (try PostgresStore(url: url), try PostgresStore(url: url))
    defer { for node in [one, two] { node.close() } }
    for node in [one, two] { try node.begin(StoreStart()) }
    let lease = try one.create("one", StoreSample.cut(Self.state(of: Self.ada)))
    let (other, watcher) = (try PostgresConnection(url), try PostgresConnection(url))
    _ = try Self.run("BEGIN", other)
    _ = try Self.run("SELECT id FROM rib_session WHERE sid = 'one' FOR UPDATE", other)
    let signOut = StoreRequest.signOut(Revocation(Self.ada, at: 200, mark: 50), keeping: .seconds(600))
    let backend = two.backend
    async let count = blocking { try two.perform([signOut]).count }
    #expect(await eventually { Self.waits(backend, watcher) })
    // That of all sign-outs.
    let locks = "SELECT count(*) FROM pg_locks WHERE pid = \(backend) AND locktype = 'advisory'"
    #expect(try Self.run(locks, watcher).first?.integer(0) == 1)
    _ = try Self.run("COMMIT", other)
    #expect(try await count == 1)
    #expect(try one.write(lease, StoreSample.cut(version: 2)) == "lost")
  }

  private static func state(of person: PersonID?) -> SessionState {
    var state = StoreSample.state(isHeld: true)
    if let person {
      state.clients[0].profile = ClientProfile(
        ClientInfo(), ClientProfile.Person(Identity(person.subject, issuer: person.issuer), since: 100))
    }
    return state
  }

  // MARK: Successors

  /// A process finds the mark of one that has died in its state directory, and tells the database, where that one has written it.
  @Test func processThatHasDied_isToldOfByTheNextOne() throws {
    let url = try PostgresServer.makeDatabase()
    let directory = try TemporaryDirectory()
    var settings = ServerSettings()
    (settings.store, settings.storeURL, settings.stateDirectory) = (.postgres, url, directory.path)
    let open = { [settings] () throws -> OpenedStore in
      try settings.openStore([.postgres], loopCount: 1, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
    var last: OpenedStore? = try open()
    let id = last?.id ?? 0
    // As its death would: the lock of its file ends.
    last?.flight = nil
    let next: OpenedStore = try open()
    let nodes = PostgresDirectory(url: url)
    let seen = try nodes.beat(ClusterNode(id: next.id, program: "p"))
    #expect(seen.map(\.id) == [id, next.id] && seen.map(\.isSucceeded) == [true, false])
    nodes.close()
    for opened in [last, next] { opened?.store.close() }
    last = nil
  }
}
