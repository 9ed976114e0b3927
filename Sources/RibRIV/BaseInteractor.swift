public import RibCore

/// The logic of a feature in the style of RIV: a class that is told actions and updates its domain.
///
/// Subclasses override ``interact(with:)``. What belongs to the feature is in the domain; a subclass keeps only what it is
/// built with. ``Feature`` makes a riblet of it.
///
///     final class CounterInteractor: BaseInteractor<CounterAction, CounterDomain> {
///       override func interact(with action: CounterAction) {
///         switch action {
///         case .increment: updateDomain { $0.count += 1 }
///         case .decrement: updateDomain { $0.count -= 1 }
///         }
///       }
///     }
open class BaseInteractor<Action: Decodable & Sendable, Domain: Sendable> {
  /// Asynchronous work, and the name under which a later one takes its place.
  struct Update {
    let id: EffectID?
    let work: @Sendable () async throws -> Mutation
  }

  /// A change of the domain, applied when its work is done to the domain as it is then.
  public typealias Mutation = @Sendable (inout Domain) -> Void

  /// The feature's state, to be changed by `updateDomain` only.
  public internal(set) final var domain: Domain
  final var updates: [Update] = []

  /// An interactor.
  ///
  /// - Parameter initialDomain: the domain at the feature's birth.
  public init(initialDomain: Domain) { domain = initialDomain }

  /// Does what a client asks for.
  ///
  /// - Parameter action: what the client did.
  open func interact(with action: Action) {
    preconditionFailure("\(type(of: self)) has to override interact(with:)")
  }

  /// Called when the feature becomes active.
  open func didBecomeActive() {}

  /// Called when the feature comes back from a snapshot, before ``didBecomeActive()``.
  ///
  /// - Parameter interrupted: the updates that ran when the snapshot was taken, and do not any more.
  open func didRestore(interrupted: [InterruptedEffect]) {}

  /// Called when the feature is about to become inactive; its updates are cancelled then.
  open func willResignActive() {}

  /// Changes the domain.
  ///
  /// - Parameter change: works on the domain in place.
  public final func updateDomain(_ change: (inout Domain) -> Void) { change(&domain) }

  /// Changes the domain when something is done that takes time.
  ///
  /// The work sees the domain as it is now. What it answers is a change, which is applied to the domain as it is *then*:
  /// nothing that happens in between is lost. Work that is cancelled changes nothing.
  ///
  /// - Parameters:
  ///   - id: a name; work that runs under it already is cancelled.
  ///   - work: what to do; the change that follows from it. An error that it throws changes nothing and is logged.
  public final func updateDomain(
    id: (some Hashable & Sendable)?, _ work: @escaping @Sendable (Domain) async throws -> Mutation
  ) {
    updates.append(Update(id: id.map { EffectID($0) }) { [domain] in try await work(domain) })
  }

  /// Changes the domain when something is done that takes time, as `updateDomain` does, beside whatever runs.
  ///
  /// - Parameter work: what to do; the change that follows from it.
  public final func updateDomain(_ work: @escaping @Sendable (Domain) async throws -> Mutation) {
    updates.append(Update(id: nil) { [domain] in try await work(domain) })
  }
}
