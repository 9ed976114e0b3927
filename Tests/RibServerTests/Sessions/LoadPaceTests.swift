import Testing

@testable import RibServer

@Suite struct LoadPaceTests {
  private static let second: UInt64 = 1_000_000_000

  /// Has all answered that wait, at a pace.
  private static func answerAll(_ pace: inout LoadPace, every interval: UInt64, from start: UInt64) -> UInt64 {
    var now = start
    while pace.count > 0 {
      now += interval
      pace.leave(at: now)
    }
    return now
  }

  /// How many are let in at one time.
  private static func fill(_ pace: inout LoadPace, at now: UInt64) -> Int {
    var count = 0
    while pace.enter(at: now) { count += 1 }
    return count
  }

  @Test(arguments: [(nanoseconds: UInt64(100_000), limit: 50_000), (2_000_000, 2500)])
  func limit_isWhatIsReadInTime(_ store: (nanoseconds: UInt64, limit: Int)) {
    var pace = LoadPace()
    #expect(Self.fill(&pace, at: 0) == 5000)
    let now = Self.answerAll(&pace, every: store.nanoseconds, from: 0)
    let count = Self.fill(&pace, at: now)
    #expect(abs(count - store.limit) < store.limit / 50)
  }

  /// Those that were read by one commit are answered together.
  @Test func limit_isAsThatOfSingleAnswers_ifThereAreManyAtATime() {
    var (pace, now) = (LoadPace(), UInt64(0))
    for _ in 0..<5000 { _ = pace.enter(at: 0) }
    while pace.count > 64 {
      now += 64 * 1_000_000
      for _ in 0..<64 { pace.leave(at: now) }
    }
    #expect((3500...7500).contains(pace.limit))
  }

  @Test func slowStore_hasSomeWaitNevertheless() {
    var pace = LoadPace()
    _ = Self.fill(&pace, at: 0)
    let now = Self.answerAll(&pace, every: Self.second, from: 0)
    #expect(Self.fill(&pace, at: now) == LoadPace.leastLimit)
  }

  /// What a lone read takes is the time of a commit, which others would share.
  @Test func loneRead_saysNothingOfManyAtATime() {
    var pace = LoadPace()
    for turn in 0..<1000 as Range<UInt64> {
      let isIn = pace.enter(at: turn * Self.second)
      #expect(isIn)
      pace.leave(at: turn * Self.second + Self.second / 10)
    }
    #expect(pace.limit == 5000)
  }

  @Test func storeThatDoesNotAnswer_hasNobodyElseWait() {
    var pace = LoadPace()
    let entries = [0, LoadPace.patience, LoadPace.patience + 1].map { pace.enter(at: $0) }
    #expect(entries == [true, true, false])
    pace.leave(at: LoadPace.patience + 2)
    let isIn = pace.enter(at: LoadPace.patience + 3)
    #expect(isIn)
  }

  @Test func readThatIsCancelled_givesItsPlaceBack() {
    var pace = LoadPace()
    let count = Self.fill(&pace, at: 0)
    pace.cancel()
    #expect(pace.count == count - 1)
    #expect(Self.fill(&pace, at: 0) == 1)
    // The store has not answered.
    pace.cancel()
    let isIn = pace.enter(at: LoadPace.patience + 1)
    #expect(!isIn)
  }

  /// The time in which the store was away is not what a session takes.
  @Test func outage_saysNothingOfThePace() {
    var pace = LoadPace()
    _ = Self.fill(&pace, at: 0)
    let limit = pace.limit
    pace.fail()
    pace.leave(at: 30_000_000_000)
    #expect(pace.limit == limit)
    // From then on it goes on.
    pace.leave(at: 30_000_000_000 + 100_000_000)
    #expect(pace.limit < limit)
  }

  /// A database that refuses everything at once does not read sessions quickly.
  @Test func failures_sayNothingOfThePace() {
    var pace = LoadPace()
    let count = Self.fill(&pace, at: 0)
    for turn in 0..<UInt64(count) { pace.leaveUnread(at: turn) }
    #expect(pace.limit == count)
  }
}
