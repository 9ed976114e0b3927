import Testing
import Wire

@testable import RibCore
@testable import RibServer

/// What every store does.
@Suite struct SessionStoreTests {
  enum Kind: CaseIterable { case memory, sqlite }

  private static func with(_ kind: Kind, _ body: (any SessionStore) throws -> Void) throws {
    switch kind {
    case .memory: try body(MemoryStore())
    case .sqlite:
      let directory = try TemporaryDirectory()
      let store = try SQLiteStore(path: directory.store, durability: .process)
      defer { store.close() }
      try body(store)
    }
  }

  @Test(arguments: Kind.allCases) func session_isLoadedAsItWasCreated(_ kind: Kind) throws {
    try Self.with(kind) { store in
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
        isHeld: true, seen: 77, rest: SessionState.Rest(epoch: "e", viewHash: "h"))
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
    try Self.with(kind) { store in
      _ = try store.create()
      for id in ["two", "", "one ", "ONE", "one' OR '1'='1"] {
        let loaded = try store.load(id)
        #expect(loaded == nil, "\(id)")
      }
    }
  }

  /// A client's token opens the session, and an invitation that is not too old; another one leaves it to who has it.
  @Test(arguments: Kind.allCases) func token_opensItsSession(_ kind: Kind) throws {
    try Self.with(kind) { store in
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
        #expect(loaded.lease == nil || loaded.lease?.number == 2)
      }
      guard case .missing = try store.perform(.load(sessionID: "none", tokenHash: "hash 1")) else {
        Issue.record("there is none")
        return
      }
    }
  }

  @Test(arguments: Kind.allCases) func eachRequestOfABatch_hasItsResult(_ kind: Kind) throws {
    try Self.with(kind) { store in
      let results = try store.perform([
        .create(StoreSample.identity("a"), StoreSample.cut()), .load(sessionID: "b"),
        .create(StoreSample.identity("b"), StoreSample.cut()), .load(sessionID: "b"), .probe(now: 1),
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

  /// Those that somebody has stay; those that were not touched go sooner.
  @Test(arguments: Kind.allCases) func oldSessions_areForgotten(_ kind: Kind) throws {
    let rows: [(String, SessionState, Bool)] = [
      ("acted, old", StoreSample.state(seen: 99), true), ("acted, on time", StoreSample.state(seen: 100), false),
      ("acted, between", StoreSample.state(seen: 150), false),
      ("untouched, old", StoreSample.state(hasActed: false, seen: 199), true),
      ("untouched, on time", StoreSample.state(hasActed: false, seen: 200), false),
      ("held", StoreSample.state(isHeld: true, seen: 0), false),
      ("held, untouched", StoreSample.state(hasActed: false, isHeld: true, seen: 0), false),
    ]
    try Self.with(kind) { store in
      for (id, state, _) in rows { _ = try store.create(id, StoreSample.cut(state)) }
      guard case .removed(2) = try store.perform(.expire(SessionExpiry(acted: 100, untouched: 200, limit: 500))) else {
        Issue.record("another number was removed")
        return
      }
      for (id, _, isGone) in rows {
        let loaded = try store.load(id)
        #expect((loaded == nil) == isGone, "\(id)")
      }
    }
  }

  @Test(arguments: Kind.allCases) func oldSessions_areForgottenANumberAtATime(_ kind: Kind) throws {
    try Self.with(kind) { store in
      for number in 1...7 { _ = try store.create("\(number)") }
      let expiry = StoreRequest.expire(SessionExpiry(acted: 2000, untouched: 2000, limit: 3))
      for expected in [3, 3, 1, 0] {
        guard case .removed(let count) = try store.perform(expiry) else {
          Issue.record("not removed")
          return
        }
        #expect(count == expected)
      }
    }
  }

  @Test(arguments: Kind.allCases) func absence_isNoted(_ kind: Kind) throws {
    try Self.with(kind) { store in
      let lease = try store.create("one", StoreSample.cut(StoreSample.state(isHeld: true, seen: 1)))
      guard case .noted = try store.perform(.noteAbsence(sessionID: "one", lease, now: 500)) else {
        Issue.record("not noted")
        return
      }
      let state = try #require(try store.load()).state
      #expect(!state.isHeld && state.seen == 500)
    }
  }
}
