/// Identifies an effect in every attempt, for services that take a key to tell a repeated request from a new one.
///
/// A key consists of the number of the transaction that wanted the effect and of the effect's number in it. As effects
/// start only once their transaction is committed, no two effects of a session have the same key. An effect that
/// repeats an interrupted one takes its key from the ``InterruptedEffect``.
public struct IdempotencyKey: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The session's name, as its driver has given it.
  ///
  /// On a server this begins with ``SessionContext/id`` and differs each time that the session comes into memory: it
  /// does not find the session.
  public let session: String
  /// The transaction's number within the session.
  public let transaction: UInt64
  /// The effect's number within the transaction.
  public let ordinal: Int

  /// The key as text, for headers.
  public var description: String { "\(session)-\(transaction)-\(ordinal)" }
}
