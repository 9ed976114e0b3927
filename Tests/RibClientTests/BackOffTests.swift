import RibClient
import Testing
import Wire

struct BackOffTests {
  /// The lowest and the highest wait of each attempt after the same ending.
  private static func ranges(of endings: [Bye.Return]) -> [[Int?]] {
    var (low, high) = (Draws.lowest, Draws.highest)
    var (lowest, highest) = (BackOff(), BackOff())
    return endings.map { [lowest.delay(after: $0, using: &low), highest.delay(after: $0, using: &high)] }
  }

  @Test(arguments: [.atOnce, .asNewSession] as [Bye.Return])
  func waits_atOnce_growFrom50MillisecondsTo30Seconds(ending: Bye.Return) {
    let ranges = Self.ranges(of: Array(repeating: ending, count: 12))
    let ceilings = [50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]
    #expect(ranges == ceilings.map { [0, $0] })
  }

  @Test func waits_later_areOfASecondAtLeast() {
    let ranges = Self.ranges(of: Array(repeating: .later, count: 6))
    #expect(ranges == [2000, 4000, 8000, 16_000, 30_000, 30_000].map { [1000, $0] })
  }

  @Test func waits_growWhateverTheEndings() {
    let ranges = Self.ranges(of: [.atOnce, .later, .atOnce, .asNewSession, .later])
    #expect(ranges == [[0, 50], [1000, 2000], [0, 4000], [0, 8000], [1000, 16_000]])
    // What has grown beyond that stays.
    let grown = Self.ranges(of: Array(repeating: .atOnce, count: 8) + [.later])
    #expect(grown.last == [1000, 12_800])
  }

  @Test func ending_withoutReturn_isFinal() {
    var (backOff, draws) = (BackOff(), Draws.highest)
    let never = backOff.delay(after: .not, using: &draws)
    let first = backOff.delay(after: .atOnce, using: &draws)
    #expect(never == nil && first == 50)
  }

  @Test func success_beginsAnew() {
    var (backOff, draws) = (BackOff(), Draws.highest)
    for _ in 0..<5 { _ = backOff.delay(after: .atOnce, using: &draws) }
    backOff.succeeded()
    let waits = [Bye.Return.atOnce, .atOnce].map { backOff.delay(after: $0, using: &draws) }
    #expect(waits == [50, 100])
  }

  @Test func waits_areSpreadOverTheWholeRange() {
    var draws = SeededDraws(state: 7)
    var thirds = [0, 0, 0]
    for _ in 0..<3000 {
      var backOff = BackOff()
      let wait = backOff.delay(after: .atOnce, using: &draws) ?? -1
      #expect(0...50 ~= wait)
      thirds[min(max(wait, 0) / 17, 2)] += 1
    }
    #expect(thirds.allSatisfy { 900...1100 ~= $0 }, "\(thirds)")
  }

  @Test func drainedClients_leaveWithinTheTimeThatTheServerHas() {
    let backOff = BackOff()
    var (low, high) = (Draws.lowest, Draws.highest)
    #expect(backOff.delay(drainedWithin: 8000, using: &low) == 0)
    #expect(backOff.delay(drainedWithin: 8000, using: &high) == 8000)
    #expect(backOff.delay(drainedWithin: 0, using: &high) == 0)
    #expect(backOff.delay(drainedWithin: -1, using: &high) == 0)
    var draws = SeededDraws(state: 8)
    var sum = 0
    for _ in 0..<2000 { sum += backOff.delay(drainedWithin: 1000, using: &draws) }
    #expect(460...540 ~= sum / 2000)
  }
}
