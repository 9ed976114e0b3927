/// A running effect, unique within its tree's life in memory and never reused.
///
/// Once it is revoked, what it sends does not arrive.
public struct EffectToken: Hashable, Sendable {
  let number: UInt64
}

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

/// What an effect sends; the driver hands it to ``Tree/receive(_:rendering:)``.
public struct EffectReport: Sendable {
  let token: EffectToken
  let content: any Sendable
}

/// The way of a report from an effect, wherever it runs, to the tree's driver.
public typealias EffectPort = @Sendable (EffectReport) async -> Void

/// What a transaction asks its driver to do about effects, once the transaction is committed.
public enum EffectCommand: Sendable {
  /// Start an effect.
  case start(EffectStart)
  /// Cancel one that was started.
  case cancel(EffectToken)
  /// Tell other sessions something: call it.
  case publish(@Sendable () -> Void)
}

/// An effect that is due to start.
public struct EffectStart: Sendable {
  /// Its token, for ``Tree/effectEnded(_:hasFailed:rendering:)``.
  public let token: EffectToken
  /// Its name, if it has one.
  public let id: EffectID?
  /// What it hands on so that it is done once.
  public let key: IdempotencyKey
  /// The riblet that it belongs to, for logs.
  public let typeName: String
  /// Its work; reports go through the port.
  public let run: @Sendable (_ port: @escaping EffectPort) async throws -> Void
}

/// An effect that ran when its session was saved, and does not run any more.
public struct InterruptedEffect: Hashable, Sendable, Codable {
  /// Its name as text; nil if it had none.
  public let id: String?
  /// What it handed on so that it is done once.
  public let key: IdempotencyKey
  /// Whether it was marked as one that starts again.
  public let isResumable: Bool
}

extension [InterruptedEffect] {
  /// Whether an effect of this name was interrupted.
  ///
  /// - Parameter id: the name.
  /// - Returns: whether there is one with the same text.
  public func contains(id: some Hashable & Sendable) -> Bool { contains { $0.id == EffectID(id).description } }
}
