import Testing

@testable import RibServer

@Suite struct StoreHealthTests {
  private static let second: UInt64 = 1_000_000_000

  @Test func pause_isLongerEachTime() {
    var health = StoreHealth()
    #expect(!health.isFailing)
    #expect(health.didFail(at: 0) == 50)
    #expect(health.isFailing)
    // That is known.
    #expect(health.didFail(at: 1) == nil)
    let pauses = (1...7).map { _ in health.didTry(works: false, at: 2) }
    #expect(pauses == [100, 200, 400, 800, 1600, 2000, 2000])
    #expect(health.didTry(works: true, at: 3) == nil)
    #expect(!health.isFailing)
  }

  /// A store that takes nothing but the question whether it works is not asked as fast as it answers.
  @Test func storeThatOnlySeemsToWork_isNotTrusted() {
    var health = StoreHealth()
    for (round, pause) in [50, 100, 200, 400, 800, 1600, 2000, 2000].enumerated() {
      let now = UInt64(round) * Self.second
      #expect(health.didFail(at: now) == pause)
      #expect(health.didTry(works: true, at: now) == nil)
    }
  }

  @Test func storeThatHasWorkedForAWhile_isTrusted() {
    var health = StoreHealth()
    _ = health.didFail(at: 0)
    _ = health.didTry(works: false, at: 0)
    _ = health.didTry(works: true, at: Self.second)
    #expect(health.didFail(at: 11 * Self.second) == 50)
    _ = health.didTry(works: true, at: 11 * Self.second)
    #expect(health.didFail(at: 20 * Self.second) == 100)
  }

  @Test func tryOfAStoreThatWorks_isNoNews() {
    var health = StoreHealth()
    #expect(health.didTry(works: false, at: 0) == nil)
    #expect(!health.isFailing)
  }
}
