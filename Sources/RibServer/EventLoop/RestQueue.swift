/// The sessions of a loop that leave memory: a few at a time, as each takes memory for what the store gets, and time in which no
/// client is answered.
///
/// | a session  | ``begin(_:isAwaited:)``      | ``next()``           | ``end()``                   |
/// |------------|------------------------------|----------------------|-----------------------------|
/// | stays      | leaves, or waits for a place |                      |                             |
/// | waits      | waits                        | stays, and asks again |                            |
/// | leaves     |                              |                      | has left, or stays after all |
struct RestQueue {
  /// How many leave at a time.
  static let limit = 16

  private var leavingCount = 0
  private var waiting: Set<Int> = []

  /// Whether another session waits.
  var isAnyWaiting: Bool { !waiting.isEmpty }

  /// A session wants to leave.
  ///
  /// - Parameters:
  ///   - session: its number on the loop.
  ///   - isAwaited: whether a client waits for it elsewhere: then it need not wait for a place.
  /// - Returns: whether it may, and counts as leaving until ``end()``; otherwise it waits.
  mutating func begin(_ session: Int, isAwaited: Bool = false) -> Bool {
    guard isAwaited || leavingCount < Self.limit else {
      waiting.insert(session)
      return false
    }
    leavingCount += 1
    return true
  }

  /// A session that was leaving has left, or stays.
  mutating func end() { leavingCount -= 1 }

  /// A session that is to ask again, as there is a place.
  ///
  /// - Returns: its number; it waits no more. Nil if there is no place, or none waits.
  mutating func next() -> Int? { leavingCount < Self.limit ? waiting.popFirst() : nil }
}
