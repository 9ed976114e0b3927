import Testing
import WireHTTP

@testable import RibServer

struct ConnectionCounterTests {
  private let one = IPAddress(text: "192.0.2.1").map { Place($0) }
  private let other = IPAddress(text: "192.0.2.2").map { Place($0) }

  @Test func total_isLimited() {
    let counter = ConnectionCounter(limit: 2, limitPerAddress: 0)
    #expect((1...3).map { _ in counter.enter(from: nil) } == [.admitted, .admitted, .turnedAway])
    #expect(counter.count == 2)
    counter.leave(.turnedAway, from: nil)
    #expect(counter.count == 2)
    counter.leave(.admitted, from: nil)
    #expect(counter.enter(from: nil) == .admitted)
  }

  @Test func addresses_areLimitedEach() {
    let counter = ConnectionCounter(limit: 3, limitPerAddress: 2)
    #expect((1...3).map { _ in counter.enter(from: one) } == [.admitted, .admitted, .turnedAway])
    #expect((1...2).map { _ in counter.enter(from: other) } == [.admitted, .turnedAway])
    counter.leave(.admitted, from: one)
    #expect(counter.enter(from: one) == .admitted)
    for _ in 1...2 { counter.leave(.admitted, from: one) }
    #expect(counter.count == 1)
  }

  @Test func thoseThatAreTurnedAway_areLimitedToo() {
    let counter = ConnectionCounter(limit: 1, limitPerAddress: 0)
    #expect(counter.enter(from: nil) == .admitted)
    for _ in 0..<ConnectionCounter.turnedAwayLimit { #expect(counter.enter(from: nil) == .turnedAway) }
    #expect(counter.enter(from: nil) == .dropped)
    counter.leave(.dropped, from: nil)
    counter.leave(.turnedAway, from: nil)
    #expect(counter.enter(from: nil) == .turnedAway)
  }

  /// Whoever has come without a limit counts once there is one.
  @Test func limits_areReplaced() {
    let counter = ConnectionCounter(limit: 0, limitPerAddress: 0)
    for _ in 1...3 { #expect(counter.enter(from: one) == .admitted) }
    counter.setLimits(5, perAddress: 3)
    #expect(counter.enter(from: one) == .turnedAway)
    #expect((1...3).map { _ in counter.enter(from: other) } == [.admitted, .admitted, .turnedAway])
    counter.leave(.admitted, from: one)
    #expect(counter.enter(from: one) == .admitted)
    counter.setLimits(0, perAddress: 0)
    #expect(counter.enter(from: one) == .admitted)
    for _ in 1...4 { counter.leave(.admitted, from: one) }
    counter.setLimits(0, perAddress: 1)
    #expect((1...2).map { _ in counter.enter(from: one) } == [.admitted, .turnedAway])
  }

  @Test func noLimit_isNone() {
    let counter = ConnectionCounter(limit: 0, limitPerAddress: 0)
    for _ in 0..<10_000 { #expect(counter.enter(from: nil) == .admitted) }
    #expect(counter.count == 10_000)
  }
}
