/// How fast a client may speak: so many actions, and ten times as many frames and messages of all kinds.
///
/// Bytes count as well: the longest message that is allowed is worth four others. So a client that sends only actions,
/// however long, in two frames or compressed, is held to their number alone.
struct Pace {
  /// Frames and messages for each action.
  private static let messagesPerAction = 10
  /// Nanoseconds that a pause lasts at least, if the bucket holds that much: several messages at a time cost less than a
  /// pause before each.
  private static let longestOfShortPauses: UInt64 = 100_000_000

  private var actions: TokenBucket
  private var messages: TokenBucket
  private let bytesPerToken: Int
  private let shortestPause: UInt64
  /// Bytes that are not counted yet.
  private var bytes = 0
  /// Whether the client is not read from, and until when.
  private(set) var isPaused = false
  private(set) var end: UInt64 = 0

  /// The pace of a client that has said nothing yet.
  ///
  /// - Parameters:
  ///   - limits: the server's.
  ///   - number: the client's. Pauses of neighbours differ by up to half: clients that once went on together would do so
  ///     for ever, and hold up all other clients at a time.
  init(_ limits: ServerSettings.Limits, of number: Int) {
    actions = TokenBucket(rate: limits.actionsPerSecond, burst: limits.actionBurst)
    messages = TokenBucket(
      rate: limits.actionsPerSecond * Self.messagesPerAction, burst: limits.actionBurst * Self.messagesPerAction)
    bytesPerToken = max(limits.message / 4, 1)
    // Of a pause that is longer than what the bucket holds the rest would be lost.
    let pause = min(Self.longestOfShortPauses, actions.allowance / 2)
    shortestPause = pause + pause / 16 * UInt64(number & 7)
  }

  /// Counts an action.
  ///
  /// - Returns: nanoseconds to wait for the next one.
  mutating func noteAction(at now: UInt64) -> UInt64 { actions.take(1, at: now) }

  /// Counts frames or messages, and bytes of them.
  ///
  /// - Returns: nanoseconds to wait for the next one.
  mutating func noteMessages(_ count: Int, bytes more: Int, at now: UInt64) -> UInt64 {
    bytes += more
    let tokens = count + bytes / bytesPerToken
    bytes %= bytesPerToken
    return tokens > 0 ? messages.take(UInt64(tokens), at: now) : 0
  }

  /// Begins a pause, or makes it longer.
  ///
  /// - Parameters:
  ///   - nanoseconds: how long it is at least.
  ///   - now: when it begins.
  /// - Returns: whether it has begun.
  mutating func pause(for nanoseconds: UInt64, at now: UInt64) -> Bool {
    end = max(end, now + max(nanoseconds, shortestPause))
    defer { isPaused = true }
    return !isPaused
  }

  mutating func goOn() { isPaused = false }
}
