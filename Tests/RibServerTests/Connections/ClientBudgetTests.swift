import RibCore
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
      if budget.areDuesDue { charges.append(budget.takeDues(at: 5)) }
    }
    #expect(charges == [1_000_000, 16_000_000, 16_000_000] && budget.takeDues(at: 5) == 7_000_000)
    _ = budget.noteMessages(10, bytes: 0, at: 5)
    #expect(budget.takeDues(at: 5) == 1_000_000)
    budget.noteTime(400_000_000)
    _ = budget.noteAction(at: 5)
    #expect(budget.takeDues(at: 5) == 1_001_000_000)
  }

  /// Pays a client's dues if they make up a portion.
  private static func pay(_ budget: ClientBudget, at now: UInt64) -> UInt64 {
    _ = budget.waitForTime(at: now)
    return budget.areDuesDue ? budget.takeDues(at: now) : 0
  }

  /// Many short turns count as much as one long turn.
  @Test(arguments: [
    (0, 0, 0, 2_000), (3, 1_100, 0, 2_000), (1, 12_800, 0, 1_500), (200, 900, 0, 750), (1, 180_000, 0, 750),
    (200, 900, 30, 1_000), (200, 900, 64 * 5, 2_000), (20, 60_000, 0, 0), (20, 60_000, 128, 500),
    (20, 60_000, 700, 2_000),
  ])
  func toleratedDebt_shrinksWithRecentUse(
    row: (turns: Int, microseconds: UInt64, later: UInt64, tolerance: UInt64)
  ) {
    let (budget, next) = (Self.budget(), Self.budget())
    let now = 100 * Self.second
    for _ in 0..<row.turns {
      budget.noteTime(row.microseconds * 1_000)
      _ = Self.pay(budget, at: now)
    }
    let (later, debt) = (now + row.later * Self.second, 10 * Self.second)
    let wait = debt - row.tolerance * 1_000_000
    #expect(budget.wait(forDebt: debt, at: later) == wait)
    #expect(budget.wait(forDebt: debt - wait, at: later) == 0)
    // It is the same on the next connection.
    next.goOn(from: budget, at: later)
    #expect(next.wait(forDebt: debt, at: later) == wait)
  }

  /// A client without a budget is let in by chance, if its place owes one to two seconds.
  @Test(arguments: [(900, 0...0), (1_250, 150...350), (1_750, 650...850), (2_000, 990...1_000), (9_000, 1_000...1_000)])
  func clientWithoutABudget_isTurnedAwayByChance(row: (milliseconds: UInt64, refusals: ClosedRange<Int>)) {
    let debt = row.milliseconds * 1_000_000
    var random = SystemRandomNumberGenerator()
    let waits = (0..<1_000).map { _ in ClientBudget.waitWithoutBudget(forDebt: debt, at: random.next()) }
    #expect(row.refusals.contains(waits.count { $0 > 0 }))
    #expect(waits.allSatisfy { $0 <= max(debt, 1_000_000_000) - 1_000_000_000 })
  }

  /// A client of a busy place, which sends one message after the other.
  private struct Neighbour {
    let budget = ClientBudgetTests.budget()
    var pace: Pace
    /// Nanoseconds of the loop's time that a message takes, and nanoseconds from one to the next.
    let cost, gap: UInt64
    /// The time at which the next message arrives.
    var ready: UInt64
    /// The time at which the server reads it.
    var look: UInt64
    var longestWait: UInt64 = 0
    var count = 0

    init(number: Int, cost: UInt64, gap: UInt64) {
      (self.cost, self.gap) = (cost, gap)
      pace = Pace(budget.actionAllowance, of: number)
      ready = ClientBudgetTests.second + UInt64(number) * 1_000_000
      look = ready
    }

    /// Has a message read, unless the place owes too much.
    mutating func send(_ effort: RateBudget<Payer>, to payer: Payer) {
      let now = look
      pace.goOn()
      var wait = budget.wait(forDebt: effort.wait(of: payer, at: now), at: now)
      if wait == 0 {
        (longestWait, count) = (max(longestWait, now - ready), count + 1)
        budget.noteTime(cost)
        wait = budget.noteMessages(1, bytes: 60, at: now)
        let dues = ClientBudgetTests.pay(budget, at: now)
        if dues > 0 { wait = max(wait, budget.wait(forDebt: effort.charge(dues, to: payer, at: now), at: now)) }
        ready = now + max(cost, gap)
      }
      if wait > 0 { _ = pace.pause(for: wait, at: now) }
      look = max(ready, pace.end)
    }
  }

  /// The clients of a place get its budget together, in even shares; a light client does not wait.
  @Test(arguments: [(20, 990_000), (150, 990_000), (60, 5_000_000)])
  func clientsOfOnePlace_shareItsBudgetEvenly(count: Int, cost: UInt64) {
    let effort = RateBudget<Payer>(perMinute: 60_000_000_000, atOnce: 30)
    let payer = Payer.person(PersonID(Identity("ada")))
    // The clients want as much as they can get, but for the last one: a 2,000th of the budget.
    var clients = (0..<count).map { Neighbour(number: $0, cost: cost, gap: 1_000_000) }
    clients.append(Neighbour(number: count, cost: 200_000, gap: Self.second))
    let seconds = 60
    let end = UInt64(seconds + 1) * Self.second
    while let first = clients.indices.min(by: { clients[$0].look < clients[$1].look }), clients[first].look < end {
      clients[first].send(effort, to: payer)
    }
    let used = clients.reduce(0) { $0 + UInt64($1.count) * $1.cost } / UInt64(seconds)
    // 400 ms a second, the burst of 2 s, the tolerated debt of 2 s, and one portion of each client.
    #expect(used < 400_000_000 + 4 * 400_000_000 / UInt64(seconds) + UInt64(count) * 16_000_000 / UInt64(seconds))
    #expect(used > 380_000_000)
    let counts = clients.dropLast().map(\.count)
    #expect(counts.max()! <= 2 * counts.min()! + 2)
    #expect(clients[count].count > seconds - 5 && clients[count].longestWait < Self.second, "\(clients[count])")
  }
}
