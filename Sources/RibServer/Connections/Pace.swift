/// How fast a client may speak: so many actions, and ten times as many messages of all kinds.
///
/// A message counts once more for each eighth of the longest one that is allowed, so that a client that sends only actions,
/// however long, is held to their number alone.
struct Pace {
  /// Messages of any kind for each action.
  private static let messagesPerAction = 10
  /// Nanoseconds: several messages at a time cost less than a pause before each.
  private static let shortestPause: UInt64 = 100_000_000

  private var actions: TokenBucket
  private var messages: TokenBucket
  private let bytesPerToken: Int
  /// Whether the client is not read from, and until when.
  private(set) var isPaused = false
  private(set) var end: UInt64 = 0

  /// The pace of a client that has said nothing yet.
  init(_ limits: ServerSettings.Limits) {
    actions = TokenBucket(rate: limits.actionsPerSecond, burst: limits.actionBurst)
    messages = TokenBucket(
      rate: limits.actionsPerSecond * Self.messagesPerAction, burst: limits.actionBurst * Self.messagesPerAction)
    bytesPerToken = max(limits.message / 8, 1)
  }

  /// Counts an action.
  ///
  /// - Returns: nanoseconds to wait for the next one.
  mutating func noteAction(at now: UInt64) -> UInt64 { actions.take(at: now) }

  /// Counts a message, or a frame that controls the connection.
  ///
  /// - Returns: nanoseconds to wait for the next one.
  mutating func noteMessage(of bytes: Int, at now: UInt64) -> UInt64 {
    messages.take(UInt64(1 + bytes / bytesPerToken), at: now)
  }

  /// Begins a pause, or makes it longer.
  ///
  /// - Parameters:
  ///   - nanoseconds: how long it is at least.
  ///   - now: when it begins.
  /// - Returns: whether it has begun.
  mutating func pause(for nanoseconds: UInt64, at now: UInt64) -> Bool {
    end = max(end, now + max(nanoseconds, Self.shortestPause))
    defer { isPaused = true }
    return !isPaused
  }

  mutating func goOn() { isPaused = false }
}
