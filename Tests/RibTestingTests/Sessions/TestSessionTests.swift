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
    #expect(texts.first?.hasPrefix("The restored session shows something else.") == true)
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
}
