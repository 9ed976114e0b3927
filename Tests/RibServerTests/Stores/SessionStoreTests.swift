import Testing
import Wire

@testable import RibCore
@testable import RibPostgres
@testable import RibServer

/// What every store does: the contract.
///
/// A new store becomes a `Kind`, and passes.
@Suite struct SessionStoreTests {
  enum Kind: CaseIterable {
    case memory, sqlite, postgres
    /// The simulator's stand-in for PostgreSQL.
    case simulated

    static let allCases: [Kind] = [.memory, .sqlite, .simulated] + (PostgresServer.isTested ? [.postgres] : [])
  }

  static func with(_ kind: Kind, _ body: (any SessionStore, TestClock) throws -> Void) throws {
    let clock = TestClock()
    switch kind {
    case .memory: try body(MemoryStore(clock: clock.clock), clock)
    case .simulated: try body(DatabaseStore(clock: clock.clock), clock)
    case .sqlite:
      let directory = try TemporaryDirectory()
      let store = try SQLiteStore(path: directory.store, durability: .process, clock: clock.clock)
      defer { store.close() }
      try body(store, clock)
    case .postgres:
      let store = try PostgresStore(url: try PostgresServer.makeDatabase(), clock: clock.clock)
      defer { store.close() }
      try store.begin(StoreStart())
      try body(store, clock)
    }
  }

  // MARK: Reading

  @Test(arguments: Kind.allCases) func session_isLoadedAsItWasCreated(_ kind: Kind) throws {
    try Self.with(kind) { store, _ in
      let nodes = [
        NodeSnapshot(
          id: 1, type: "Root", version: 7, state: #"{"text":"é'\"\u0000"}"#, children: ["slot": ["": 4], "none": [:]],
          effects: [
            InterruptedEffect(
              id: "load", key: IdempotencyKey(session: "one", transaction: 3, ordinal: 1), isResumable: true)
          ]),
        StoreSample.node(4, nil),
      ]
      var state = StoreSample.state(
        revision: 12, clients: [StoreSample.client(), StoreSample.client(2, number: 9, scope: .view)],
        isHeld: true, alone: .seconds(77), rest: SessionState.Rest(epoch: "e", viewHash: "h"))
      state.invitations = [Invitation(tokenHash: "t", scope: .view, expires: 99)]
      let nacks = [
        StoreSample.refusal(3), StoreSample.refusal(5, "with a NUL \0 in it"), StoreSample.refusal(1, client: 2),
      ]
      _ = try store.create("one", StoreSample.cut(state, changed: nodes, transactions: 44, nacks: nacks))
      let loaded = try #require(try store.load())
      #expect(loaded.identity == StoreSample.identity())
      #expect(loaded.state == state)
      #expect(loaded.tree.nodes == [1: nodes[0], 4: nodes[1]])
      #expect(loaded.tree.root == 1 && loaded.tree.lastID == 4 && loaded.tree.transactions == 44)
      #expect(loaded.nacks == nacks)
      #expect(loaded.crashes.isEmpty)
    }
  }

  @Test(arguments: Kind.allCases) func unknownSession_isMissing(_ kind: Kind) throws {
    try Self.with(kind) { store, _ in
      _ = try store.create()
      for id in ["two", "", "one ", "ONE", "one' OR '1'='1"] {
        let loaded = try store.load(id)
        #expect(loaded == nil, "\(id)")
      }
    }
  }

  /// A client's token opens the session, and an invitation that is not too old; another one leaves it to whoever has it.
  @Test(arguments: Kind.allCases) func token_opensItsSession(_ kind: Kind) throws {
    try Self.with(kind) { store, _ in
      var state = StoreSample.state(clients: [StoreSample.client(), StoreSample.client(2)])
      state.invitations = [
        Invitation(tokenHash: "invited", scope: .act, expires: .max),
        Invitation(tokenHash: "late", scope: .act, expires: 1),
      ]
      for name in ["one", "two", "three"] { _ = try store.create(name, StoreSample.cut(state)) }
      for hash in ["", "hash 3", "late", "hash"] {
        guard case .denied = try store.perform(.load(sessionID: "one", tokenHash: hash)) else {
          Issue.record("\(hash) opens it")
          return
        }
      }
      for (name, hash) in [("one", "hash 1"), ("two", "hash 2"), ("three", "invited")] {
        let loaded = try #require(try store.load(name, hash))
        // Nobody had it meanwhile.
        #expect(loaded.lease.number == 2)
      }
      guard case .missing = try store.perform(.load(sessionID: "none", tokenHash: "hash 1")) else {
        Issue.record("there is none")
        return
      }
    }
  }

