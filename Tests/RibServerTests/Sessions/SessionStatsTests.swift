import Testing

@testable import RibServer

struct SessionStatsTests {
  private let second: UInt64 = 1_000_000_000

  /// Every session in memory has them.
  @Test func stats_takeSixtyFourBytes() { #expect(MemoryLayout<SessionStats>.size <= 64) }

  @Test func transactions_areSummed_andTheLongestIsKept() {
    var stats = SessionStats(at: 7 * second)
    stats.noteTransaction(2_000_000, isSlow: false)
    stats.noteTransaction(11_000_000, isSlow: true)
    stats.noteTransaction(1000, isSlow: false)
    stats.noteSnapshot()
    #expect(stats.busy == 13_001_000)
    #expect(stats.longest == 11_000)
    #expect(stats.slow == 1)
    #expect(stats.snapshots == 1)
    #expect(stats.start == 7 * second)
  }

  @Test func lastMinute_slides() {
    var stats = SessionStats(at: 0)
    for _ in 0..<60 { stats.noteAction(at: 30 * second) }
    stats.notePatch(bytes: 600, at: 59 * second)
    #expect(stats.lastMinute(at: 59 * second) == (60, 600))
    // Half of the minute before is over for less than sixty seconds.
    #expect(stats.lastMinute(at: 90 * second) == (30, 300))
    stats.noteAction(at: 90 * second)
    #expect(stats.lastMinute(at: 90 * second).actions == 31)
    #expect(stats.lastMinute(at: 119 * second).actions == 2)
    #expect(stats.lastMinute(at: 180 * second) == (0, 0))
    #expect(stats.actions == 61)
    #expect(stats.patchBytes == 600)
  }
}
