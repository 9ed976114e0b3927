import Testing

@testable import RibServer

@Suite struct TokenBucketTests {
  @Test func burst_isTakenWithoutWaiting_andThenTheRateHolds() {
    var bucket = TokenBucket(TokenBucket.Rate(50, burst: 100))
    let waits = (0..<103).map { _ in bucket.take(1, at: 1_000_000_000) }
    #expect(waits.prefix(99).allSatisfy { $0 == 0 })
    // The hundredth empties the bucket: the next is due a fiftieth of a second later.
    #expect(Array(waits.suffix(4)) == [20_000_000, 40_000_000, 60_000_000, 80_000_000])
  }

  @Test func bucket_fillsUpAgainAndNotBeyond() {
    var bucket = TokenBucket(TokenBucket.Rate(10, burst: 2))
    let waits = [0, 0, 3_600_000_000_000, 3_600_000_000_000].map { bucket.take(1, at: $0) }
    #expect(waits == [0, 100_000_000, 0, 100_000_000])
  }

  @Test func rateOfZero_isNoLimit() {
    var bucket = TokenBucket(TokenBucket.Rate(0, burst: 0))
    let waits = (0..<10_000).map { _ in bucket.take(1, at: 5) }
    #expect(waits.allSatisfy { $0 == 0 })
  }

  @Test func clientThatKeepsToItsWaits_getsItsRate() {
    var bucket = TokenBucket(TokenBucket.Rate(100, burst: 1))
    var now: UInt64 = 7
    for _ in 0..<1000 { now += bucket.take(1, at: now) }
    #expect(now == 7 + 1000 * 10_000_000)
  }

  @Test func wait_takesNothing() {
    var bucket = TokenBucket(TokenBucket.Rate(10, burst: 2))
    let waits = (0..<3).map { _ in
      let wait = bucket.wait(at: 7)
      _ = bucket.take(1, at: 7)
      return wait
    }
    #expect(waits == [0, 0, 100_000_000] && bucket.wait(at: 7) == 200_000_000 && bucket.wait(at: 7) == 200_000_000)
  }

  /// What goes beyond the longest wait is forgiven: the next token is there after it.
  @Test func longestWait_isTheEndOfADebt() {
    var bucket = TokenBucket(TokenBucket.Rate(10, burst: 2))
    let wait = bucket.take(1_000, at: 7, longest: 3_000_000_000)
    #expect(wait == 3_000_000_000 && bucket.wait(at: 7) == wait && bucket.wait(at: 7 + wait) == 0)
  }
}
