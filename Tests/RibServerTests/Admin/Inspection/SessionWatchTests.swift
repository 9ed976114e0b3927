import Testing

@testable import RibCore
@testable import RibServer

struct SessionWatchTests {
  private let time = TimeSource(monotonic: { 5_000_000_000 }, wall: { 1000 })

  @Test func watch_keepsTheNewestEvents() {
    let watch = SessionWatch(InspectionClock(time))
    for number in 1...(SessionWatch.limit + 5) {
      watch.note("action", "R", "\(number)", at: 5_000_000_000, duration: 7000)
    }
    let events = watch.events(showsState: false)
    #expect(events.count == SessionWatch.limit)
    #expect(events.first?.id == 6)
    #expect(events.last?.text == "\(SessionWatch.limit + 5)")
    #expect(events.last?.time == 1_000_000)
    #expect(events.last?.duration == 7)
  }

  @Test func text_isCut() {
    let watch = SessionWatch(InspectionClock(time))
    let text = String(repeating: "x", count: 10_000)
    watch.note("undone", "", text, inFull: text, at: 0)
    for showsState in [false, true] { #expect(watch.events(showsState: showsState).first?.text.count == 300) }
  }

  @Test func whatUsersHaveTyped_isShown_onlyIfStatesAre() {
    let watch = SessionWatch(InspectionClock(time))
    watch.note(.undone(reason: "secret"), at: 0)
    watch.note(.effectStarted(token: EffectToken(number: 1), type: "Room", id: EffectID("secret")), at: 0)
    watch.note(.detached(id: 7, type: "Room"), at: 0)
    #expect(watch.events(showsState: false).map(\.text) == ["", "…", "node 7"])
    #expect(watch.events(showsState: true).map(\.text) == ["secret", "secret", "node 7"])
  }

  @Test func clock_tellsTheTimeOfDay_beforeAndAfterItsStart() {
    let clock = InspectionClock(time)
    #expect(clock.seconds(at: 7_500_000_000) == 1002)
    #expect(clock.milliseconds(at: 4_000_000_000) == 999_000)
  }
}
