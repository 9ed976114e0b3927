import Testing

@testable import RibServer

@Suite struct CommitPaceTests {
  @Test func firstCommit_waitsForNothing() {
    let pace = CommitPace()
    #expect(pace.wait(with: 1, at: 0) == nil)
  }

  /// A session alone is never kept waiting.
  @Test func commitAfterFew_waitsForNothing() {
    var pace = CommitPace()
    pace.didCommit(7, with: 20, from: 0, to: 500_000)
    #expect(pace.wait(with: 1, at: 500_000) == nil)
  }

  @Test func commitAfterMany_waitsForThose_asLongAsThatOneTook() {
    var pace = CommitPace()
    pace.didCommit(8, with: 5, from: 100_000, to: 500_000)
    #expect(pace.wait(with: 12, at: 500_000)?.count == 13)
    #expect(pace.wait(with: 1, at: 500_000)?.end == 900_000)
    #expect(pace.wait(with: 13, at: 500_000) == nil, "all who were answered have asked again")
    #expect(pace.wait(with: 1, at: 900_000) == nil)
  }

  /// A batch has no room for more.
  @Test func wait_isForOneBatchAtMost() {
    var pace = CommitPace()
    pace.didCommit(500, with: 100, from: 0, to: 500_000)
    #expect(pace.wait(with: 511, at: 500_000)?.count == 512)
    #expect(pace.wait(with: 512, at: 500_000) == nil)
  }

  /// On a slow disk, or after a clock that was read in another order.
  @Test func wait_isAMillisecondAtMost() {
    var pace = CommitPace()
    pace.didCommit(100, with: 1, from: 0, to: 30_000_000)
    #expect(pace.wait(with: 1, at: 30_000_000)?.end == 31_000_000)
    pace.didCommit(100, with: 1, from: 50, to: 40)
    #expect(pace.wait(with: 1, at: 40) == nil)
  }
}
