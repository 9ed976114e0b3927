/// What a client's place and person are still to be charged, in nanoseconds of their budget.
///
/// A place or a person has room for 20 clients at their rate, or for 400 ms of loop time a second. The budget is shared by all loops
/// and has a lock: so it is charged for the first message, and then for 16 ms of it at a time, which are 16 actions by the default rate.
struct Dues {
  /// How many clients at their rate a place or a person has room for.
  private static let clients = 20
  /// How much is charged at a time.
  private static let most: UInt64 = 16_000_000

  /// Nanoseconds for an action; 0 if there is no limit.
  private let action: UInt64
  private var sum: UInt64 = 0
  private var limit: UInt64 = 1

  /// Nothing is due yet.
  ///
  /// - Parameter limits: the server's.
  init(_ limits: ServerSettings.Limits) {
    action = limits.actionsPerSecond > 0 ? 1_000_000_000 / UInt64(limits.actionsPerSecond * Self.clients) : 0
  }

  /// Whether there is enough to be charged.
  var areDue: Bool { sum >= limit }

  mutating func noteAction() { sum += action }
  mutating func noteMessages(_ count: Int) { sum += action / 10 * UInt64(count) }
  mutating func noteTime(_ nanoseconds: UInt64) { if action > 0 { sum += nanoseconds / 2 * 5 } }

  /// Takes what is to be charged.
  mutating func take() -> UInt64 {
    defer { (sum, limit) = (0, Self.most) }
    return sum
  }
}

/// The owner of a budget of effort: all that its clients do is charged to it.
enum Payer: Hashable {
  case place(Place)
  case person(PersonID)
}
