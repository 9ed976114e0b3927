import CurlTransport
import Logging
import Metrics
import MetricsTestKit
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
}
