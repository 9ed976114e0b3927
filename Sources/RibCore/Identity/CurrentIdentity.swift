/// The person behind the client that has begun a session, with the roles and claims known at present; nil until a person signs in.
///
///     func didBecomeActive(_ state: inout State) -> Effect<Self> {
///       .observe(session.identity, id: "who") { .identityChanged($0) }
///     }
///
/// A renewal that changes only ``Identity/issued`` and ``Identity/expires`` is not noted as a change: the two are as they were when the
/// person, the roles or the claims changed last.
public final class CurrentIdentity: Sendable {
  let shared: SharedValue<Identity?>

  /// An identity; nil unless given.
  public init(_ identity: Identity? = nil) { shared = SharedValue(identity) }

  /// The identity at present; nil if nobody is signed in.
  public var value: Identity? { shared.value }

  /// Sets the identity: called by the session's driver, or by a test.
  ///
  /// Observers are told only after a change. Call it from one thread at a time.
  public func update(to identity: Identity?) {
    let isNews =
      switch (shared.value, identity) {
      case (nil, nil): false
      case (let old?, let new?): !old.isSame(as: new)
      default: true
      }
    if isNews { shared.update { $0 = identity } }
  }
}

extension Effect {
  /// Sends the riblet an internal action with the person behind the session, now and whenever it changes.
  ///
  /// Each action has the person as known when the reducer runs. Changes in between may be left out, but never the last one. A change does not
  /// wake a resting session; when the session wakes, its riblets are told.
  ///
  /// - Parameters:
  ///   - identity: the person, from the session's ``SessionContext``.
  ///   - id: a name to cancel the effect by; an effect that runs under this name is cancelled first.
  ///   - action: makes the action; its argument is nil if nobody is signed in.
  /// - Returns: an effect that runs until it is cancelled, and lets the session rest.
  public static func observe(
    _ identity: CurrentIdentity, id: some Hashable & Sendable,
    _ action: @escaping @Sendable (Identity?) -> Source.InternalAction
  ) -> Effect {
    observe(
      { PublicationReader(fromTheOldestIn: identity.shared.publications) }, id: EffectID(id), onlyNewest: true, action
    ) { _ in .always }
  }
}
