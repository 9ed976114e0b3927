import Testing

@testable import RibServer

/// When a loop counts as hung; that the process ends then is in `PoisonTests`.
@Suite struct WatchdogTests {
  private static func looks(_ limit: Int, _ progress: [(UInt64, UInt64)]) -> [Bool] {
    var watch = TurnWatch(limit: limit)
    return progress.map { watch.look(TurnWatch.Progress(turn: $0.0, begun: $0.1)) }
  }

  @Test func sameTurnAtEveryLook_hangsAfterTheLimit() {
    #expect(Self.looks(3, Array(repeating: (5, 2), count: 5)) == [false, false, false, true, true])
    #expect(Self.looks(1, Array(repeating: (5, 2), count: 2)) == [false, true])
  }

  /// A loop that waits for events stands still for as long as there are none.
  @Test func loopInNoTurn_neverHangs() {
    #expect(!Self.looks(1, Array(repeating: (6, 2), count: 100)).contains(true))
  }

  /// A long turn in which one action comes after the other is none that hangs, nor is one turn after the other.
  @Test func progress_beginsANewCount() {
    #expect(!Self.looks(1, (0..<100).map { (5, $0) }).contains(true))
    #expect(!Self.looks(1, (0..<100).map { (2 * $0 + 1, 0) }).contains(true))
    #expect(Self.looks(1, [(5, 1), (5, 2), (6, 2), (7, 2), (7, 2)]) == [false, false, false, false, true])
  }
}
