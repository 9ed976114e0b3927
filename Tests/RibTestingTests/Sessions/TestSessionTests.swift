import RibCore
import RibTesting
import Testing
import Wire

struct TestSessionTests {
  private let clock = ManualClock()

  private struct Root: Riblet {
    static let typeName = "Root"
    let clock: any Clock<Duration>
    var routes: [Route<Self>] { [Route("gym", \.gym) { _ in Child(Gym(clock: clock)) }] }
    struct State: Equatable, Codable { var gym = Slot(0) }
    func makeState() -> State { State() }
    func view(_ state: State) -> Int { 0 }
  }

  @Test func runningEffects_goOnByTheClock() throws {
    let session = try TestSession(Root(clock: clock), effects: .running)
    try session.act("\"open\"", to: .path("gym"))
    try session.act("\"start\"", to: .path("gym/watch"))
    clock.advance(by: .seconds(2))
    #expect(session.lastPatch.count == 1)
    #expect(session.viewState(at: "gym/watch") == .object(["text": .string("2 s")]))
    try session.act("\"lap\"", to: .path("gym/watch"))
    #expect(session.viewState(at: "gym") == .integer(1))
    #expect(session.children(on: "watch", at: "gym").count == 1)
    #expect(session.children(on: "watch", at: "nowhere") == [])
    #expect(try session.snapshot() == session.view)
  }

  /// A later version of the root, whose state has another shape.
  private struct LaterRoot: Riblet {
    static let typeName = "Root"
    struct State: Codable { var floors: Int }
    func makeState() -> State { State(floors: 1) }
    func view(_ state: State) -> Int { state.floors }
  }

  @Test func losses_sayWhatDoesNotComeBack() throws {
    let saved = try TestSession(Root(clock: clock)).saved()
    let restored = try TestSession(Root(clock: clock), restoring: saved)
    #expect(restored.losses == [])
    #expect(restored.children(on: "gym") == [2])
    let losses = try TestSession(LaterRoot(), restoring: saved).losses
    #expect(losses.contains { $0.hasPrefix("Node 1 of type Root was not restored: ") })
    #expect(losses.contains { $0.hasPrefix("Node 2 of type Gym was not restored: ") })
  }

  @Test func stoppedSession_hasNoSleepers() throws {
    var session: TestSession? = try TestSession(Root(clock: clock), effects: .running)
    try session?.act("\"open\"", to: .path("gym"))
    try session?.act("\"start\"", to: .path("gym/watch"))
    #expect(clock.sleeperCount == 1)
    session = nil
    #expect(clock.sleeperCount == 0)
  }

  @Test func roundTrip_showsTheSame() throws {
    let session = try TestSession(Root(clock: clock), effects: .running)
    try session.act("\"open\"", to: .path("gym"))
    try session.act("\"lap\"", to: .path("gym/watch"))
    let restored = try session.restored(as: Root(clock: clock))
    #expect(restored.view == session.view)
    try restored.act("\"lap\"", to: .path("gym/watch"))
    #expect(restored.viewState(at: "gym") == .integer(2))
  }

