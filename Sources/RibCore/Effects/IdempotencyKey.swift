/// What an effect does once, wherever it is tried: for services that take a key to tell a repetition from a new request.
///
/// It names the transaction that wanted the effect and the effect's place in it; as effects start once their transaction
/// is committed, no two of a session have the same. ``InterruptedEffect`` has the key of one that was cut off, for the one
/// that repeats it.
public struct IdempotencyKey: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The session, as its driver calls it.
  public let session: String
  /// The transaction's number within the session.
  public let transaction: UInt64
  /// The effect's number within the transaction.
  public let ordinal: Int

  /// The key as text, for headers.
  public var description: String { "\(session)-\(transaction)-\(ordinal)" }
}
