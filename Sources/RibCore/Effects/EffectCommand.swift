/// A running effect, unique within its tree's life in memory and never reused.
///
/// Once it is revoked, what it sends does not arrive.
public struct EffectToken: Hashable, Sendable {
  let number: UInt64
}

/// What an effect sends; the driver hands it to `Tree.receive(_:rendering:)`.
public struct EffectReport: Sendable {
  let token: EffectToken
  let content: any Sendable
  /// Called when the report has been handed to its riblet; not if it came too late.
  var receipt: (@Sendable () -> Void)?
}

/// The way of a report from an effect, wherever it runs, to the tree's driver.
package typealias EffectPort = @Sendable (EffectReport) async -> Void

/// What a transaction asks its driver to do about effects, once the transaction is committed.
package enum EffectCommand: Sendable {
  /// Start an effect.
  case start(EffectStart)
  /// Cancel one that was started.
  case cancel(EffectToken)
  /// Tell other sessions something: call it.
  case publish(@Sendable () -> Void)
}

/// An effect that is due to start.
public struct EffectStart: Sendable {
  /// Its token, for `Tree.effectEnded(_:hasFailed:rendering:)`.
  public let token: EffectToken
  /// Its name, if it has one.
  public let id: EffectID?
  /// What it hands on so that it is done once.
  public let key: IdempotencyKey
  /// The riblet that it belongs to, for logs.
  package let typeName: String
  /// Its work; reports go through the port.
  package let run: @Sendable (_ port: @escaping EffectPort) async throws -> Void
}
