import RibCore
import RibTesting
import Testing
import Wire

@Suite(.timeLimit(.minutes(5))) struct TopicTests {
  /// Says what it is told to all who listen, and listens itself.
  private struct Member: Riblet {
    static let typeName = "Member"

    struct State {
      var heard: [String] = []
      var ratio = 1.0
    }

    enum ViewAction: Decodable { case say([String]), stumble(String) }
    enum InternalAction: Sendable { case heard(String) }
    struct ViewState: Encodable, Equatable {
      let heard: [String]
      let ratio: Double
    }

    let topic: Topic<String>

    func makeState() -> State { State() }

    func didBecomeActive(_ state: inout State) -> Effect<Self> {
      .observe(topic, id: "topic") { .heard($0) }
    }

    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .say(let words): return .merge(words.map { .publish($0, to: topic) })
      case .stumble(let word):
        state.ratio = .nan
        return .publish(word, to: topic)
      }
    }

    func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
      if case .heard(let word) = internalAction { state.heard.append(word) }
      return .none
    }

    func view(_ state: State) -> ViewState { ViewState(heard: state.heard, ratio: state.ratio) }
  }

  private func action(_ text: String) throws -> JSONElement {
    var reader = JSONReader()
    return try reader.read(text).root
  }

  @Test func publication_reachesEverySubscriber_inOrder() async {
    let topic = Topic<Int>()
    topic.publish(0)
    var first = topic.subscribe().makeAsyncIterator()
    topic.publish(1)
    var second = topic.subscribe().makeAsyncIterator()
    topic.publish(2)
    #expect(await first.next() == 1)
    #expect(await first.next() == 2)
    #expect(await second.next() == 2)
    #expect(topic.subscriberCount == 2)
  }

  @Test func subscriber_thatIsGone_isForgotten() {
    let topic = Topic<Int>()
    var stream: AsyncStream<Int>? = topic.subscribe()
    #expect(topic.subscriberCount == 1)
    withExtendedLifetime(stream) {}
    stream = nil
    #expect(topic.subscriberCount == 0)
  }

  @Test func subscriber_thatIsBusy_getsTheNewest() async {
    let topic = Topic<Int>(bufferSize: 2)
    var values = topic.subscribe().makeAsyncIterator()
    for value in 1...5 { topic.publish(value) }
    #expect(await values.next() == 4)
    #expect(await values.next() == 5)
  }

  @Test func publish_leavesAfterItsTransaction_inOrder() async throws {
    let topic = Topic<String>()
    var values = topic.subscribe().makeAsyncIterator()
    let session = try TestSession(Member(topic: topic))
    try session.act(#"{"say":["a","b"]}"#)
    #expect(await values.next() == "a")
    #expect(await values.next() == "b")
  }

  @Test func publish_ofATransactionThatIsUndone_doesNotLeave() async throws {
    let topic = Topic<String>()
    var values = topic.subscribe().makeAsyncIterator()
    let session = try TestSession(Member(topic: topic))
    #expect(throws: Refusal.self) { try session.act(#"{"stumble":"a"}"#) }
    try session.act(#"{"say":["b"]}"#)
    #expect(await values.next() == "b")
  }

  @Test func tree_handsPublicationsToItsDriver() throws {
    let topic = Topic<String>()
    let tree = Tree(root: Member(topic: topic))
    let renderer = ViewRenderer()
    _ = try tree.start(rendering: renderer)
    let commands = try tree.perform(try action(#"{"say":["a"]}"#), for: .id(1), by: ActingClient(), rendering: renderer)
    #expect(commands.contains { if case .publish = $0 { true } else { false } })
    #expect(renderer.patch.count == 0)
  }

  @Test func value_publishedBeforeTheEffectBegins_arrives() async throws {
    let topic = Topic<String>()
    let session = try TestSession(Member(topic: topic))
    topic.publish("early")
    let effect = try #require(session.pendingEffects.first)
    let (reports, port) = AsyncStream.makeStream(of: EffectReport.self)
    let task = Task { try await effect.run { port.yield($0) } }
    var iterator = reports.makeAsyncIterator()
    try session.deliver(try #require(await iterator.next()))
    #expect(session.view["nodes"]?["1"]?["state"]?["heard"] == .array([.string("early")]))
    task.cancel()
  }

  /// Observes what it is given, and shows what it was told.
  private struct Keeper: Riblet {
    static let typeName = "Keeper"
    enum ViewAction: Decodable { case again }
    enum InternalAction: Sendable { case heard(Int) }

    let news: Effect<Keeper>

    func makeState() -> [Int] { [] }
    func didBecomeActive(_ state: inout [Int]) -> Effect<Self> { news }
    func reduce(into state: inout [Int], viewAction: ViewAction) -> Effect<Self> { news }

    func reduce(into state: inout [Int], internalAction: InternalAction) -> Effect<Self> {
      if case .heard(let number) = internalAction { state.append(number) }
      return .none
    }

    func view(_ state: [Int]) -> [Int] { state }
  }

  @Test func effect_thatIsKept_observesEachTimeFromWhereItWasMade() throws {
    let topic = Topic<Int>(bufferSize: 3)
    topic.publish(1)
    let news = Effect<Keeper>.observe(topic, id: "news") { .heard($0) }
    #expect(topic.subscriberCount == 0)
    topic.publish(2)
    let session = try TestSession(Keeper(news: news), effects: .running)
    #expect(session.viewState()?.text == "[2]")
    topic.publish(3)
    #expect(session.viewState()?.text == "[2,3]")
    try session.act(#""again""#)
    #expect(session.viewState()?.text == "[2,3,2,3]")
    for number in 4...5 { topic.publish(number) }
    #expect(session.viewState()?.text == "[2,3,2,3,4,5]")
    #expect(topic.subscriberCount == 1)
    let other = try TestSession(Keeper(news: news), effects: .running)
    #expect(other.viewState()?.text == "[3,4,5]")
    #expect(topic.subscriberCount == 2)
  }

  /// What another process has published and did not come is missed, and so is what the buffer does not hold; those who do not ask are not told.
  @Test func observer_isToldWhatItHasMissed() throws {
    let exchange = TopicExchange()
    let topic = Topic<Int>(name: "n", bufferSize: 3, on: exchange)
    let asks = Effect<Keeper>.observe(topic, id: "news", missed: { .heard(0) }) { .heard($0) }
    let asksNothing = Effect<Keeper>.observe(topic, id: "news") { .heard($0) }
    let (first, second) = (
      try TestSession(Keeper(news: asks), effects: .running),
      try TestSession(Keeper(news: asksNothing), effects: .running)
    )
    for number in 1...2 { topic.publish(number) }
    exchange.noteGap()
    topic.publish(3)
    #expect(first.viewState()?.text == "[1,2,0,3]")
    #expect(second.viewState()?.text == "[1,2,3]")
    // Of what was published since the effect was made three are left.
    try first.act(#""again""#)
    #expect(first.viewState()?.text == "[1,2,0,3,0,2,0,3]")
  }

  @Test func effect_thatIsUndone_observesNothing() throws {
    let topic = Topic<String>()
    do {
      _ = Effect<Member>.observe(topic, id: "topic") { .heard($0) }
      #expect(topic.subscriberCount <= 1)
    }
    #expect(topic.subscriberCount == 0)
  }
}
