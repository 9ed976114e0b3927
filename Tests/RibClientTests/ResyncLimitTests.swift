import Testing

@testable import RibClient

struct ResyncLimitTests {
  @Test func sixInAnyMinute_areAllowed() {
    var limit = ResyncLimit()
    var taken: [Bool] = []
    for time in [0, 0, 1, 30_000, 59_998, 59_998, 59_999] { taken.append(limit.take(at: time)) }
    #expect(taken == [true, true, true, true, true, true, false])
    // The two first ones have left the minute; what was not allowed did not enter it.
    taken = []
    for time in [60_000, 60_000, 60_000, 60_001, 60_001, 89_999, 90_000, 90_001] { taken.append(limit.take(at: time)) }
    #expect(taken == [true, true, false, true, false, false, true, false])
  }
}
