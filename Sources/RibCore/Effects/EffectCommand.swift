/// A running effect, unique within its tree and never reused.
///
/// Once it is revoked, what it sends does not arrive.
public struct EffectToken: Hashable, Sendable {
  let number: UInt64
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
}

/// An effect that is due to start.
public struct EffectStart: Sendable {
  /// Its token, for ``Tree/effectEnded(_:)``.
  public let token: EffectToken
  /// The riblet that it belongs to, for logs.
  public let typeName: String
  /// Its work; reports go through the port.
  public let run: @Sendable (_ port: @escaping EffectPort) async throws -> Void
}
