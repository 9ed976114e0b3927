import Testing

@testable import RibServer

struct SessionWatchTests {
  private let time = TimeSource(monotonic: { 5_000_000_000 }, wall: { 1000 })

  @Test func watch_keepsTheNewestEvents() {
    let watch = SessionWatch(InspectionClock(time))
    for number in 1...(SessionWatch.limit + 5) {
      watch.note("action", "R", "\(number)", at: 5_000_000_000, duration: 7000)
    }
    #expect(watch.events.count == SessionWatch.limit)
    #expect(watch.events.first?.id == 6)
    #expect(watch.events.last?.text == "\(SessionWatch.limit + 5)")
    #expect(watch.events.last?.time == 1_000_000)
    #expect(watch.events.last?.duration == 7)
  }

  @Test func text_isCut() {
    let watch = SessionWatch(InspectionClock(time))
    watch.note("undone", "", String(repeating: "x", count: 10_000), at: 0)
    #expect(watch.events.first?.text.count == 300)
  }

  @Test func clock_tellsTheTimeOfDay_beforeAndAfterItsStart() {
    let clock = InspectionClock(time)
    #expect(clock.seconds(at: 7_500_000_000) == 1002)
    #expect(clock.milliseconds(at: 4_000_000_000) == 999_000)
  }
}
