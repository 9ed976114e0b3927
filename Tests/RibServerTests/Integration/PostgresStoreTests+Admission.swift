import Logging
import RibTestSupport
import Synchronization
import Testing
import Wire

@testable import RibCore
@testable import RibPostgres
@testable import RibServer

/// Quotas and sign-outs, which a batch compares for all its sessions together.
extension PostgresStoreTests {
  private static func bound(
    _ names: [String], since: Int = 100, version: Int64 = 1, perPlace: Int = 0, perPerson: Int = 0
  ) -> SessionCut {
    var state = StoreSample.state(isHeld: true)
    state.clients = names.enumerated().map { index, name in
      var client = StoreSample.client(index + 1)
      client.profile = ClientProfile(ClientInfo(), ClientProfile.Person(Identity(name, issuer: "i\0"), since: since))
      return client
    }
    if names.isEmpty { state.clients = [StoreSample.client()] }
    var cut = StoreSample.cut(state, version: version)
    cut.quota = SessionCut.Quota(perPlace: perPlace, perPerson: perPerson)
    return cut
  }

  private static func creation(_ id: String, at place: String? = nil, _ cut: SessionCut) -> StoreRequest {
    .create(SessionIdentity(id: id, app: "app", parameters: nil, place: place), cut)
  }

  private static func words(_ results: [StoreResult]) -> [String] {
    results.map { String("\($0)".prefix { $0 != "(" }) }
  }

  private static func count(_ expression: String, of table: String, _ store: PostgresStore) throws -> Int {
    try store.transact { transaction throws(PostgresError) -> Int in
      let sql = "SELECT \(expression)::int8 FROM \(table)"
      return try transaction.run(PostgresStatement(PostgresQuery(sql, isPrepared: false))).first?.integer(0) ?? 0
    }
  }

  /// Rows that one statement has written have the same `cmin`.
  @Test func sessionsOfRemotePersons_areWrittenByTheSameStatements() throws {
    try withNodes { store, _, _ in
      let names = (0..<40).map { "person \($0)" }
      let created = try store.perform(
        names.enumerated().map { index, name in
          Self.creation(name, at: "place \(index % 3)", Self.bound([name, "ada"], perPlace: 100, perPerson: 100))
        })
      let leases = created.compactMap { if case .written(let lease) = $0 { lease } else { nil } }
      try #require(leases.count == names.count)
      for table in ["rib_session", "rib_riblet", "rib_person"] {
        #expect(try Self.count("count(DISTINCT cmin::text)", of: table, store) == 1, "\(table)")
      }
      #expect(try Self.count("count(*)", of: "rib_person", store) == 80)
      // As they come to rest.
      let results = try store.perform(
        zip(leases, names).map { StoreRequest.write($0, Self.bound([$1, "ada", "ben"], version: 2)) })
      #expect(Self.words(results) == names.map { _ in "written" })
      #expect(try Self.count("count(DISTINCT cmin::text)", of: "rib_session", store) == 1)
      #expect(try Self.count("count(*)", of: "rib_person", store) == 120)
    }
  }

