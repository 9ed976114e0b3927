import RibTestSupport
import Testing

@testable import RibCore

struct EntryChangeTests {
  private func change(_ old: String, _ new: String) -> EntryChange { EntryChange(from: Array(old), to: Array(new)) }

  @Test func insertion_movesWhatIsBehindIt() {
    let change = change("abc", "axbc")
    #expect(change.origins == [0, nil, 1, 2])
    #expect(change.destinations == [0, 2, 3])
    #expect(!change.isNone && !change.hasDuplicates)
  }

  @Test func removal_movesWhatIsBehindIt() {
    let change = change("abcd", "acd")
    #expect(change.origins == [0, 2, 3])
    #expect(change.destinations == [0, nil, 1, 2])
  }

  @Test func equalLists_areNoChange() {
    #expect(change("abc", "abc").isNone && change("", "").isNone)
    #expect(!change("abc", "acb").isNone && !change("", "a").isNone && !change("a", "").isNone)
  }

  /// Where the later list has equal entries, the first of them counts, also if the ends of both lists are equal.
  @Test(
    arguments: [
      ("ab", "bab", [1, 0]), ("ab", "aab", [0, 2]), ("ab", "aba", [0, 1]), ("a", "xx", [nil]), ("ab", "abb", [0, 1]),
      ("abc", "acbbc", [0, 2, 1]),
    ] as [(String, String, [Int?])])
  func equalEntries_countOnce(old: String, new: String, destinations: [Int?]) {
    #expect(change(old, new).hasDuplicates)
    #expect(change(old, new).destinations == destinations)
  }

  /// As a search through the whole lists finds it.
  @Test(arguments: TestRun.seeds(1, new: 1)) func randomChange_isWhatASearchFinds(seed: UInt64) {
    var random = SeededGenerator(state: seed)
    for _ in 1...2_000 {
      let letters = Int.random(in: 1...30, using: &random)
      let old = Array((0..<letters).shuffled(using: &random).prefix(Int.random(in: 0...letters, using: &random)))
      var new = old
      for _ in 0..<Int.random(in: 0...24, using: &random) {
        let place = Int.random(in: 0...new.count, using: &random)
        switch Int.random(in: 0...2, using: &random) {
        case 0: new.insert(Int.random(in: 0..<letters + 5, using: &random), at: place)
        case 1 where place < new.count: new.remove(at: place)
        default: new.shuffle(using: &random)
        }
      }
      let change = EntryChange(from: old, to: new)
      #expect(change.isNone == (old == new), "\(old) \(new)")
      #expect(change.hasDuplicates == (Set(new).count < new.count), "\(old) \(new)")
      #expect(change.destinations == old.map { new.firstIndex(of: $0) }, "\(old) \(new)")
      if !change.hasDuplicates { #expect(change.origins == new.map { old.firstIndex(of: $0) }, "\(old) \(new)") }
    }
  }
}
