import Metrics
import RibMetrics
import RibServer
import RibTestSupport
import Testing
import Wire

@testable import RibAuth

@Suite(.withIssuer, .timeLimit(.minutes(5))) struct KeyMetricsTests {
  /// Keys that come, change, and cannot be loaded.
  @Test func keys_areCounted() async throws {
    let issuer = try Issuer.shared.get()
    let folder = try ScratchFolder()
    let clock = ManualClock()
    let good = try await issuer.key("rsa-1", ["kid": "a", "use": "sig"])
    let file = try folder.write(issuer.set([good, .object(["kty": "oct", "kid": "b"])]), to: "keys.json")
    let factory = PrometheusFactory()
    let source = KeySource(
      .file(file, wall: clock.environment.time.wall), RefreshPlan.Pauses(refresh: 100, cooldown: 10, maxStale: 1000),
      for: [.rs256], clock.environment, CollectedLog().logger, KeyMetrics(factory: factory))
    let lines = { factory.text().split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init) }
    let time = clock.environment.time.wall()
    await source.loadIfDue(isMissing: false)
    #expect(
      lines() == [
        "ribserver_keys 1", "ribserver_keys_fetches_total{outcome=\"failed\"} 0",
        "ribserver_keys_fetches_total{outcome=\"succeeded\"} 1",
        "ribserver_keys_last_success_timestamp_seconds \(time)", "ribserver_keys_skipped 1",
      ])
    try folder.write("nonsense", to: "keys.json")
    clock.advance(100)
    await source.loadIfDue(isMissing: false)
    #expect(
      lines() == [
        "ribserver_keys 1", "ribserver_keys_fetches_total{outcome=\"failed\"} 1",
        "ribserver_keys_fetches_total{outcome=\"succeeded\"} 1",
        "ribserver_keys_last_success_timestamp_seconds \(time)", "ribserver_keys_skipped 1",
      ])
    try folder.write(issuer.set([good]), to: "keys.json")
    clock.advance(100)
    await source.loadIfDue(isMissing: false)
    #expect(lines().contains("ribserver_keys_skipped 0"))
    #expect(lines().contains("ribserver_keys_last_success_timestamp_seconds \(time + 200)"))
  }
}
