import Synchronization

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
  /// The effect's; nil in a replay.
  package var tally: EffectTally?
}

/// Carries reports from an effect, on whatever thread it runs, to the tree's driver.
package typealias EffectPort = @Sendable (EffectReport) async -> Void

/// What the driver has to do about effects once the transaction is committed.
package enum EffectCommand: Sendable {
  /// Start an effect.
  case start(EffectStart)
  /// Cancel an effect that was started.
  case cancel(EffectToken)
  /// Publish to other sessions.
  case publish(Announcement)
}

/// A publication to other sessions, which waits for the commit of its transaction.
package struct Announcement: Sendable {
  /// How many listeners in this process will be told.
  package let listenerCount: @Sendable () -> Int
  /// Tells them.
  package let publish: @Sendable () -> Void
}

/// For how many listeners an effect has published, and for which client it runs: the client is charged for them.
package final class EffectTally: Sendable {
  /// Whether the effect works for its client; false of every resumable one, as most of these wait for what others do.
  package let isWork: Bool
  private let owner = Atomic(0)
  private let told = Atomic(0)

  /// The client whose action has begun the effect; 0 for none.
  package var client: Int {
    get { owner.load(ordering: .relaxed) }
    set { owner.store(newValue, ordering: .relaxed) }
  }

  /// A tally of an effect that has told nobody yet.
  init(isWork: Bool) { self.isWork = isWork }

  func note(listeners: Int) { told.add(listeners, ordering: .relaxed) }

  /// How many listeners were told since this was asked last.
  package func takeListeners() -> Int { told.exchange(0, ordering: .relaxed) }
}

/// An effect that is due to start.
public struct EffectStart: Sendable {
  /// The effect's token, for `effectEnded(_:hasFailed:rendering:)`.
  package let token: EffectToken
  /// The effect's name; nil if it has none.
  package let id: EffectID?
  /// The idempotency key that the effect can hand to services.
  public let key: IdempotencyKey
  /// The count of listeners that the effect has told, and the client that it runs for.
  package let tally: EffectTally
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
