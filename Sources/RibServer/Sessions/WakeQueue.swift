/// The sessions that bells wake: a few at a time, so that ten thousand that observe one topic do not keep other clients waiting.
///
/// | a session | ``ring(_:)``                       | ``end(_:)``                              |
/// |-----------|------------------------------------|------------------------------------------|
/// | sleeps    | is being woken, or waits its turn  |                                          |
/// | waits     |                                    | sleeps: something else has woken it      |
/// | is woken  |                                    | is awake; the next one that waits is woken |
struct WakeQueue {
  /// How many are woken at a time: others wait for as many to be read, and for as many commits.
  static let limit = 4

  private var woken: Set<String> = []  // safe text: names of sessions that there are
  private var waiting: Set<String> = []  // safe text: names of sessions that there are
  /// The sessions that wait, in order; among them some that do not wait any more.
  private var order: [String] = []
  /// How many at the beginning of `order` have had their turn.
  private var done = 0

  /// Whether a session is being woken.
  ///
  /// - Parameter id: the session.
  /// - Returns: false also if it waits for its turn.
  func isWaking(_ id: String) -> Bool { woken.contains(id) }

  /// A bell of a session has rung.
  ///
  /// - Parameter id: the session.
  /// - Returns: whether it is to be woken now.
  mutating func ring(_ id: String) -> Bool {
    guard !woken.contains(id), !waiting.contains(id) else { return false }
    guard woken.count >= Self.limit else {
      woken.insert(id)
      return true
    }
    waiting.insert(id)
    order.append(id)
    return false
  }

  /// A session is awake, or cannot be woken.
  ///
  /// - Parameter id: the session.
  /// - Returns: which one is to be woken next; nil for none.
  mutating func end(_ id: String) -> String? {
    if waiting.remove(id) != nil { return nil }
    guard woken.remove(id) != nil else { return nil }
    while done < order.count {
      let next = order[done]
      done += 1
      if done > order.count / 2 {
        order.removeFirst(done)
        done = 0
      }
      guard waiting.remove(next) != nil else { continue }
      woken.insert(next)
      return next
    }
    return nil
  }
}
