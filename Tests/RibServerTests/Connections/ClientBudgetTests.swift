import Testing

@testable import RibServer

@Suite struct ClientBudgetTests {
  private static let second: UInt64 = 1_000_000_000

  private static func budget(_ rate: Int = 50, _ burst: Int = 100) -> ClientBudget {
    var limits = ServerSettings.Limits()
    (limits.actionsPerSecond, limits.actionBurst) = (rate, burst)
    return ClientBudget(ClientRates(limits))
  }

  @Test func clientThatSendsOnlyActions_isHeldToTheirNumberAlone() {
    let limits = ServerSettings.Limits()
    let budget = ClientBudget(ClientRates(limits))
    var now: UInt64 = 1
    for _ in 0..<1000 {
      // The longest there are, each in two frames and inflated, at their rate.
      let waits = [budget.noteMessages(2, bytes: 2 * limits.messageBytes, at: now), budget.noteAction(at: now)]
      #expect(waits == [0, 0])
      now += 20_000_000
    }
  }

  @Test func otherMessages_comeTenTimesAsOften_andLongOnesCountMore() {
    let limits = ServerSettings.Limits()
    let (short, long, cut) = (
      ClientBudget(ClientRates(limits)), ClientBudget(ClientRates(limits)), ClientBudget(ClientRates(limits))
    )
    let waits = (0..<1001).map { _ in short.noteMessages(1, bytes: 1, at: 5) }
    #expect(waits.prefix(999).allSatisfy { $0 == 0 })
    #expect(Array(waits.suffix(2)) == [2_000_000, 4_000_000])
    // A message of the longest counts five times.
    #expect((0..<201).map { _ in long.noteMessages(1, bytes: limits.messageBytes, at: 5) }.filter { $0 > 0 }.count == 2)
    // However it is cut.
    let parts = (0..<65_536).map { _ in cut.noteMessages(0, bytes: 4, at: 5) }
    #expect(parts.allSatisfy { $0 == 0 })
    #expect((0..<985).map { _ in cut.noteMessages(1, bytes: 0, at: 5) }.filter { $0 > 0 }.count == 2)
  }

  /// However short the bucket is: a client that always has one more action gets its rate.
  @Test(arguments: [(50, 100, 0), (50, 1, 7), (5000, 100, 7), (1, 5, 3)])
  func client_getsItsRate(row: (rate: Int, burst: Int, number: Int)) {
    let budget = Self.budget(row.rate, row.burst)
    var pace = Pace(budget.actionAllowance, of: row.number)
    var now = Self.second
    let seconds = 20
    let end = now + UInt64(seconds) * Self.second
    var actions = 0
    while now < end {
      actions += 1
      let waits = [budget.noteMessages(1, bytes: 60, at: now), budget.noteAction(at: now)]
      guard let wait = waits.max(), wait > 0 else { continue }
      _ = pace.pause(for: wait, at: now)
      now = pace.end
      pace.goOn()
    }
    #expect(abs(actions - row.rate * seconds - row.burst) <= row.burst + row.rate / 5 + 1)
  }

  @Test func rateOfZero_isNoLimit() {
    let budget = Self.budget(0)
    let waits = (0..<5000).map { _ in
      budget.noteTime(Self.second)
      return budget.noteMessages(1, bytes: 1 << 30, at: 5) + budget.noteAction(at: 5)
    }
    #expect(waits.allSatisfy { $0 == 0 } && budget.wait(at: 5) == 0 && !budget.areDuesDue)
  }

  @Test func loopTime_isATenth_andNobodyWaitsLongerThanTenSeconds() {
    let budget = Self.budget()
    let now = 5 * Self.second
    budget.noteTime(99_000_000)
    #expect(budget.noteAction(at: now) == 0)
    budget.noteTime(21_000_000)
    // 120 ms are used: 20 ms more than a second allows.
    #expect(budget.noteAction(at: now) == 200_000_010)
    #expect(budget.wait(at: now + 200_000_010) == 0)
    budget.noteTime(60 * Self.second)
    #expect(budget.wait(at: now) == 10 * Self.second)
    #expect(budget.wait(at: now + 10 * Self.second) == 0)
  }

  @Test func budget_goesOnOnTheNextConnection_whateverItsRateIs() {
    let first = Self.budget()
    let now = 5 * Self.second
    for _ in 0..<150 { _ = first.noteAction(at: now) }
    first.noteTime(Self.second / 2)
    let next = Self.budget()
    next.goOn(from: first, at: now)
    #expect(next.wait(at: now) == max(first.wait(at: now), Self.second + 20_000_000))
    let free = Self.budget(0)
    free.goOn(from: first, at: now)
    #expect(free.wait(at: now) == 0)
  }

  @Test func wholeViews_areSixAMinute() {
    let budget = Self.budget()
    let taken = { (seconds: [UInt64]) in seconds.map { budget.noteResync(at: $0 * Self.second) } }
    #expect(taken([1, 1, 1, 2, 2, 2, 3]) == [true, true, true, true, true, true, false])
    #expect(taken([12, 12, 100, 100]) == [true, false, true, true])
  }

  /// A place has room for twenty clients at their rate; the lock that all loops share is taken for every sixteenth action.
  @Test func dues_areCharged_forTheFirstActionAndThenForSixteen() {
    let budget = Self.budget()
    var charges: [UInt64] = []
    for _ in 0..<40 {
      _ = budget.noteAction(at: 5)
      if budget.areDuesDue { charges.append(budget.takeDues()) }
    }
    #expect(charges == [1_000_000, 16_000_000, 16_000_000] && budget.takeDues() == 7_000_000)
    _ = budget.noteMessages(10, bytes: 0, at: 5)
    #expect(budget.takeDues() == 1_000_000)
    budget.noteTime(400_000_000)
    _ = budget.noteAction(at: 5)
    #expect(budget.takeDues() == 1_001_000_000)
  }

  /// Who is held when a place is in debt: not one who has done little, nor one whose part in it was long ago.
  @Test(arguments: [
    (1, 0, false), (20, 0, true), (20, 30, true), (20, 200, false), (1_000, 200, true), (1_000, 600, false),
  ])
  func clientThatHasUsedMuch_isKnownForAWhile(milliseconds: UInt64, later seconds: UInt64, isKnown: Bool) {
    let (budget, next) = (Self.budget(), Self.budget())
    let now = 64 * Self.second
    budget.noteTime(milliseconds * 1_000_000)
    _ = budget.waitForTime(at: now)
    #expect(budget.hasUsedMuch(at: now + seconds * Self.second) == isKnown)
    // It is on the next connection as well.
    next.goOn(from: budget, at: now + seconds * Self.second)
    #expect(next.hasUsedMuch(at: now + seconds * Self.second) == isKnown)
  }
}
