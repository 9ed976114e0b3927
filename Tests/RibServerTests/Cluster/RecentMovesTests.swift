import Testing

@testable import RibServer

@Suite struct RecentMovesTests {
  private static let second: UInt64 = 1_000_000_000

  @Test func sessionThatHasCome_staysForTenSeconds() {
    var moves = RecentMoves(stay: 10 * Self.second)
    moves.note("a", at: 5 * Self.second)
    for (time, isRecent) in [(5, true), (14, true), (15, false), (30, false)] as [(UInt64, Bool)] {
      #expect(moves.contains("a", at: time * Self.second) == isRecent)
    }
    #expect(!moves.contains("b", at: 5 * Self.second))
  }

  /// Whatever else comes meanwhile; and what is long past takes no memory.
  @Test func others_changeNothing() {
    var moves = RecentMoves(stay: 10 * Self.second)
    for time in 0..<100 as Range<UInt64> {
      moves.note("\(time)", at: time * Self.second)
      for earlier in 0...time {
        #expect(moves.contains("\(earlier)", at: time * Self.second) == (time - earlier < 10))
      }
    }
    moves.note("5", at: 100 * Self.second)
    #expect(moves.contains("5", at: 109 * Self.second))
    let kept = Mirror(reflecting: moves).children.compactMap { $0.value as? [String: UInt64] }.map(\.count)
    #expect(kept.reduce(0, +) <= 20)
  }
}
