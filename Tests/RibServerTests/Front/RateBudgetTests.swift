import Testing
import WireHTTP

@testable import RibServer

@Suite struct RateBudgetTests {
  private static let second: UInt64 = 1_000_000_000

  /// A network of IPv6.
  private func place(_ number: Int) throws -> Place {
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    return Place(try #require(IPAddress(bytes + Array(repeating: 0, count: 8))))
  }

  @Test func place_hasItsBudget_andGetsItBackEvenly() throws {
    let budget = RateBudget<Place>(perMinute: 6)
    let start = 1_000 * Self.second
    for _ in 1...6 { #expect(try budget.take(from: place(1), at: start) == 0) }
    #expect(try budget.take(from: place(1), at: start) == 10 * Self.second)
    // Who is refused has not taken anything.
    #expect(try budget.take(from: place(1), at: start + 9 * Self.second) == Self.second)
    #expect(try budget.take(from: place(1), at: start + 10 * Self.second) == 0)
    #expect(try budget.take(from: place(1), at: start + 10 * Self.second) == 10 * Self.second)
    // Another one's is its own.
    #expect(try budget.take(from: place(2), at: start) == 0)
    for _ in 1...6 { #expect(try budget.take(from: place(1), at: start + 200 * Self.second) == 0) }
    #expect(try budget.take(from: place(1), at: start + 200 * Self.second) > 0)
  }

  @Test func rate_isReplaced_andWhatWasTakenStaysTaken() throws {
    let budget = RateBudget<Place>(perMinute: 6)
    let now = 1_000 * Self.second
    for _ in 1...3 { #expect(try budget.take(from: place(1), at: now) == 0) }
    // Half of the bucket is left: of sixty now.
    budget.setRate(perMinute: 60)
    for _ in 1...30 { #expect(try budget.take(from: place(1), at: now) == 0) }
    #expect(try budget.take(from: place(1), at: now) > 0)
    budget.setRate(perMinute: 0)
    #expect(try budget.take(from: place(1), at: now) == 0)
    budget.setRate(perMinute: 6)
    #expect(try budget.take(from: place(1), at: now) > 0)
  }

  /// A part of the rate may be taken at once; who is charged goes on into debt, for ten seconds at most.
  @Test func owner_isChargedAlsoWhenThereIsNothingLeft() {
    let budget = RateBudget<String>(perMinute: 60_000, atOnce: 30)
    let now = 1_000 * Self.second
    #expect(budget.charge(1_999, to: "ada", at: now) == 0 && budget.wait(of: "ada", at: now) == 0)
    #expect(budget.charge(1_001, to: "ada", at: now) == Self.second + 1_000_000)
    #expect(budget.wait(of: "ada", at: now) == Self.second + 1_000_000 && budget.isSpent("ada", at: now))
    #expect(budget.charge(1_000_000, to: "ada", at: now) == 10 * Self.second)
    #expect(budget.charge(1, to: "bob", at: now) == 0)
    #expect(!budget.isSpent("ada", at: now + 10 * Self.second))
  }

  @Test func budgetOfNone_isNoLimit() throws {
    let budget = RateBudget<Place>(perMinute: 0)
    for _ in 1...1_000 { #expect(try budget.take(from: place(1), at: 5) == 0) }
    #expect(budget.count == 0)
  }

  /// An attacker with a million networks takes no memory, and does not have those forgotten who have used up theirs.
  @Test func table_isBounded_andForgetsWhoHasTakenLeast() throws {
    let budget = RateBudget<Place>(perMinute: 60)
    let now = 1_000 * Self.second
    for _ in 1...60 { #expect(try budget.take(from: place(-1), at: now) == 0) }
    for number in 0..<1_000_000 { #expect(try budget.take(from: place(number), at: now) == 0) }
    #expect(budget.count <= RateBudget<Place>.shardCount * RateBudget<Place>.shardLimit)
    #expect(try budget.take(from: place(-1), at: now) > 0)
    // Buckets that are full again are forgotten before any other.
    for number in 0..<200_000 { #expect(try budget.take(from: place(-2 - number), at: now + 10 * Self.second) == 0) }
    #expect(try budget.take(from: place(-1), at: now + 10 * Self.second) == 0)
    for _ in 1...9 { #expect(try budget.take(from: place(-1), at: now + 10 * Self.second) == 0) }
    #expect(try budget.take(from: place(-1), at: now + 10 * Self.second) > 0)
  }

  @Test func ownersThatWait_areTold_andCanBeLetIn() {
    let budget = RateBudget<String>(perMinute: 2)
    for owner in ["ada", "ada", "bob"] { _ = budget.take(from: owner, at: 0) }
    #expect(budget.spent(at: 0, atMost: 10).map(\.owner) == ["ada"])
    #expect(budget.spent(at: 0, atMost: 10).first?.wait == 30_000_000_000)
    #expect(budget.spent(at: 0, atMost: 0).isEmpty)
    budget.refill("ada")
    #expect(budget.spent(at: 0, atMost: 10).isEmpty)
    #expect(budget.take(from: "ada", at: 0) == 0)
  }
}
