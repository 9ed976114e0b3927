import Dispatch
import Synchronization
import Testing

@testable import RibServer

struct TickerTests {
  private let queue = TurnedQueue()

  /// Counts looks, up to a limit.
  private func ticker(_ limit: Int, _ count: Count) -> Ticker<Int> {
    Ticker("test", .turned(by: queue), 0) { seen in
      seen += 1
      count.value.store(seen, ordering: .relaxed)
      return seen < limit
    }
  }

  private final class Count: Sendable {
    let value = Atomic(0)
    var now: Int { value.load(ordering: .relaxed) }
  }

  @Test func looks_onceASecond() {
    let count = Count()
    let ticker = ticker(.max, count)
    defer { ticker.cancel() }
    #expect(count.now == 0)
    queue.advance(1)
    #expect(count.now == 1)
    queue.advance(10)
    #expect(count.now == 11)
  }

  @Test func look_saysWhenItIsOver() {
    let count = Count()
    let ticker = ticker(3, count)
    queue.advance(60)
    #expect(count.now == 3)
    withExtendedLifetime(ticker) {}
    #expect(queue.count == 0, "nothing is kept")
  }

  @Test func released_looksNoMore() {
    let count = Count()
    do { withExtendedLifetime(ticker(.max, count)) { queue.advance(2) } }
    queue.advance(60)
    #expect(count.now == 2)
  }

  @Test func cancelled_looksNoMore() {
    let count = Count()
    let ticker = ticker(.max, count)
    queue.advance(2)
    ticker.cancel()
    queue.advance(60)
    #expect(count.now == 2)
    #expect(queue.count == 0, "nothing is kept")
  }

  /// The word of a look holds no more once somebody has cancelled: the look comes before that, or not at all.
  @Test func cancel_waitsForTheLookThatGoesOn() {
    let (begun, cancelled) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let order = Mutex<[String]>([])
    let ticker = Ticker("test", .system, every: 1_000_000, ()) { _ in
      begun.signal()
      // Time enough for somebody who does not wait.
      _ = cancelled.wait(timeout: .now() + .milliseconds(100))
      order.withLock { $0.append("looked") }
      return true
    }
    begun.wait()
    ticker.cancel()
    order.withLock { $0.append("cancelled") }
    cancelled.signal()
    #expect(order.withLock { $0.suffix(2) } == ["looked", "cancelled"])
  }
}