  /// Also creations that are in one batch count each other, and those that are refused do not.
  @Test func creationsInOneBatch_countEachOther() throws {
    try withNodes { store, _, _ in
      let at = { (id: String, place: String) in Self.creation(id, at: place, Self.bound([], perPlace: 2)) }
      let by = { (id: String, persons: [String]) in Self.creation(id, at: "far", Self.bound(persons, perPerson: 2)) }
      _ = try store.perform([at("0", "here"), by("1", ["ada"])])
      let results = try store.perform([
        at("2", "here"), at("3", "here"), at("4", "there"), at("5", "there"), at("6", "there"),
        by("7", ["ada"]), by("8", ["ada"]), by("9", ["ben"]), by("10", ["ben"]), by("11", ["ben"]),
        // No quota of a place is asked for.
        Self.creation("12", at: "here", Self.bound(["eve"])),
      ])
      #expect(
        Self.words(results) == [
          "written", "overQuota", "written", "written", "overQuota", "written", "overQuota", "written", "written",
          "overQuota", "written",
        ])
      #expect(try Self.count("count(*)", of: "rib_session", store) == 9)
    }
  }

  /// It is not known what has become of some creations: those that are there are not counted twice.
  @Test func creationThatIsRepeated_isCountedOnce() throws {
    try withNodes { store, _, _ in
      let create = { (id: String, version: Int64) in
        Self.creation(id, at: "here", Self.bound(["ada"], version: version, perPlace: 3, perPerson: 3))
      }
      #expect(Self.words(try store.perform([create("a", 1), create("b", 1)])) == ["written", "written"])
      // "c" was not committed; a new one comes first.
      let again = try store.perform([create("new", 1), create("a", 2), create("b", 2), create("c", 2)])
      #expect(Self.words(again) == ["written", "written", "written", "overQuota"])
      #expect(try Self.count("count(*)", of: "rib_session", store) == 3)
    }
  }

  /// A session that has ended makes room for one that is begun in the same commit.
  @Test func sessionThatIsRemoved_makesRoomInTheSameCommit() throws {
    try withNodes { store, _, _ in
      let create = { (id: String) in Self.creation(id, at: "here", Self.bound(["ada"], perPlace: 1, perPerson: 1)) }
      guard case .written(let lease) = try store.perform(create("a")) else { throw StoreError("not created") }
      let results = try store.perform([create("b"), .remove(sessionID: "a", lease), create("c"), create("d")])
      #expect(Self.words(results) == ["overQuota", "removed", "written", "overQuota"])
    }
  }

  /// Of a batch those are not written whose person another node has signed out, and not counted either.
  @Test func sessionsOfThePersonSignedOut_areNotWrittenWithTheOthers() throws {
    try withNodes { _, two, _ in
      var leases: [SessionLease] = []
      for (id, name) in [("a", "ada"), ("b", "ben")] {
        guard case .written(let lease) = try two.perform(Self.creation(id, Self.bound([name]))) else {
          throw StoreError("not created")
        }
        leases.append(lease)
      }
      // The node's own sessions are not fenced: their writes are compared.
      _ = try two.perform(.signOut(Revocation(Self.ada, at: 200, mark: 150), keeping: .seconds(600)))
      var progress = Self.bound(["ada"], version: 2)
      progress.isProgress = true
      let results = try two.perform([
        .write(leases[0], progress), .write(leases[1], Self.bound(["ben"], version: 2)),
        Self.creation("c", Self.bound(["ben", "ada"])),
        Self.creation("d", at: "here", Self.bound(["ada"], perPlace: 1)),
        Self.creation("e", at: "here", Self.bound(["ben"], perPlace: 1)),
        Self.creation("f", Self.bound(["ada"], since: 151)),
      ])
      #expect(Self.words(results) == ["written", "written", "lost", "lost", "written", "written"])
      #expect(Self.words(try two.perform([.write(leases[0], Self.bound(["ada"], version: 3))])) == ["lost"])
    }
  }

  /// A sign-out that is in the commit before a write of the person's session counts for that.
  @Test func signOutInTheSameCommit_countsForWhatFollows() throws {
    try withNodes { store, _, _ in
      let results = try store.perform([
        Self.creation("a", Self.bound(["ada"])),
        .signOut(Revocation(Self.ada, at: 200, mark: 150), keeping: .seconds(600)),
        Self.creation("b", Self.bound(["ada"])), Self.creation("c", Self.bound(["ben"])),
      ])
      #expect(Self.words(results) == ["written", "signedOut", "lost", "written"])
    }
  }

  /// A person with two clients has one row, with the higher mark.
  @Test func personWithTwoClients_isNotedOnce() throws {
    try withNodes { store, _, _ in
      var cut = Self.bound(["ada", "ada"])
      cut.state.clients[1].profile = ClientProfile(
        ClientInfo(), ClientProfile.Person(Identity("ada", issuer: "i\0"), since: 170))
      guard case .written(let lease) = try store.perform(Self.creation("a", cut)) else {
        throw StoreError("not created")
      }
      #expect(try Self.count("max(since)", of: "rib_person", store) == 170)
      #expect(try store.write(lease, Self.bound(["ada"], since: 160, version: 2)) == "written")
      #expect(try Self.count("sum(since)", of: "rib_person", store) == 170)
      // A late statement of an older lease notes nobody.
      _ = try store.load("a")
      #expect(try store.write(lease, Self.bound(["ben"], version: 3)) == "lost")
      #expect(try Self.count("count(*)", of: "rib_person", store) == 1)
    }
  }

  /// One session's state cannot be written: the halves of the batch are, and each counts what was committed before.
  @Test func batchThatIsHalved_keepsTheQuota() async throws {
    let store = try PostgresStore(url: try PostgresServer.makeDatabase())
    try store.begin(StoreStart())
    let loop = try EventLoop(name: "test", linger: 0, usesEpoll: true, messageLimit: 1000)
    let writer = StoreWriter(store, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {}
    let answers = Mutex<[String: String]>([:])
    let jobs = (0..<12).map { number in
      var cut = Self.bound(["ada"], perPlace: 5)
      if number == 2 {
        let bad = NodeSnapshot(id: 2, type: "a\0b", version: 1, state: "0", children: [:], effects: [])
        cut.tree = TreeCut(root: 1, lastID: 2, transactions: 1, changed: [NodeCut(bad)], removed: [])
      }
      return StoreJob(Self.creation("\(number)", at: "here", cut), on: loop) { result in
        let word = (try? result.get()).map { Self.words([$0])[0] } ?? "failed"
        answers.withLock { $0["\(number)"] = word }
      }
    }
    writer.submit(jobs)
    #expect(await eventually { answers.withLock { $0.count } == 12 })
    let words = answers.withLock { answers in (0..<12).map { answers["\($0)"] ?? "" } }
    #expect(words[2] == "refused")
    #expect(words.filter { $0 == "written" }.count == 5 && words.filter { $0 == "overQuota" }.count == 6, "\(words)")
    #expect(try Self.count("count(*)", of: "rib_session", store) == 5)
    await writer.close()
    loop.stop()
  }
}
