/// The publications of a topic: their number, and the last values as long as a reader may need them.
///
/// A position is the number of a publication, counted from 1; position 0 is before the first.
struct PublicationLog<Value: Sendable>: Sendable {
  /// How many values are kept.
  private let capacity: Int
  /// The number of the last publication.
  private(set) var position: UInt64 = 0
  /// The position at which ``values`` was empty last; slots of the ring are counted from there.
  private var base: UInt64 = 0
  /// The last values; a ring once it is full.
  private var values: [Value] = []

  init(capacity: Int) { self.capacity = capacity }

  /// The place of a publication in the ring.
  private func slot(of position: UInt64) -> Int { Int((position - base - 1) % UInt64(capacity)) }

  /// Counts a publication without keeping its value.
  mutating func skip() {
    position += 1
    base = position
  }

  /// Counts a publication and keeps its value.
  ///
  /// - Returns: the value that had to make room, to be released when no lock is held.
  mutating func append(_ value: Value) -> Value? {
    guard capacity > 0 else {
      skip()
      return nil
    }
    position += 1
    let slot = slot(of: position)
    guard slot < values.count else {
      values.append(value)
      return nil
    }
    let oldest = values[slot]
    values[slot] = value
    return oldest
  }

  /// Changes the last value in place, and counts the result as a new publication.
  ///
  /// - Returns: the new value; nil if none is kept.
  mutating func amend(_ change: (inout Value) -> Void) -> Value? {
    guard !values.isEmpty else { return nil }
    let slot = slot(of: position)
    // A log of one value has one slot, so the new position leads to the same slot.
    precondition(capacity == 1, "a log of more than one value keeps what was")
    change(&values[slot])
    position += 1
    return values[slot]
  }

  /// The last value; nil if none is kept.
  var last: Value? { values.isEmpty ? nil : values[slot(of: position)] }

  /// The oldest kept publication after a position; nil if there is none.
  func first(after position: UInt64) -> (position: UInt64, value: Value)? {
    let next = max(position, self.position - UInt64(values.count)) + 1
    guard next <= self.position else { return nil }
    return (next, values[slot(of: next)])
  }

  /// Drops all values.
  ///
  /// - Returns: the dropped values, to be released when no lock is held.
  mutating func forget() -> [Value] {
    defer { values = [] }
    base = position
    return values
  }
}
