import Wire

/// How much clients may cost, by the settings that were in force when they came: see ``ClientBudget``.
final class ClientRates: Sendable {
  /// Frames and messages for each action.
  private static let messagesPerAction = 10
  /// A second of loop time fills this many seconds of its bucket: a tenth of the time is the client's.
  private static let timeShare = 10

  /// The limits as `welcome` tells them to a client.
  let announced: Welcome.Limits
  let actions: TokenBucket.Rate
  let messages: TokenBucket.Rate
  let time: TokenBucket.Rate
  let views = TokenBucket.Rate(6, per: 60_000_000_000, burst: 6)
  /// Bytes that count as much as a message.
  let bytesPerToken: Int
  /// The price of an action for its client's place and person, in nanoseconds of their budget; 0 if there is no limit.
  let dueOfAction: UInt64
  /// The price of nanoseconds of a loop's time for them: of a second they have 400 ms.
  func due(ofTime nanoseconds: UInt64) -> UInt64 { dueOfAction > 0 ? nanoseconds / 2 * 5 : 0 }
  /// The price of a message for them.
  var dueOfMessage: UInt64 { dueOfAction / UInt64(Self.messagesPerAction) }

  /// Rates.
  ///
  /// - Parameter limits: the server's; where actions have no limit, nothing has.
  init(_ limits: ServerSettings.Limits) {
    announced = limits.announced
    let (rate, burst) = (limits.actionsPerSecond, limits.actionBurst)
    actions = TokenBucket.Rate(rate, burst: burst)
    messages = TokenBucket.Rate(rate * Self.messagesPerAction, burst: burst * Self.messagesPerAction)
    let share = rate > 0 ? 1_000_000_000 / Self.timeShare : 0
    time = TokenBucket.Rate(share, burst: share)
    bytesPerToken = max(limits.message / 4, 1)
    dueOfAction = rate > 0 ? 1_000_000_000 / UInt64(rate * Dues.clients) : 0
  }
}
