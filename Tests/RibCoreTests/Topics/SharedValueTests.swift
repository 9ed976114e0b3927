import RibCore
import RibTesting
import Testing
import Wire

@Suite(.timeLimit(.minutes(5))) struct SharedValueTests {
  /// Adds to a number that it shares.
  private struct Adder: Riblet {
    static let typeName = "Adder"

    enum ViewAction: Decodable { case add([Int]), stumble }
    enum InternalAction: Sendable { case changed(Int) }

    let total: SharedValue<Int>

    func makeState() -> Double { 0 }

    func didBecomeActive(_ state: inout Double) -> Effect<Self> { .observe(total, id: "total") { .changed($0) } }

    func reduce(into state: inout Double, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .add(let numbers): return .merge(numbers.map { number in .update(total) { $0 += number } })
      case .stumble:
        state = .nan
        return .update(total) { $0 = 0 }
      }
    }

    func reduce(into state: inout Double, internalAction: InternalAction) -> Effect<Self> {
      if case .changed(let total) = internalAction { state = Double(total) }
      return .none
    }

    func view(_ state: Double) -> Double { state }
  }

  @Test func observer_isToldWhatItIs_andWhatItBecomes() async {
    let shared = SharedValue(1)
    shared.update { $0 += 1 }
    var values = shared.subscribe().makeAsyncIterator()
    #expect(await values.next() == 2)
    shared.update { $0 += 1 }
    #expect(await values.next() == 3)
    #expect(shared.value == 3)
  }

  @Test func observer_thatIsBusy_isToldTheLast() async {
    let shared = SharedValue(0)
    var values = shared.subscribe().makeAsyncIterator()
    for _ in 1...5 { shared.update { $0 += 1 } }
    #expect(await values.next() == 5)
  }

  @Test func observer_thatIsGone_isForgotten() {
    let shared = SharedValue(0)
    var stream: AsyncStream<Int>? = shared.subscribe()
    #expect(shared.subscriberCount == 1)
    withExtendedLifetime(stream) {}
    stream = nil
    #expect(shared.subscriberCount == 0)
  }

  @Test func changes_addUp() async {
    let shared = SharedValue(2)
    let values = shared.subscribe()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 { group.addTask { shared.update { $0 += 1 } } }
      var last = 0
      for await value in values {
        #expect(value > last)
        last = value
        if value == 52 { break }
      }
    }
    #expect(shared.value == 52)
  }

  @Test func sessions_shareIt() throws {
    let total = SharedValue(7)
    let one = try TestSession(Adder(total: total), effects: .running)
    let other = try TestSession(Adder(total: total), effects: .running)
    #expect(one.viewState()?.text == "7")
    try one.act(#"{"add":[1,2]}"#)
    try other.act(#"{"add":[10]}"#)
    for session in [one, other] { #expect(session.viewState()?.text == "20") }
  }

  /// A report on its way has what was read before the value became another one; the riblet is told what it is.
  @Test func observer_whoseReportIsLate_isToldWhatItIsNow() async throws {
    let total = SharedValue(7)
    let session = try TestSession(Adder(total: total))
    let effect = try #require(session.pendingEffects.first)
    let (reports, sink) = AsyncStream.makeStream(of: EffectReport.self)
    let running = Task { try await effect.run { sink.yield($0) } }
    let report = try #require(await reports.first { _ in true })
    total.update { $0 = 9 }
    try session.deliver(report)
    #expect(session.viewState()?.text == "9")
    running.cancel()
    try await running.value
  }

  @Test func update_ofATransactionThatIsUndone_isNone() throws {
    let total = SharedValue(7)
    let session = try TestSession(Adder(total: total), effects: .running)
    #expect(throws: Refusal.self) { try session.act(#""stumble""#) }
    #expect(total.value == 7)
    #expect(session.viewState()?.text == "7")
  }
}
