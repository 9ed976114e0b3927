/// Turns a ``TimerWheel`` with a loop's time, for as long as there is a deadline on it.
///
/// One timer of the system for any number of deadlines, each kept to the tick; a tick that comes late is made up for.
///
/// `@unchecked Sendable`: it belongs to its loop. ``schedule(_:after:)`` is called there by the connections, `turn()` by
/// a job of the loop; what it is made with does not change.
final class WheelTimer: @unchecked Sendable {
  private unowned let loop: EventLoop
  private let tick: UInt64
  private let isDue: (Int) -> Void
  private var wheel = TimerWheel()
  private var isTurning = false
  /// How far the wheel was turned, as the loop's time.
  private var time: UInt64 = 0

  /// A timer that stands still.
  ///
  /// - Parameters:
  ///   - tick: nanoseconds from one look at the wheel to the next.
  ///   - loop: where it lives.
  ///   - isDue: called with whose deadline has come.
  init(tick: UInt64, on loop: EventLoop, _ isDue: @escaping (Int) -> Void) {
    self.tick = tick
    self.loop = loop
    self.isDue = isDue
  }

  /// Sets a deadline for `id`, so many nanoseconds from now and up to two ticks later.
  func schedule(_ id: Int, after nanoseconds: UInt64) {
    if !isTurning {
      time = loop.now
      turnLater()
    }
    wheel.schedule(id, after: Int((loop.now + nanoseconds - time + tick - 1) / tick))
  }

  /// Forgets all deadlines.
  func clear() { wheel = TimerWheel() }

  private func turnLater() {
    isTurning = true
    loop.execute(after: .nanoseconds(tick)) { [weak self] in self?.turn() }
  }

  private func turn() {
    while time + tick <= loop.now {
      time += tick
      for id in wheel.advance() { isDue(id) }
    }
    isTurning = wheel.count > 0
    if isTurning { turnLater() }
  }
}
