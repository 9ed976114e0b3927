import RibClient
import Testing

struct HeartbeatTests {
  @Test func client_isToPing_onceItWasSilentForTheInterval() {
    var heartbeat = Heartbeat(interval: 25_000, at: 1000)
    var steps = [heartbeat.step(at: 1000), heartbeat.step(at: 25_999), heartbeat.step(at: 26_000)]
    #expect(steps == [.wait(25_000), .wait(1), .ping])
    // The ping counts as sent.
    heartbeat.received(at: 26_500)
    steps = [heartbeat.step(at: 26_500), heartbeat.step(at: 50_999), heartbeat.step(at: 51_000)]
    #expect(steps == [.wait(24_500), .wait(1), .ping])
  }

  @Test func whatIsSent_putsThePingOff() {
    var heartbeat = Heartbeat(interval: 100, at: 0)
    heartbeat.sent(at: 60)
    heartbeat.received(at: 70)
    let steps = [heartbeat.step(at: 100), heartbeat.step(at: 159), heartbeat.step(at: 160)]
    #expect(steps == [.wait(60), .wait(1), .ping])
  }

  @Test func silentServer_isAskedOnce_whateverIsSent() {
    var heartbeat = Heartbeat(interval: 100, at: 0)
    heartbeat.sent(at: 90)
    let first = heartbeat.step(at: 100)
    #expect(first == .ping)
    heartbeat.sent(at: 150)
    // Not again for the server's silence; only for the client's own.
    let steps = [heartbeat.step(at: 200), heartbeat.step(at: 249), heartbeat.step(at: 250)]
    #expect(steps == [.wait(50), .wait(1), .ping])
  }

  @Test func silentServer_isGivenUp() {
    var heartbeat = Heartbeat(interval: 25_000, at: 0)
    var steps = [heartbeat.step(at: 25_000), heartbeat.step(at: 25_001), heartbeat.step(at: 34_999)]
    #expect(steps == [.ping, .wait(9999), .wait(1)])
    // What the client sends changes nothing.
    heartbeat.sent(at: 34_999)
    steps = [heartbeat.step(at: 35_000), heartbeat.step(at: 99_000)]
    #expect(steps == [.giveUp, .giveUp])
    heartbeat.received(at: 99_000)
    let after = heartbeat.step(at: 99_000)
    #expect(after == .ping)
    let last = heartbeat.step(at: 99_000)
    #expect(last == .wait(25_000))
  }

  @Test func server_isGivenUpTenSecondsAfterTheInterval_measuredFromTheLastMessage() {
    var heartbeat = Heartbeat(interval: 100, at: 0)
    heartbeat.received(at: 5000)
    heartbeat.sent(at: 15_090)
    let before = heartbeat.step(at: 15_099)
    let after = heartbeat.step(at: 15_100)
    #expect(before == .ping && after == .giveUp)
  }

  @Test func withoutAnInterval_nothingIsEverDue() {
    var heartbeat = Heartbeat(interval: 0, at: 0)
    let step = heartbeat.step(at: 1_000_000_000)
    #expect(step == .wait(nil))
  }
}
