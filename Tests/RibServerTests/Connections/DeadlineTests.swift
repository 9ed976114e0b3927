import Testing

@testable import RibServer

@Suite struct DeadlineTests {
  /// What is said of a peer that takes bytes.
  ///
  /// - Parameters:
  ///   - waiting: how many wait for it at first.
  ///   - takes: how many bytes it takes before each question.
  /// - Returns: whether it has made progress, each time that this is asked.
  private func progress(waiting: Int, takes: [Int]) -> [Bool] {
    var deadline = Deadline(since: 0)
    var (acknowledged, waiting) = (1000, waiting)
    deadline.setMilestone(at: 0, acknowledged: acknowledged, waiting: waiting)
    return takes.map { count in
      acknowledged += count
      waiting = max(waiting - count, 0)
      return deadline.reachesMilestone(at: 0, acknowledged: acknowledged, waiting: waiting)
    }
  }

  @Test func progress_isSomeOfWhatWaits() {
    // A byte now and then adds up, or is none; what is left in the end is too little to be waited for.
    let answers = progress(waiting: 10_000, takes: [0, 4095, 1, 4095, 1, 1808, 0])
    #expect(answers == [false, false, true, false, true, false, false])
  }

  /// What is sent to a peer that is well is taken at once, by its system: that says nothing of the peer.
  @Test(arguments: [(0, false), (4095, false), (4096, true)])
  func progress_isNotWhatHasComeSince(waiting: Int, isProgress: Bool) {
    #expect(progress(waiting: waiting, takes: [1_000_000]) == [isProgress])
  }

  /// Who has taken nothing is known to only if enough has waited: what has come since may have come just now.
  @Test(arguments: [(0, false), (4095, false), (4096, true)])
  func milestone_isMissedOnlyIfEnoughHasWaited(waiting: Int, isMissed: Bool) {
    var deadline = Deadline(since: 0)
    let before = deadline.missesMilestone(at: 0, acknowledged: 1000, waiting: 1_000_000)
    deadline.setMilestone(at: 0, acknowledged: 1000, waiting: waiting)
    let after = deadline.missesMilestone(at: 1, acknowledged: 1000, waiting: 1_000_000)
    #expect(!before && after == isMissed)
  }

  @Test func milestone_isNotMissedByProgress() {
    var deadline = Deadline(since: 0)
    deadline.setMilestone(at: 0, acknowledged: 1000, waiting: 10_000)
    let answers = [5096, 5100, 9192].map { deadline.missesMilestone(at: 1, acknowledged: $0, waiting: 10_000) }
    #expect(answers == [false, true, false])
  }

  @Test func progress_isNoneBeforeItIsWaitedFor() {
    var deadline = Deadline(since: 0)
    let answer = deadline.reachesMilestone(at: 0, acknowledged: .max - 1, waiting: 0)
    #expect(!answer)
  }

  /// Who takes something in every while is known to, also between two questions whether it is there.
  @Test func progress_countsUntilTheNextSignOfLife() {
    var deadline = Deadline(since: 10)
    #expect(deadline.pingTime == nil && !deadline.countsProgress)
    deadline.setMilestone(at: 35, acknowledged: 0, waiting: 10_000)
    #expect(deadline.pingTime == 35 && deadline.countsProgress)
    let isProgress = deadline.reachesMilestone(at: 45, acknowledged: 5000, waiting: 5000)
    #expect(isProgress)
    deadline.since = 45
    #expect(deadline.pingTime == nil && deadline.countsProgress)
    deadline.since = 50
    #expect(deadline.pingTime == nil && !deadline.countsProgress)
  }
}
