/// Time that passes when nothing is left to do, and what is to be done in it, by one thread.
final class VirtualTime {
  private struct Action {
    let due: UInt64
    let number: Int
    let body: () -> Void
  }

  /// Nanoseconds.
  private(set) var now: UInt64
  /// The next one last.
  private var actions: [Action] = []
  private var lastNumber = 0

  /// A time in which nothing happens yet.
  ///
  /// - Parameter now: nanoseconds.
  init(now: UInt64) { self.now = now }

  /// Has something done at a time; of what is due at the same time in order.
  func at(_ time: UInt64, _ body: @escaping () -> Void) {
    lastNumber += 1
    let action = Action(due: max(time, now), number: lastNumber, body: body)
    var (low, high) = (0, actions.count)
    while low < high {
      let middle = (low + high) / 2
      if actions[middle].due > action.due { low = middle + 1 } else { high = middle }
    }
    actions.insert(action, at: low)
  }

  /// Has something done after so many nanoseconds.
  func after(_ nanoseconds: UInt64, _ body: @escaping () -> Void) { at(now + nanoseconds, body) }

  /// Lets time pass.
  ///
  /// - Parameters:
  ///   - nanoseconds: how much at most.
  ///   - isDone: ends it at once; asked whenever time has passed.
  func pass(_ nanoseconds: UInt64, until isDone: () -> Bool = { false }) {
    let end = now + nanoseconds
    while let next = actions.last, next.due <= end {
      if next.due > now {
        if isDone() { return }
        now = next.due
      }
      actions.removeLast().body()
    }
    if !isDone() { now = end }
  }
}
