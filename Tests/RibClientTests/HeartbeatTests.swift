import RibClient
import Testing

struct HeartbeatTests {
  private static let interval = 25_000
  private var heartbeat = Heartbeat(interval: interval, at: 0)
  private var now = 0

  /// Lets time pass until something is to be done, and expects what that is, and after how long.
  private mutating func expect(
    _ step: Heartbeat.Step, after wait: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    if wait > 0 {
      let first = heartbeat.step(at: now)
      #expect(first == .wait(wait), sourceLocation: sourceLocation)
      let early = heartbeat.step(at: now + wait - 1)
      #expect(early == .wait(1), sourceLocation: sourceLocation)
    }
    now += wait
    let due = heartbeat.step(at: now)
    #expect(due == step, sourceLocation: sourceLocation)
  }

  private mutating func receive() { heartbeat.received(at: now) }

  @Test mutating func client_isToPing_onceItWasSilentForTheInterval() {
    now = 20_000
    receive()
    expect(.ping, after: 5000)
    // The ping counts as sent.
    receive()
    expect(.ping, after: Self.interval)
  }

  @Test mutating func whatIsSent_putsThePingOff_unlessTheServerIsSilent() {
    now = 20_000
    heartbeat.sent(at: now)
    receive()
    expect(.ping, after: Self.interval)
    receive()
    now += 20_000
    heartbeat.sent(at: now)
    expect(.ping, after: 5000)
  }

  @Test mutating func silentServer_isAskedOnce_andGivenUpTenSecondsAfterTheInterval_whateverIsSent() {
    now = 15_000
    receive()
    expect(.ping, after: 10_000)
    heartbeat.sent(at: now + 1)
    expect(.giveUp, after: 15_000 + Heartbeat.grace)
    expect(.giveUp, after: 0)
    receive()
    // The client itself was silent for nearly as long.
    expect(.ping, after: 1)
  }

  @Test mutating func clientThatWasHeldUp_asksBeforeItGivesUp() {
    now = 3_600_000
    expect(.ping, after: 0)
    expect(.giveUp, after: Heartbeat.grace)
  }

  @Test mutating func actionWithoutAnAnswer_isDoubtedAfterThreeSeconds_andTheConnectionGivenUpFiveLater() {
    now = 10_000
    heartbeat.sent(at: now)
    heartbeat.answered(through: 0, isAll: false, at: now)
    expect(.ping, after: 3000)
    expect(.giveUp, after: 5000)
  }

  @Test mutating func actionWhileAPingIsOut_hasNoMoreTime() {
    expect(.ping, after: Self.interval)
    heartbeat.answered(through: 0, isAll: false, at: now)
    expect(.giveUp, after: 8000)
  }

  @Test mutating func serverThatTakesItsTime_isAskedLessAndLessOften() {
    heartbeat.answered(through: 0, isAll: false, at: now)
    for wait in [3000, 6000, 12_000, 24_000, Self.interval, Self.interval] {
      expect(.ping, after: wait)
      receive()
      heartbeat.answered(through: 0, isAll: false, at: now)
    }
    // Another action has its answer: the next one is another matter.
    heartbeat.answered(through: 1, isAll: false, at: now)
    expect(.ping, after: 3000)
    receive()
    heartbeat.answered(through: 2, isAll: true, at: now)
    expect(.ping, after: Self.interval)
  }

  @Test mutating func whatIsReceived_showsThatTheServerIsThere() {
    heartbeat.answered(through: 0, isAll: false, at: now)
    now = 2999
    receive()
    expect(.ping, after: 3000)
  }

  @Test mutating func clientThatIsBack_asksAtOnce_andWaitsFiveSeconds() {
    now = 20_000
    heartbeat.woke(at: now)
    expect(.ping, after: 0)
    expect(.giveUp, after: 5000)
    receive()
    // What has just come is proof enough.
    heartbeat.woke(at: now)
    expect(.ping, after: 20_000)
    heartbeat.woke(at: now)
    expect(.giveUp, after: 5000)
  }

  /// A long view takes its time, and a pong waits behind it.
  @Test mutating func serverThatHasNotRespondedInTime_hasMoreOnTheNextConnection_untilItHas() {
    for limit in [5000, 10_000, 20_000, 35_000, 35_000] {
      heartbeat.answered(through: 0, isAll: false, at: now)
      expect(.ping, after: 3000)
      expect(.giveUp, after: limit)
      heartbeat = Heartbeat(interval: Self.interval, at: now, after: heartbeat)
    }
    heartbeat.answered(through: 0, isAll: false, at: now)
    expect(.ping, after: 3000)
    receive()
    expect(.ping, after: 6000)
    expect(.giveUp, after: 5000)
  }

  @Test func withoutAnInterval_nothingIsEverDue() {
    var heartbeat = Heartbeat(interval: 0, at: 0)
    heartbeat.answered(through: 0, isAll: false, at: 0)
    heartbeat.woke(at: 1)
    let step = heartbeat.step(at: 1_000_000_000)
    #expect(step == .wait(nil))
  }
}
