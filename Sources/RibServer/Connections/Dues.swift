/// What a client's place and person are still to be charged, in nanoseconds of their budget.
///
/// A place or a person has room for 20 clients at their rate, or for 400 ms of loop time a second. The budget is shared by all loops
/// and has a lock: so it is charged for the first message, and then for 16 ms of it at a time, which are 16 actions by the default rate.
struct Dues {
  /// How many clients at their rate a place or a person has room for.
  static let clients = 20
  /// The dues that are charged at a time, in nanoseconds.
  static let portion: UInt64 = 16_000_000

  private var sum: UInt64 = 0
  private var hasBeenCharged = false

  /// Whether there is enough to be charged.
  var areDue: Bool { sum >= (hasBeenCharged ? Self.portion : 1) }

  /// Takes note of what is to be charged, in nanoseconds.
  mutating func note(_ nanoseconds: UInt64) { sum += nanoseconds }

  /// Forgets what was to be charged.
  mutating func forget() { sum = 0 }

  /// Takes what is to be charged.
  mutating func take() -> UInt64 {
    defer { (sum, hasBeenCharged) = (0, true) }
    return sum
  }
}

/// The owner of a budget of effort: all that its clients do is charged to it.
enum Payer: Hashable {
  case place(Place)
  case person(PersonID)
}
