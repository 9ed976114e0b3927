import Testing

@testable import RibServer

@Suite struct TokenBucketTests {
  @Test func burst_isTakenWithoutWaiting_andThenTheRateHolds() {
    var bucket = TokenBucket(rate: 50, burst: 100)
    let waits = (0..<103).map { _ in bucket.take(1, at: 1_000_000_000) }
    #expect(waits.prefix(99).allSatisfy { $0 == 0 })
    // The hundredth empties the bucket: the next is due a fiftieth of a second later.
    #expect(Array(waits.suffix(4)) == [20_000_000, 40_000_000, 60_000_000, 80_000_000])
  }

  @Test func bucket_fillsUpAgainAndNotBeyond() {
    var bucket = TokenBucket(rate: 10, burst: 2)
    let waits = [0, 0, 3_600_000_000_000, 3_600_000_000_000].map { bucket.take(1, at: $0) }
    #expect(waits == [0, 100_000_000, 0, 100_000_000])
  }

  @Test func rateOfZero_isNoLimit() {
    var bucket = TokenBucket(rate: 0, burst: 0)
    let waits = (0..<10_000).map { _ in bucket.take(1, at: 5) }
    #expect(waits.allSatisfy { $0 == 0 })
  }

  @Test func clientThatKeepsToItsWaits_getsItsRate() {
    var bucket = TokenBucket(rate: 100, burst: 1)
    var now: UInt64 = 7
    for _ in 0..<1000 { now += bucket.take(1, at: now) }
    #expect(now == 7 + 1000 * 10_000_000)
  }
}
