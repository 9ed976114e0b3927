/// The identity of a running effect, unique within its tree's life in memory and never reused.
///
/// Once the tree revokes a token, it drops what the effect sends.
package struct EffectToken: Hashable, Sendable {
  let number: UInt64
}

/// A message from an effect to its riblet; the driver hands it to `receive(_:rendering:)`.
package struct EffectReport: Sendable {
  /// The token of the effect that has sent it.
  package let token: EffectToken
  /// What was sent, made as the tree takes the report: a shared value may have become another one on the way.
  let content: @Sendable () -> any Sendable
  /// Called when the tree has handled the report, even if a reducer has refused it; not called if the report came too
  /// late.
  var receipt: (@Sendable () -> Void)?
}

/// Carries reports from an effect, on whatever thread it runs, to the tree's driver.
package typealias EffectPort = @Sendable (EffectReport) async -> Void

/// What the driver has to do about effects once the transaction is committed.
package enum EffectCommand: Sendable {
  /// Start an effect.
  case start(EffectStart)
  /// Cancel an effect that was started.
  case cancel(EffectToken)
  /// Publish to other sessions, by calling this closure.
  case publish(Publish)

  /// Publishes, and returns for how many listeners in this process.
  package typealias Publish = @Sendable () -> Int
}

/// An effect that is due to start.
public struct EffectStart: Sendable {
  /// The effect's token, for `effectEnded(_:hasFailed:rendering:)`.
  package let token: EffectToken
  /// The effect's name; nil if it has none.
  package let id: EffectID?
  /// The idempotency key that the effect can hand to services.
  public let key: IdempotencyKey
  /// The type name of the effect's riblet, for logs.
  package let typeName: String
  /// Does the work, and sends reports through the port.
  package let run: @Sendable (_ port: @escaping EffectPort) async throws -> Void
}

extension [EffectStart] {
  /// Whether an effect of this name is among them.
  public func contains(id: some Hashable & Sendable) -> Bool {
    let name = EffectID(id)
    return contains { $0.id == name }
  }
}
