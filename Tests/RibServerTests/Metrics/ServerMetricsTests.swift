import CurlTransport
import Logging
import Metrics
import MetricsTestKit
import RibCore
import Testing
import Wire

@testable import RibServer

struct ServerMetricsTests {
  @Test func storeThatFails_isCounted() async throws {
    let backend = TestMetrics()
    let store = SwitchedStore(MemoryStore())
    let loop = try EventLoop(name: "test", linger: 0, usesEpoll: true, messageLimit: 1000)
    let writer = StoreWriter(
      store, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, ServerMetrics(factory: backend)
    ) {}
    let gauge = try backend.expectGauge("ribserver_store_failing")
    let commits = try backend.expectCounter("ribserver_store_commits_total")
    writer.submit([StoreJob(.probe, on: loop), StoreJob(.probe, on: loop)])
    #expect(await eventually { commits.totalValue == 1 })
    #expect(try backend.expectRecorder("ribserver_store_commit_requests").values == [2])
    #expect(try backend.expectTimer("ribserver_store_commit_seconds").values.count == 1)
    store.fail(true)
    writer.submit([StoreJob(.probe, on: loop)])
    #expect(await eventually { gauge.lastValue == 1 })
    #expect(try backend.expectCounter("ribserver_store_failed_commits_total").totalValue == 1)
    store.fail(false)
    #expect(await eventually { gauge.lastValue == 0 })
    await writer.close()
    loop.stop()
  }

  /// Takes as long as is worth a line, or no time.
  private struct Dawdler: Riblet {
    static let typeName = "Dawdler"
    enum ViewAction: String, Codable { case hurry, dawdle }
    struct State: Codable, Equatable { var count = 0 }
    func makeState() -> State { State() }
    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      state.count += 1
      let end = ContinuousClock.now + .milliseconds(viewAction == .dawdle ? 11 : 0)
      while ContinuousClock.now < end {}
      return .none
    }
    func view(_ state: State) -> Int { state.count }
  }

  @Test func sessionsThatRest_wake_orDawdle_areCounted() async throws {
    let backend = TestMetrics()
    let host = try StoreHost(
      [App("dawdler") { Dawdler() }], on: MemoryStore(), metrics: ServerMetrics(factory: backend),
      { $0.sessions.idleRestSeconds = 1 })
    let rested = try backend.expectCounter("ribserver_sessions_rested_total")
    let woken = try backend.expectCounter("ribserver_sessions_woken_total")
    let slow = try backend.expectCounter("ribserver_slow_transactions_total")
    let client = try await blocking { try PlainClient(host.url, app: "dawdler") }
    for round in 1...2 {
      #expect(await eventually { rested.totalValue == Int64(round) })
      #expect(woken.totalValue == Int64(round - 1))
      try await blocking {
        try client.act(round, round == 1 ? #""hurry""# : #""dawdle""#)
        try client.next(#"{"t":"patch""#)
      }
      #expect(woken.totalValue == Int64(round))
    }
    #expect(slow.totalValue >= 1)
    client.cut()
    await host.stop()
  }
}
