import RibCore
import RibTesting
import Synchronization
import Testing
import Wire

/// What wakes a session that rests.
@Suite(.timeLimit(.minutes(5))) struct BellTests {
  /// Shows what it was told last, of a topic and of a shared value.
  private struct Listener: Riblet {
    static let typeName = "Listener"

    enum InternalAction: Sendable { case heard(Int), changed(Int) }

    var topic: Topic<Int>?
    var shared: SharedValue<Int>?
    func makeState() -> [Int] { [] }

    func didBecomeActive(_ state: inout [Int]) -> Effect<Self> {
      .merge(
        topic.map { .observe($0, id: "topic") { .heard($0) } } ?? .none,
        shared.map { .observe($0, id: "shared") { .changed($0) } } ?? .none)
    }

    func reduce(into state: inout [Int], internalAction: InternalAction) -> Effect<Self> {
      switch internalAction {
      case .heard(let number), .changed(let number): state.append(number)
      }
      return .none
    }

    func view(_ state: [Int]) -> [Int] { state }
  }

  private final class Rings: Sendable {
    private let rings = Atomic(0)
    var count: Int { rings.load(ordering: .relaxed) }
    func ring() { rings.add(1, ordering: .relaxed) }
  }

  private func bells(of session: TestSession, sourceLocation: SourceLocation = #_sourceLocation) throws -> [Bell] {
    guard case .may(let bells) = session.tree.restWithClients else {
      Issue.record("the session may not rest", sourceLocation: sourceLocation)
      return []
    }
    return bells
  }

  @Test func publication_ringsOnce() throws {
    let topic = Topic<Int>()
    let session = try TestSession(Listener(topic: topic), effects: .running)
    topic.publish(1)
    #expect(session.viewState()?.text == "[1]")
    let rings = Rings()
    let tokens = try bells(of: session).map { $0.arm { rings.ring() } }
    session.stop()
    #expect(rings.count == 0)
    #expect(topic.subscriberCount == 0)
    topic.publish(2)
    #expect(rings.count == 1)
    topic.publish(3)
    #expect(rings.count == 1)
    #expect(tokens.count == 1)
  }

  @Test func bell_thatIsCancelled_orLetGo_isSilent() throws {
    let topic = Topic<Int>()
    let session = try TestSession(Listener(topic: topic), effects: .running)
    let rings = Rings()
    let bell = try #require(try bells(of: session).first)
    let token = bell.arm { rings.ring() }
    token.cancel()
    token.cancel()
    _ = bell.arm { rings.ring() }
    topic.publish(1)
    #expect(rings.count == 0)
  }

  @Test func publication_beforeTheEffectHasBegun_ringsAtOnce() throws {
    let topic = Topic<Int>()
    let session = try TestSession(Listener(topic: topic))
    topic.publish(1)
    let rings = Rings()
    _ = try bells(of: session).map { $0.arm { rings.ring() } }
    #expect(rings.count == 1)
  }

  /// Has an effect take a value, and not yet send it.
  @Test(arguments: [false, true])
  func value_onItsWay_ringsUnlessItArrives(arrives: Bool) async throws {
    let topic = Topic<Int>()
    let session = try TestSession(Listener(topic: topic))
    let (reports, port) = AsyncStream.makeStream(of: EffectReport.self)
    let effect = try #require(session.pendingEffects.first)
    let task = Task { try await effect.run { port.yield($0) } }
    topic.publish(1)
    var iterator = reports.makeAsyncIterator()
    let report = try #require(await iterator.next())
    let bell = try #require(try bells(of: session).first)
    if !arrives { session.stop() }
    // What comes too late is not processed.
    try session.deliver(report)
    let rings = Rings()
    _ = bell.arm { rings.ring() }
    #expect(rings.count == (arrives ? 0 : 1))
    task.cancel()
  }

  @Test func sharedValue_ringsForWhatItBecomes_andForWhatWasNotYetTold() throws {
    let shared = SharedValue(1)
    let rings = Rings()
    let held = try TestSession(Listener(shared: shared))
    _ = try bells(of: held).map { $0.arm { rings.ring() } }
    #expect(rings.count == 1)

    let session = try TestSession(Listener(shared: shared), effects: .running)
    #expect(session.viewState()?.text == "[1]")
    let tokens = try bells(of: session).map { $0.arm { rings.ring() } }
    session.stop()
    #expect(rings.count == 1)
    shared.update { $0 += 1 }
    #expect(rings.count == 2)
    #expect(tokens.count == 1)
  }

  @Test func manyBells_eachRingOnce() throws {
    let topic = Topic<Int>()
    let session = try TestSession(Listener(topic: topic), effects: .running)
    let bell = try #require(try bells(of: session).first)
    let rings = (0..<10_000).map { _ in Rings() }
    let tokens = rings.map { rings in bell.arm { rings.ring() } }
    tokens[5_000].cancel()
    topic.publish(1)
    topic.publish(2)
    #expect(rings.count { $0.count == 1 } == 9_999)
    #expect(rings[5_000].count == 0)
  }

  @Test func topicThatNothingElseHolds_isKeptByTheToken() throws {
    var topic: Topic<Int>? = Topic<Int>()
    weak let kept = topic
    var session: TestSession? = try TestSession(Listener(topic: topic))
    var tokens = try bells(of: try #require(session)).map { $0.arm {} }
    session?.stop()
    session = nil
    topic = nil
    #expect(kept != nil)
    tokens = []
    #expect(kept == nil)
    #expect(tokens.isEmpty)
  }
}
