/// What the store has answered, and a loop has not yet told those who have asked.
///
/// A store answers many at once: sixty sessions that are woken together are each restored when their answer is told. So a loop
/// tells them for a while, and does whatever else it has to do before it goes on.
struct StoreAnswers {
  /// How long answers are told without a break, in nanoseconds.
  static let turn: UInt64 = 2_000_000

  private var jobs: [StoreJob] = []
  /// How many of them have been told.
  private var done = 0

  /// Whether all are told.
  var isEmpty: Bool { jobs.isEmpty }

  /// Takes answers in.
  ///
  /// - Parameter answers: in the order in which they are to be told.
  mutating func append(_ answers: [StoreJob]) {
    if isEmpty { (jobs, done) = (answers, 0) } else { jobs += answers }
  }

  /// Gives out the one that is to be told next.
  ///
  /// - Returns: nil if there is none.
  mutating func next() -> StoreJob? {
    guard !jobs.isEmpty else { return nil }
    defer {
      done += 1
      // Those who have asked are not kept any longer.
      if done == jobs.count { (jobs, done) = ([], 0) }
    }
    return jobs[done]
  }
}
