/// How many actions of a client wait for their commits.
struct WaitingActions {
  /// The most that may wait before the client is not read from (a rule of the protocol).
  static let limit = 256

  private var count = 0
  /// How many of them the commit that is under way has.
  private var committing = 0

  /// Whether the client has to wait.
  var areTooMany: Bool { count >= Self.limit }

  /// Counts an action.
  mutating func note() { count += 1 }

  /// Takes note that the actions so far are being committed.
  mutating func noteCut() { committing = count }

  /// Takes note that they are committed.
  ///
  /// - Parameter all: whether the actions since are committed as well.
  mutating func release(all: Bool) {
    count -= all ? count : committing
    committing = 0
  }
}
