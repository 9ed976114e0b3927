import RibCore
import RibTesting
import Testing
import Wire

@Suite(.timeLimit(.minutes(5))) struct SessionContextTests {
  private struct Watch: Riblet {
    static let typeName = "Watch"
    enum InternalAction: Equatable { case clientsChanged(Int) }
    let clients: ConnectedClients
    func makeState() -> Int { 0 }
    func didBecomeActive(_ count: inout Int) -> Effect<Self> {
      .observe(clients, id: "clients") { .clientsChanged($0) }
    }
    func reduce(into count: inout Int, internalAction: InternalAction) -> Effect<Self> {
      if case .clientsChanged(let new) = internalAction { count = new }
      return .none
    }
    func view(_ count: Int) -> Int { count }
  }

  @Test func riblet_isToldHowManyThereAre_andWillBe() {
    let clients = ConnectedClients(1)
    let test = TestRiblet(Watch(clients: clients))
    test.receive(.clientsChanged(1)) { $0 = 1 }
    clients.update(to: 3)
    test.receive(.clientsChanged(3)) { $0 = 3 }
    // The same number is no news.
    clients.update(to: 3)
    #expect(clients.count == 3)
    test.skipEffectsInFlight()
  }

  /// A report on its way has how many there were; the riblet is told how many there are.
  @Test func riblet_whoseReportIsLate_isToldHowManyThereAre() async throws {
    let clients = ConnectedClients(0)
    let session = try TestSession(Watch(clients: clients))
    let effect = try #require(session.pendingEffects.first)
    let (reports, sink) = AsyncStream.makeStream(of: EffectReport.self)
    let running = Task { try await effect.run { sink.yield($0) } }
    let report = try #require(await reports.first { _ in true })
    clients.update(to: 1)
    try session.deliver(report)
    #expect(session.viewState()?.text == "1")
    running.cancel()
    try await running.value
  }

  /// Nothing wakes a session for a client that comes or goes.
  @Test func session_mayRest_andIsNotWoken() throws {
    let session = try TestSession(Watch(clients: ConnectedClients(1)))
    #expect(!session.tree.hasVolatileEffects)
    guard case .may(let bells) = session.tree.restWithClients else {
      Issue.record("The session may not rest.")
      return
    }
    #expect(bells.isEmpty)
  }
}
