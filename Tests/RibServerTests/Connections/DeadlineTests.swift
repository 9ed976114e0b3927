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
    deadline.setMilestone(acknowledged: acknowledged, waiting: waiting)
    return takes.map { count in
      acknowledged += count
      waiting = max(waiting - count, 0)
      return deadline.reachesMilestone(acknowledged: acknowledged, waiting: waiting)
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

  @Test func progress_isNoneBeforeItIsWaitedFor() {
    var deadline = Deadline(since: 0)
    let answer = deadline.reachesMilestone(acknowledged: .max - 1, waiting: 0)
    #expect(!answer)
  }
}
