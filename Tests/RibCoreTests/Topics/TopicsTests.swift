import RibTesting
import Testing
import Wire

@testable import RibCore

/// Topics by key.
@Suite(.timeLimit(.minutes(5))) struct TopicsTests {
  @Test func topicOfAKey_isOneForAll_andForgottenWithTheLast() async {
    let rooms = Topics<Int, String>()
    do {
      let room = rooms[7]
      #expect(rooms[7] === room && rooms[8] !== room)
      var heard = room.subscribe().makeAsyncIterator()
      rooms[8].publish("elsewhere")
      rooms[7].publish("here")
      #expect(await heard.next() == "here")
      #expect(rooms.count == 1)
    }
    #expect(rooms.count == 0)
  }

  /// Shows what it hears of a room.
  private struct Guest: Riblet {
    static let typeName = "Guest"
    enum ViewAction: Decodable { case publish(Int) }
    enum InternalAction: Sendable { case heard(Int) }

    let rooms: Topics<String, Int>
    let isResumable: Bool

    func makeState() -> [Int] { [] }
    func didBecomeActive(_ state: inout [Int]) -> Effect<Self> {
      .observe(rooms["a"], id: "room", resumable: isResumable) { .heard($0) }
    }
    func reduce(into state: inout [Int], viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .publish(let number): .publish(number, to: rooms["a"])
      }
    }
    func reduce(into state: inout [Int], internalAction: InternalAction) -> Effect<Self> {
      if case .heard(let number) = internalAction { state.append(number) }
      return .none
    }
    func view(_ state: [Int]) -> [Int] { state }
  }

  /// A topic is there as long as an effect observes it, whoever else has it; also one that keeps its session awake.
  @Test(arguments: [false, true]) func topicThatAnEffectObserves_isKept(isResumable: Bool) throws {
    let rooms = Topics<String, Int>()
    let session = try TestSession(Guest(rooms: rooms, isResumable: isResumable), effects: .running)
    for number in 1...2 { rooms["a"].publish(number) }
    try session.act(#"{"publish":3}"#)
    #expect(session.viewState()?.text == "[1,2,3]")
    #expect(rooms.count == 1)
  }

  /// Those who publish and those who go at the same moment: no lock is taken twice.
  @Test func topicsThatNobodyHas_comeAndGo() async {
    let rooms = Topics<Int, Int>()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for number in 0..<5_000 { rooms[number % 2].publish(number) } }
      }
    }
    #expect(rooms.count == 0)
  }

  /// The same of a stream.
  @Test func topicThatIsRead_isKept() async {
    let rooms = Topics<String, Int>()
    var stream: AsyncStream<Int>? = rooms["a"].subscribe()
    rooms["a"].publish(1)
    var values = stream?.makeAsyncIterator()
    #expect(await values?.next() == 1)
    (stream, values) = (nil, nil)
    #expect(rooms.count == 0)
  }

  @Test func publications_reachTheTopicOfThatKey() async {
    let (one, two) = (TopicExchange(), TopicExchange())
    _ = one.connect { two.receive($0) }
    let (here, there) = (Topics<[Int], Int>(name: "n", on: one), Topics<[Int], Int>(name: "n", on: two))
    var heard = there[[1, 2]].subscribe().makeAsyncIterator()
    let kept = there[[1, 2]]
    for key in [[1], [1, 2], [2, 1]] { here[key].publish(key.reduce(0) { $0 * 10 + $1 }) }
    here[[1, 2]].publish(0)
    #expect(await heard.next() == 12)
    #expect(await heard.next() == 0)
    withExtendedLifetime(kept) { #expect(there.count == 1) }
  }
}
