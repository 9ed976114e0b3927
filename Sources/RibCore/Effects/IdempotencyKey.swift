/// Identifies an effect in every attempt, for services that take a key to tell a repeated request from a new one.
///
/// A key consists of the number of the transaction that wanted the effect and of the effect's number in it. As effects
/// start only once their transaction is committed, no two effects of a session have the same key. An effect that
/// repeats an interrupted one takes its key from the ``InterruptedEffect``.
///
/// The runtime makes the keys of effects. A test, or an app that has kept a key as text, makes one from its description:
///
///     let key = IdempotencyKey("test-1-1")
public struct IdempotencyKey: Hashable, Sendable, Codable, LosslessStringConvertible {
  /// The session's name, as its driver has given it.
  ///
  /// On a server this begins with ``SessionContext/id`` and differs each time that the session comes into memory: it
  /// does not find the session.
  package let session: String
  /// The transaction's number within the session.
  package let transaction: UInt64
  /// The effect's number within the transaction.
  package let ordinal: Int

  package init(session: String, transaction: UInt64, ordinal: Int) {
    self.session = session
    self.transaction = transaction
    self.ordinal = ordinal
  }

  /// The key with a description; nil if no key has this one.
  ///
  /// - Parameter description: a name, the number of a transaction and the number of an effect, with hyphens between them.
  public init?(_ description: String) {
    // The name may have hyphens of its own.
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count > 2, let transaction = UInt64(parts[parts.count - 2]), let ordinal = Int(parts[parts.count - 1])
    else { return nil }
    self.init(session: parts.dropLast(2).joined(separator: "-"), transaction: transaction, ordinal: ordinal)
    // Numbers are written in one way only: no two descriptions make one key.
    guard self.description == description else { return nil }
  }

  /// The key as text, for headers.
  public var description: String { "\(session)-\(transaction)-\(ordinal)" }
}