  /// By the clock that the store has, and no other.
  @Test(arguments: Kind.allCases) func invitation_isVoidInTime(_ kind: Kind) throws {
    try Self.with(kind) { store, clock in
      var state = StoreSample.state()
      state.invitations = [
        Invitation(tokenHash: "invited", scope: .view, expires: clock.clock.wall() + 10, inviter: .view)
      ]
      _ = try store.create("one", StoreSample.cut(state))
      #expect(try store.load("one", "invited")?.state.invitations == state.invitations)
      clock.advance(10)
      guard case .denied = try store.perform(.load(sessionID: "one", tokenHash: "invited")) else {
        Issue.record("it opens the session")
        return
      }
    }
  }

  // MARK: Writing

  /// What most cuts are: the revision, the clients' numbers and tries, and a small state.
  @Test(arguments: Kind.allCases) func progress_isWritten_andNothingElseIsChanged(_ kind: Kind) throws {
    try Self.with(kind) { store, _ in
      let guest = StoreSample.client(2, number: 4, scope: .view)
      var state = StoreSample.state(clients: [StoreSample.client(), guest], isHeld: true)
      state.invitations = [Invitation(tokenHash: "t", scope: .view, expires: 99)]
      let lease = try store.create(
        "one", StoreSample.cut(state, changed: [StoreSample.node(1), StoreSample.node(2, "7")]))
      var last = StoreSample.cut(state)
      for number in 1...3 {
        state.revision = 10 * number
        state.clients[0] = ClientRecord(id: 1, tokenHash: "hash 1", attempt: 3 + number, number: number, scope: .act)
        var node = NodeCut(StoreSample.node(1))
        (node.children, node.effects, node.state) = (nil, nil, .replaced(Array("\(number)".utf8)))
        last = StoreSample.cut(state, nacks: [StoreSample.refusal(number)], version: Int64(number + 1))
        last.tree = TreeCut(root: 1, lastID: 5, transactions: UInt64(number), changed: [node], removed: [])
        last.isProgress = true
        for _ in 1...2 { #expect(try store.write(lease, last) == "written") }
      }
      let late = StoreSample.cut(state, version: 2)
      #expect(try store.write(lease, late) == "lost")
      let loaded = try #require(try store.load())
      #expect(loaded.state == state)
      #expect(loaded.tree.nodes.mapValues(\.state) == [1: "3", 2: "7"])
      #expect(loaded.tree.lastID == 5 && loaded.tree.transactions == 3)
      #expect(loaded.nacks == (1...3).map { StoreSample.refusal($0) })
      last.version += 1
      #expect(try store.write(lease, last) == "lost")
    }
  }

  @Test(arguments: Kind.allCases) func write_changesOnlyWhatItSays(_ kind: Kind) throws {
    try Self.with(kind) { store, _ in
      let nodes = (1...4).map { StoreSample.node($0, "\($0)") }
      let lease = try store.create(
        "one", StoreSample.cut(changed: nodes, nacks: [1, 2, 4].map { StoreSample.refusal($0) }))
      let changed = [StoreSample.node(2, "22", children: ["slot": ["": 9]]), StoreSample.node(9, nil)]
      let written = try store.write(
        lease,
        StoreSample.cut(
          StoreSample.state(revision: 8, clients: [StoreSample.client(number: 5)], alone: .seconds(5)),
          changed: changed, removed: [3, 77], transactions: 6,
          nacks: [StoreSample.refusal(5), StoreSample.refusal(6, client: 2)], acknowledged: [1: 2], version: 2))
      #expect(written == "written")
      let loaded = try #require(try store.load())
      #expect(loaded.tree.nodes == [1: nodes[0], 2: changed[0], 4: nodes[3], 9: changed[1]])
      #expect(loaded.tree.transactions == 6 && loaded.tree.lastID == 9)
      #expect(loaded.state.revision == 8 && loaded.state.clients[0].number == 5)
      #expect(loaded.state.alone == .seconds(5))
      #expect(loaded.nacks.map(\.nack.number) == [4, 5, 6] && loaded.nacks.map(\.client) == [1, 1, 2])
    }
  }

  /// Also a refusal that comes and is heard of between two cuts is not left behind.
  @Test(arguments: Kind.allCases) func acknowledgement_coversWhatIsWrittenWithIt(_ kind: Kind) throws {
    try Self.with(kind) { store, _ in
      let lease = try store.create()
      _ = try store.write(
        lease,
        StoreSample.cut(nacks: [1, 2].map { StoreSample.refusal($0) }, acknowledged: [1: 1, 2: 9], version: 2))
      #expect(try store.load()?.nacks.map(\.nack.number) == [2])
    }
  }

  @Test(arguments: Kind.allCases) func writeThatIsRepeated_isAsOne(_ kind: Kind) throws {
    try Self.with(kind) { store, _ in
      let lease = try store.create()
      let cut = StoreSample.cut(
        changed: [StoreSample.node(2)], removed: [1], nacks: [StoreSample.refusal(1)], version: 2)
      for _ in 0..<2 {
        let written = try store.write(lease, cut)
        #expect(written == "written")
      }
      let loaded = try #require(try store.load())
      #expect(loaded.tree.nodes.count == 1 && loaded.nacks == [StoreSample.refusal(1)])
    }
  }

  @Test(arguments: Kind.allCases) func eachRequestOfABatch_hasItsResult(_ kind: Kind) throws {
    try Self.with(kind) { store, _ in
      let results = try store.perform([
        .create(StoreSample.identity("a"), StoreSample.cut()), .load(sessionID: "b"),
        .create(StoreSample.identity("b"), StoreSample.cut()), .load(sessionID: "b"), .probe,
      ])
      try #require(results.count == 5)
      guard case .written = results[0], case .missing = results[1], case .written = results[2],
        case .loaded(let session) = results[3], case .noted = results[4]
      else {
        Issue.record("\(results)")
        return
      }
      #expect(session.identity.id == "b")
    }
  }

  // MARK: Leaving

  @Test(arguments: Kind.allCases) func remove_isByLease(_ kind: Kind) throws {
    try Self.with(kind) { store, _ in
      let lease = try store.create()
      let newer = try #require(try store.load()?.lease)
      for (lease, count) in [(lease, 0), (newer, 1), (newer, 0)] {
        guard case .removed(count) = try store.perform(.remove(sessionID: "one", lease)) else {
          Issue.record("not \(count)")
          return
        }
      }
      #expect(try store.load() == nil)
      #expect(try store.write(newer, StoreSample.cut()) == "lost")
    }
  }

  /// Those that somebody has stay; those that were not touched go sooner.
  @Test(arguments: Kind.allCases) func oldSessions_areForgotten(_ kind: Kind) throws {
    let alone = { (seconds: Int, hasActed: Bool, isHeld: Bool) in
      StoreSample.state(hasActed: hasActed, isHeld: isHeld, alone: .seconds(seconds))
    }
    let rows: [(String, SessionState, Bool)] = [
      ("acted, old", alone(101, true, false), true), ("acted, on time", alone(100, true, false), false),
      ("acted, between", alone(50, true, false), false), ("untouched, old", alone(11, false, false), true),
      ("untouched, on time", alone(10, false, false), false), ("held", alone(1000, true, true), false),
      ("held, untouched", alone(1000, false, true), false),
    ]
    try Self.with(kind) { store, clock in
      for (id, state, _) in rows { _ = try store.create(id, StoreSample.cut(state)) }
      #expect(try store.forgetOld(acted: 100, untouched: 10) == ["acted, old", "untouched, old"])
      for (id, _, isGone) in rows {
        let loaded = try store.load(id)
        #expect((loaded == nil) == isGone, "\(id)")
      }
      // What was loaded is held.
      clock.advance(1000)
      #expect(try store.forgetOld(acted: 100, untouched: 10).isEmpty)
    }
  }

  @Test(arguments: Kind.allCases) func oldSessions_areFoundANumberAtATime(_ kind: Kind) throws {
    try Self.with(kind) { store, clock in
      for number in 1...7 { _ = try store.create("\(number)") }
      clock.advance(10)
      for expected in [3, 3, 1, 0] {
        #expect(try store.forgetOld(acted: 9, untouched: 9, limit: 3).count == expected)
      }
    }
  }

  /// A client has come back after the session was found.
  @Test(arguments: Kind.allCases) func sessionThatWasTakenMeanwhile_isNotForgotten(_ kind: Kind) throws {
    try Self.with(kind) { store, clock in
      _ = try store.create()
      clock.advance(10)
      let expiry = SessionExpiry(acted: .seconds(9), untouched: .seconds(9), limit: 500)
      guard case .expired(let rows) = try store.perform(.findExpired(expiry)), let row = rows.first else {
        Issue.record("nothing was found")
        return
      }
      let lease = try #require(try store.load()?.lease)
      guard case .forgotten(nil) = try store.perform(.forget(row: row, expiry)) else {
        Issue.record("it was forgotten")
        return
      }
      #expect(try store.write(lease, StoreSample.cut()) == "written")
    }
  }

  @Test(arguments: Kind.allCases) func absence_isNoted(_ kind: Kind) throws {
    try Self.with(kind) { store, clock in
      let lease = try store.create("one", StoreSample.cut(StoreSample.state(isHeld: true, alone: .seconds(50))))
      clock.advance(100)
      guard case .noted = try store.perform(.noteAbsence(sessionID: "one", lease)) else {
        Issue.record("not noted")
        return
      }
      clock.advance(7)
      let state = try #require(try store.load()).state
      #expect(!state.isHeld && state.alone == .seconds(7))
    }
  }

  // MARK: The clock

  /// The system's clock is set, or was wrong when the machine started: nobody has stayed away for it.
  @Test(arguments: Kind.allCases, [86_400 * 400, -86_400 * 400]) func clockThatJumps_deletesNothing(
    _ kind: Kind, _ seconds: Int
  ) throws {
    try Self.with(kind) { store, clock in
      _ = try store.create("one", StoreSample.cut(StoreSample.state(alone: .seconds(50))))
      clock.jump(seconds)
      for _ in 1...3 {
        clock.advance(10)
        _ = try store.perform(.probe)
        #expect(try store.forgetOld(acted: 100, untouched: 100).isEmpty)
      }
      _ = try store.create("two", StoreSample.cut(StoreSample.state(alone: .seconds(50))))
      clock.advance(30)
      #expect(try store.forgetOld(acted: 100, untouched: 100) == ["one"])
      clock.advance(30)
      #expect(try store.forgetOld(acted: 100, untouched: 100) == ["two"])
    }
  }

  // MARK: Measuring

  @Test(arguments: Kind.allCases) func measure_saysHowMuchThereIs(_ kind: Kind) throws {
    try Self.with(kind) { store, _ in
      for name in ["a", "b", "c"] { _ = try store.create(name, StoreSample.cut()) }
      guard case .measured(let measure) = try store.perform(.measure) else {
        Issue.record("a measure was not answered by one")
        return
      }
      switch kind {
      case .memory, .simulated: #expect(measure == StoreMeasure(sessionCount: 3))
      case .sqlite:
        #expect(measure.sessionCount == 3)
        #expect(measure.bytes["main"] ?? 0 >= 4096)
        #expect(measure.bytes["wal"] ?? 0 > 0)
      // The database has not looked at its tables yet.
      case .postgres:
        #expect(0...3 ~= measure.sessionCount)
        #expect(measure.bytes["database"] ?? 0 > 1_000_000)
      }
    }
  }
}
