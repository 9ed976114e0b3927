import Testing

@testable import RibServer

/// When a loop counts as hung; that the process ends then is in `PoisonTests`.
@Suite struct WatchdogTests {
  private static func looks(_ limit: Int, _ progress: [(UInt64, UInt64)]) -> [Bool] {
    var watch = TurnWatch(limit: limit)
    return progress.map { watch.look(TurnWatch.Progress(turn: $0.0, begun: $0.1)) == .hanging }
  }

  /// An operator is told at half time, once; a probe as long as it lasts.
  @Test func loopThatStandsStillForHalfTheLimit_isLate() {
    var watch = TurnWatch(limit: 6)
    let findings = (1...8).map { _ in watch.look(TurnWatch.Progress(turn: 5, begun: 2)) }
    #expect(findings == [.fine, .fine, .fine, .late, .fine, .fine, .hanging, .hanging])
    #expect(watch.isLate)
    #expect(watch.look(TurnWatch.Progress(turn: 7, begun: 2)) == .fine)
    #expect(!watch.isLate)
    #expect((1...4).map { _ in watch.look(TurnWatch.Progress(turn: 7, begun: 2)) } == [.fine, .fine, .late, .fine])
  }

  /// One look finds only that it is busy.
  @Test func loopThatIsBusyOnce_isNotLate() {
    var watch = TurnWatch(limit: 1)
    #expect(watch.look(TurnWatch.Progress(turn: 5, begun: 2)) == .fine)
    #expect(!watch.isLate)
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
