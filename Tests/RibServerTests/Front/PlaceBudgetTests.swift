import Testing

@testable import RibServer

@Suite struct PlaceBudgetTests {
  private static let second: UInt64 = 1_000_000_000

  @Test func place_hasItsBudget_andGetsItBackEvenly() {
    let budget = PlaceBudget<Int>(perMinute: 6)
    let start = 1_000 * Self.second
    for _ in 1...6 { #expect(budget.take(from: 1, at: start) == 0) }
    #expect(budget.take(from: 1, at: start) == 10 * Self.second)
    // Who is refused has not taken anything.
    #expect(budget.take(from: 1, at: start + 9 * Self.second) == Self.second)
    #expect(budget.wait(of: 1, at: start + 10 * Self.second) == 0)
    #expect(budget.take(from: 1, at: start + 10 * Self.second) == 0)
    #expect(budget.take(from: 1, at: start + 10 * Self.second) == 10 * Self.second)
    // Another one's is its own.
    #expect(budget.take(from: 2, at: start) == 0)
    for _ in 1...6 { #expect(budget.take(from: 1, at: start + 200 * Self.second) == 0) }
    #expect(budget.take(from: 1, at: start + 200 * Self.second) > 0)
  }

  @Test func budgetOfNone_isNoLimit() {
    let budget = PlaceBudget<Int>(perMinute: 0)
    for _ in 1...1_000 { #expect(budget.take(from: 1, at: 5) == 0) }
    #expect(budget.wait(of: 1, at: 5) == 0 && budget.count == 0)
  }

  /// An attacker with a million networks takes no memory, and does not have those forgotten who have used up theirs.
  @Test func table_isBounded_andForgetsWhoHasTakenLeast() {
    let budget = PlaceBudget<Int>(perMinute: 60)
    let now = 1_000 * Self.second
    for _ in 1...60 { #expect(budget.take(from: -1, at: now) == 0) }
    for place in 0..<1_000_000 { #expect(budget.take(from: place, at: now) == 0) }
    #expect(budget.count <= 16 * PlaceBudget<Int>.shardLimit)
    #expect(budget.take(from: -1, at: now) > 0)
    // Buckets that are full again are forgotten before any other.
    for place in 0..<200_000 { #expect(budget.take(from: -2 - place, at: now + 10 * Self.second) == 0) }
    #expect(budget.take(from: -1, at: now + 10 * Self.second) == 0)
    for _ in 1...9 { #expect(budget.take(from: -1, at: now + 10 * Self.second) == 0) }
    #expect(budget.take(from: -1, at: now + 10 * Self.second) > 0)
  }
}