  @Test func roundTrip_thatLosesSomething_fails() throws {
    struct Forgetful: Riblet {
      static let typeName = "Forgetful"
      struct State: Codable {
        var count = 0
        init() {}
        init(from decoder: any Decoder) throws {}
      }
      enum ViewAction: Decodable, Sendable { case count }
      func makeState() -> State { State() }
      func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
        state.count += 1
        return .none
      }
      func view(_ state: State) -> Int { state.count }
    }
    let texts = try failures {
      let session = try TestSession(Forgetful())
      try session.act("\"count\"")
      _ = try session.restored(as: Forgetful())
    }
    #expect(texts.count == 1)
    #expect(
      texts.first?.hasPrefix("The state of Forgetful 1 (the root) does not come back as it was when it is saved")
        == true)
    #expect(texts.first?.contains("count: 1") == true)
    #expect(texts.first?.contains("Is a property left out of its coding?") == true)
  }

  @Test func roundTrip_thatLosesANode_fails() throws {
    struct Parent: Riblet {
      static let typeName = "Parent"
      struct Child: Riblet {
        static let typeName = "Child"
        struct State { var isLoud = true }
        func makeState() -> State { State() }
        func view(_ state: State) -> Bool { state.isLoud }
      }
      func makeState() -> Slot<Int> { Slot(1) }
      func view(_ state: Slot<Int>) -> Int { 0 }
      var routes: [Route<Self>] { [Route("child", \.self) { _ in RibCore.Child(Child()) }] }
    }
    let texts = try failures { _ = try TestSession(Parent()).restored(as: Parent()) }
    #expect(texts.count == 1)
    #expect(texts.first?.contains("Node 2 of type Child was not restored: its state was not Codable") == true)
  }

  @Test func roundTrip_thatDoesNotDecode_namesTheNode() throws {
    struct Broken: Riblet {
      static let typeName = "Broken"
      struct State: Codable {
        init() {}
        init(from decoder: any Decoder) throws { throw CancellationError() }
      }
      func makeState() -> State { State() }
      func view(_ state: State) -> Int { 0 }
    }
    let texts = try failures { _ = try TestSession(Broken()).restored(as: Broken()) }
    #expect(texts.count == 2)
    #expect(texts.first?.hasPrefix("The state of Broken 1 (the root) cannot be read once it is saved: Cancel") == true)
    #expect(texts.last?.contains("Node 1 of type Broken was not restored:") == true)
  }

  @Test func roundTrip_mayShowWhatWasInterrupted() throws {
    struct Honest: Riblet {
      static let typeName = "Honest"
      func makeState() -> String { "new" }
      func didRestore(_ state: inout String, interrupted: [InterruptedEffect]) -> Effect<Self> {
        state = "restored"
        return .none
      }
      func view(_ state: String) -> String { state }
    }
    let texts = try failures { _ = try TestSession(Honest()).restored(as: Honest()) }
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix("The restored session shows something else. A client that stays connected") == true)
    #expect(texts.first?.contains("\"state\": \"new\"") == true)
    #expect(try TestSession(Honest()).restored(as: Honest(), showsTheSame: false).viewState() == .string("restored"))
  }

  // MARK: Looking at it

  @Test func outline_hasEveryNode() throws {
    let session = try TestSession(Root(clock: clock))
    try session.act("\"open\"", at: "gym")
    #expect(
      session.outline == """
        Root 1
          gym[0] Gym 2
            watch[0] Stopwatch 4
            lamp[0] Lamp 3
        """)
    try session.setActive(false)
    #expect(session.outline.hasPrefix("Root 1 (inactive)\n  gym[0] Gym 2 (inactive)") == true)
  }

  @Test func patch_isExpected() throws {
    let session = try TestSession(Root(clock: clock))
    try session.act("\"toggle\"", at: "gym/lamp")
    session.expectPatch(#" [ {"path": "/nodes/3/state", "op":"replace","value":true} ] "#)
    try session.act("\"lightUp\"", at: "gym")
    session.expectPatch("[]")
  }

  @Test func patch_thatIsAnother_isShown() throws {
    let texts = try failures {
      let session = try TestSession(Root(clock: clock))
      try session.act("\"toggle\"", at: "gym/lamp")
      session.expectPatch(#"[{"op":"replace","path":"/nodes/3/state","value":false}]"#)
      session.expectPatch("[")
    }
    #expect(texts.count == 2)
    #expect(texts.first?.hasPrefix("The patch is another than the test expects.") == true)
    #expect(
      texts.first?.contains("−     \"value\": false") == true && texts.first?.contains("+     \"value\": true") == true)
    #expect(texts.last?.hasPrefix("The expected patch is no JSON:") == true)
  }

  @Test func events_areToldOnce() throws {
    let session = try TestSession(Root(clock: clock))
    _ = session.takeEvents()
    try session.act("\"open\"", at: "gym")
    #expect(
      session.takeEvents() == [
        .attached(id: 4, type: "Stopwatch", parent: 2), .activated(id: 4, type: "Stopwatch"),
        .committed(transaction: 2),
      ])
    #expect(session.takeEvents() == [])
  }

  // MARK: Several sessions

  @Test func publication_arrivesBeforeTheNextSleeperWakes() throws {
    let topic = Topic<Int>()
    let listener = try TestSession(Listener(clock: clock, topic: topic, sleeps: true), effects: .running)
    let idler = try TestSession(Listener(clock: clock, topic: topic, sleeps: false), effects: .running)
    _ = try TestSession(Ticker(clock: clock, topic: topic), effects: .running)
    let ticker = try TestSession(Ticker(clock: clock, topic: topic), effects: .running)
    clock.advance(by: .seconds(3))
    #expect(ticker.viewState() == .integer(3))
    #expect(listener.viewState() == .string("1 at 1.0 seconds, 2 at 2.0 seconds, 3 at 3.0 seconds"))
    // It never slept on the clock, and goes on when it is looked at.
    #expect(idler.viewState() == .string("1 at 3.0 seconds, 2 at 3.0 seconds, 3 at 3.0 seconds"))
  }

  private struct Ticker: Riblet {
    static let typeName = "Ticker"
    enum InternalAction { case ticked }
    let clock: ManualClock
    let topic: Topic<Int>
    func makeState() -> Int { 0 }
    func didBecomeActive(_ state: inout Int) -> Effect<Self> {
      .run(id: "ticking") { [clock] send in
        while true {
          try await clock.sleep(for: .seconds(1))
          await send(.ticked)
        }
      }
    }
    func reduce(into state: inout Int, internalAction: InternalAction) -> Effect<Self> {
      state += 1
      return .publish(state, to: topic)
    }
    func view(_ state: Int) -> Int { state }
  }

  private struct Listener: Riblet {
    static let typeName = "Listener"
    enum InternalAction { case heard(Int) }
    let clock: ManualClock
    let topic: Topic<Int>
    let sleeps: Bool
    func makeState() -> [String] { [] }
    func didBecomeActive(_ state: inout [String]) -> Effect<Self> {
      let sleep =
        sleeps ? Effect<Self>.run(id: "sleep") { [clock] _ in try await clock.sleep(for: .seconds(60)) } : .none
      return .merge(.observe(topic, id: "ears") { .heard($0) }, sleep)
    }
    func reduce(into state: inout [String], internalAction: InternalAction) -> Effect<Self> {
      if case .heard(let number) = internalAction { state.append("\(number) at \(clock.now.offset)") }
      return .none
    }
    func view(_ state: [String]) -> String { state.joined(separator: ", ") }
  }

  @Test func missingDependency_failsTheTest() {
    let texts = failures {
      let dependencies = Dependencies.unimplemented(clock: clock)
      _ = dependencies.clock.minimumResolution
      _ = dependencies.date()
    }
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix("The riblet has used `date`, which this test has not given it") == true)
  }

  @Test func patch_thatIsNotExact_fails() throws {
    let session = try TestSession(Growing())
    try session.act(#"{"add":"\u00e9"}"#)
    let texts = try failures { try session.act(#"{"rewrite":"e\u0301"}"#) }
    #expect(texts.count == 1)
    let text = try #require(texts.first)
    #expect(text.contains("of Growing 1 (the root), at /nodes/1/state/log/0:"))
    #expect(text.contains("writeDifference"))
    // The test goes on with what the server shows.
    #expect(session.view == (try session.snapshot()))
    try session.act(#"{"add":"b"}"#)
  }
}
