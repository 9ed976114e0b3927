import RibCore
import RibTesting
import Testing
import Wire

/// The keys of effects, and which of them keep a session awake.
struct EffectCommandTests {
  // MARK: Idempotency keys

  @Test func key_namesSessionTransactionAndPlace() throws {
    let tree = Tree(root: Conductor(whenActive: [.run("a"), .run("b")]), session: "s7")
    let commands = try tree.start(rendering: ViewRenderer())
    #expect(commands.keys.map(\.description) == ["s7-1-1", "s7-1-2"])
    #expect(commands.keys.map(\.session) == ["s7", "s7"])
    #expect(commands.keys.map(\.transaction) == [1, 1])
    #expect(commands.keys.map(\.ordinal) == [1, 2])
  }

  @Test func key_isTheOneThatTheEffectSees() async throws {
    let session = try TestSession(KeyTeller())
    try session.send(#""tell""#)
    let key = try #require(session.pendingEffects.first).key
    try await session.runNextEffect()
    #expect(session.view["nodes"]?["1"]?["state"] == .string(key.description))
  }

  @Test func keys_areAllDifferent() async throws {
    let session = try TestSession(Hall())
    var keys: [IdempotencyKey] = []
    func carryOut(_ plans: String, at path: String) throws {
      let before = session.pendingEffects.count
      try session.carryOut(plans, at: .path(path))
      keys += session.pendingEffects[before...].map(\.key)
    }
    try session.send(#""invite""#)
    for _ in 1...3 {
      try carryOut(#"{"run":"a"},{"run":"a"},{"sequence":[{"run":"b"},{"run":"c"}]}"#, at: "stages[0]")
      try carryOut(#"{"runUnnamed":{}},{"runUnnamed":{}}"#, at: "guest")
      _ = try session.refusal(of: #""fail""#, to: .path("guest"))
    }
    while !session.pendingEffects.isEmpty {
      try #require(keys.count < 100)
      let before = session.pendingEffects.count - 1
      try await session.runNextEffect()
      keys += session.pendingEffects[before...].map(\.key)
    }
    #expect(keys.count == 18)
    #expect(Set(keys).count == 18)
  }

  @Test func key_ofARefusedAction_isFreeForTheNext() throws {
    let session = try TestSession(Conductor())
    _ = try session.refusal(of: #"{"carryOut":[{"run":"a"},{"sendFailure":{}}]}"#)
    try session.carryOut(#"{"run":"a"}"#)
    #expect(session.pendingEffects.map(\.key.description) == ["-2-1"])
  }

  @Test func key_ofTheSameActionAfterTheSameSnapshot_isTheSame() throws {
    let first = try TestSession(Hall())
    try first.carryOut(#"{"run":"a"}"#, at: .path("stages[0]"))
    let snapshot = try first.savedSnapshot()
    let keys = try (1...2).map { _ in
      let session = try TestSession(Hall(), restoring: snapshot)
      try session.send(#""invite""#)
      try session.carryOut(#"{"run":"b"},{"run":"c"}"#, at: .path("guest"))
      return session.pendingEffects.map(\.key)
    }
    #expect(keys[0].count == 2)
    #expect(keys[0] == keys[1])
  }

  @Test func key_afterARestoration_isNoneFromBeforeTheSnapshot() throws {
    var keys: [IdempotencyKey] = []
    var session = try TestSession(Conductor(whenActive: [.run("a")]))
    for _ in 1...4 {
      try session.carryOut(#"{"run":"b"},{"run":"c"}"#)
      keys += session.pendingEffects.map(\.key)
      session = try TestSession(Conductor(whenActive: [.run("a")]), restoring: try session.savedSnapshot())
    }
    #expect(keys.count == 12)
    #expect(Set(keys).count == 12)
  }

  @Test func key_codesAsItIs() throws {
    let session = try TestSession(Conductor(whenActive: [.run("a")]))
    let key = try #require(session.pendingEffects.first).key
    let text = String(decoding: try StateCoder.encode(key), as: UTF8.self)
    #expect(text == #"{"session":"","transaction":1,"ordinal":1}"#)
    #expect(try StateCoder.decode(IdempotencyKey.self, from: try StateCoder.read(text)) == key)
  }

  // MARK: What keeps a session awake

  @Test func resumableEffects_areNotVolatile() throws {
    let session = try TestSession(Conductor())
    #expect(!session.tree.hasVolatileEffects)
    try session.carryOut(#"{"resume":"a"},{"resume":"b"}"#)
    #expect(session.tree.effectCount == 2)
    #expect(!session.tree.hasVolatileEffects)
    try session.carryOut(#"{"run":"c"}"#)
    #expect(session.tree.hasVolatileEffects)
    try session.carryOut(#"{"cancel":"c"}"#)
    #expect(!session.tree.hasVolatileEffects)
  }

  @Test func volatileEffect_thatHasEnded_isNone() async throws {
    let session = try TestSession(Conductor())
    try session.carryOut(#"{"run":"a"}"#)
    #expect(session.tree.hasVolatileEffects)
    try await session.runNextEffect()
    #expect(!session.tree.hasVolatileEffects)
  }

  @Test func effect_ofAnInactiveNode_doesNotStart() throws {
    let saved = try TestSession(Hall()).savedSnapshot()
    let plans: [Conductor.Plan] = [.run("a"), .sequence([.run("b"), .send("c")]), .debounce(.send("d")), .send("e")]
    let session = try TestSession(Hall(conductor: Conductor(whenRestored: plans)), restoring: saved)
    // Of two that are restored, the one in front starts what it wants.
    #expect(session.active(1...3) == [1, 2])
    #expect(session.pending == ["a", "b", "wait"])
    #expect(session.tree.effectCount == 3)
    #expect(session.tree.droppedActions == 3)
    #expect(try session.log(of: 2) == ["back from ", "e"])
    #expect(try session.log(of: 3) == ["back from ", "e"])
  }
}

extension [EffectCommand] {
  fileprivate var keys: [IdempotencyKey] {
    compactMap { if case .start(let effect) = $0 { effect.key } else { nil } }
  }
}
