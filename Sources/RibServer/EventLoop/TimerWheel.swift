/// Deadlines of many connections, to the tick.
///
/// A wheel of slots, one a tick; a connection stands in the slot of its next deadline. Setting one is an append, a
/// tick looks at one slot only. Deadlines are not taken back: who is called looks whether it is really time, and says
/// when to be called next. It knows no clock.
struct TimerWheel {
  private static let slotCount = 64

  private var slots: [[(tick: Int, id: Int)]] = Array(repeating: [], count: slotCount)
  /// Ticks that the wheel was turned: it stands still while no deadline is set.
  private(set) var now = 0
  /// How many deadlines are set.
  private(set) var count = 0

  /// Sets a deadline for `id`, `ticks` from now and at least one.
  mutating func schedule(_ id: Int, after ticks: Int) {
    let tick = now + max(ticks, 1)
    slots[tick % Self.slotCount].append((tick, id))
    count += 1
  }

  /// Goes on by one tick.
  ///
  /// - Returns: whose deadlines have come.
  mutating func advance() -> [Int] {
    now += 1
    let index = now % Self.slotCount
    guard !slots[index].isEmpty else { return [] }
    var due: [Int] = []
    var later: [(tick: Int, id: Int)] = []
    for entry in slots[index] {
      if entry.tick <= now { due.append(entry.id) } else { later.append(entry) }
    }
    slots[index] = later
    count -= due.count
    return due
  }
}
