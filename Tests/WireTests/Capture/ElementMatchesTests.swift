import RibTestSupport
import Testing

@testable import Wire

@Suite("Which element became which")
struct ElementMatchesTests {
  private func matches(_ old: String, _ new: String) -> ElementMatches {
    var matches = ElementMatches(oldCount: old.count, newCount: new.count)
    matches.match(Array(old), Array(new))
    matches.findStays()
    return matches
  }

  @Test("the longest run that kept its order stays")
  func longestRun_stays() {
    #expect(matches("abcd", "bcda").stays == [true, true, true, false])
    #expect(matches("abcd", "dabc").stays == [false, true, true, true])
    #expect(matches("abcd", "dcba").stays.count(where: \.self) == 1)
    #expect(matches("abcdef", "acebdf").stays.count(where: \.self) == 4)
    #expect(matches("", "ab").stays == [false, false])
    #expect(matches("ab", "").isKept == [false, false])
  }

  @Test("of equal elements the first is matched with the first")
  func equalElements_areMatchedInOrder() {
    #expect(matches("aba", "aa").origins == [0, 2])
    #expect(matches("a", "aaa").origins == [0, nil, nil])
    #expect(matches("aaa", "a").isKept == [true, false, false])
  }

  @Test("what is left between two that stay is matched in order")
  func gaps_areMatched() {
    var gaps = matches("axybz", "a12b")
    gaps.matchBetweenStays()
    #expect(gaps.origins == [0, 1, 2, 3])
    #expect(gaps.isKept == [true, true, true, true, false])
    #expect(gaps.stays == [true, true, true, true])
  }

  @Test("the run is as long as one found by trying all", arguments: TestRun.seeds(81))
  func longestRun_isTheLongest(seed: UInt64) {
    var generator = SeededGenerator(state: seed)
    for _ in 0..<300 {
      let count = Int.random(in: 0...8, using: &generator)
      let old = Array(0..<count)
      let new = old.shuffled(using: &generator)
      var matches = ElementMatches(oldCount: count, newCount: count)
      matches.match(old, new)
      matches.findStays()
      let stays = new.indices.filter { matches.stays[$0] }.map { new[$0] }
      #expect(stays == stays.sorted(), "seed \(seed)")
      var longest = 0
      for choice in 0..<(1 << count) {
        let chosen = new.indices.filter { choice & (1 << $0) != 0 }.map { new[$0] }
        if chosen == chosen.sorted() { longest = max(longest, chosen.count) }
      }
      #expect(stays.count == longest, "seed \(seed)")
    }
  }

  @Test("sums are those of the slots", arguments: TestRun.seeds(83))
  func sums_areThoseOfTheSlots(seed: UInt64) {
    var generator = SeededGenerator(state: seed)
    var slots = RankedSlots(count: 37)
    var plain = Array(repeating: 0, count: 37)
    for _ in 0..<500 {
      let slot = Int.random(in: 0..<37, using: &generator)
      let amount = Int.random(in: -2...3, using: &generator)
      slots.add(amount, to: slot)
      plain[slot] += amount
      let end = Int.random(in: 0..<37, using: &generator)
      #expect(slots.count(through: end) == plain[...end].reduce(0, +))
    }
  }
}
