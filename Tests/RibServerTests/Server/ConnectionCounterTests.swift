import Testing
import WireHTTP

@testable import RibServer

struct ConnectionCounterTests {
  private let one = IPAddress(text: "192.0.2.1").map { Place($0) }
  private static let later: UInt64 = 1_000_000_000_000
  private let other = IPAddress(text: "192.0.2.2").map { Place($0) }

  @Test func total_isLimited() {
    let counter = ConnectionCounter(limit: 2, limitPerAddress: 0)
    #expect((1...3).map { _ in counter.enter(from: nil, at: 5) } == [.admitted, .admitted, .turnedAway])
    #expect(counter.count == 2)
    counter.leave(.turnedAway, from: nil)
    #expect(counter.count == 2)
    counter.leave(.admitted, from: nil)
    #expect(counter.enter(from: nil, at: 5) == .admitted)
  }

  @Test func addresses_areLimitedEach() {
    let counter = ConnectionCounter(limit: 3, limitPerAddress: 2)
    #expect((1...3).map { _ in counter.enter(from: one, at: 5) } == [.admitted, .admitted, .turnedAway])
    #expect((1...2).map { _ in counter.enter(from: other, at: 5) } == [.admitted, .turnedAway])
    counter.leave(.admitted, from: one)
    #expect(counter.enter(from: one, at: Self.later) == .admitted)
    for _ in 1...2 { counter.leave(.admitted, from: one) }
    #expect(counter.count == 1)
  }

  @Test func thoseThatAreTurnedAway_areLimitedToo() {
    let counter = ConnectionCounter(limit: 1, limitPerAddress: 0)
    #expect(counter.enter(from: nil, at: 5) == .admitted)
    for _ in 0..<ConnectionCounter.turnedAwayLimit { #expect(counter.enter(from: nil, at: 5) == .turnedAway) }
    #expect(counter.enter(from: nil, at: 5) == .dropped)
    counter.leave(.dropped, from: nil)
    counter.leave(.turnedAway, from: nil)
    #expect(counter.enter(from: nil, at: 5) == .turnedAway)
  }

  /// Whoever has come without a limit counts once there is one.
  @Test func limits_areReplaced() {
    let counter = ConnectionCounter(limit: 0, limitPerAddress: 0)
    for _ in 1...3 { #expect(counter.enter(from: one, at: 5) == .admitted) }
    counter.setLimits(5, perAddress: 3)
    #expect(counter.enter(from: one, at: 5) == .turnedAway)
    #expect((1...3).map { _ in counter.enter(from: other, at: 5) } == [.admitted, .admitted, .turnedAway])
    counter.leave(.admitted, from: one)
    #expect(counter.enter(from: one, at: 5) == .admitted)
    counter.setLimits(0, perAddress: 0)
    #expect(counter.enter(from: one, at: 5) == .admitted)
    for _ in 1...4 { counter.leave(.admitted, from: one) }
    counter.setLimits(0, perAddress: 1)
    #expect((1...2).map { _ in counter.enter(from: one, at: Self.later) } == [.admitted, .turnedAway])
  }

  /// An address that opens and closes connections may open 1,000 at once, and then a hundred a second.
  @Test func connectionsOfAnAddress_comeOnlySoFast() {
    let counter = ConnectionCounter(limit: 0, limitPerAddress: 20)
    let admitted = { (times: Int, now: UInt64) in
      (0..<times).count { _ in
        let admission = counter.enter(from: one, at: now)
        counter.leave(admission, from: one)
        return admission == .admitted
      }
    }
    #expect(admitted(1_100, Self.later) == 1_000 && admitted(30, Self.later) == 0)
    #expect(one.map { counter.isFull($0, at: Self.later) } == true)
    #expect(admitted(200, Self.later + 1_000_000_000) == 100)
    #expect(other.map { counter.isFull($0, at: Self.later) } == false)
  }

  @Test func noLimit_isNone() {
    let counter = ConnectionCounter(limit: 0, limitPerAddress: 0)
    for _ in 0..<10_000 { #expect(counter.enter(from: nil, at: 5) == .admitted) }
    #expect(counter.count == 10_000)
  }
}
