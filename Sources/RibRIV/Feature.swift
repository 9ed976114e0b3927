public import RibCore

/// A riblet of an interactor and a reducer in the style of RIV.
///
///     Feature(interactor: CounterInteractor(initialDomain: .init()), reducer: CounterReducer())
///
/// The domain is the riblet's state: it takes part in transactions and snapshots like any other. The interactor is its
/// logic only, and is used by one session.
public struct Feature<
  Interactor, Action: Decodable & Sendable, Domain: Sendable, Reducer: Reducing<Domain, ViewState>, ViewState
>: Riblet
where Interactor: BaseInteractor<Action, Domain>, ViewState: Encodable & Equatable & Sendable {
  /// The interactor's actions.
  public typealias ViewAction = Action
  /// Changes of the domain.
  public typealias InternalAction = BaseInteractor<Action, Domain>.Mutation
  /// The domain.
  public typealias State = Domain

  /// The reducer's name for the feature.
  public static var typeName: String { Reducer.typeName }

  private let interactor: Interactor
  private let reducer: Reducer

  /// A feature.
  ///
  /// - Parameters:
  ///   - interactor: its logic.
  ///   - reducer: what is seen of it.
  public init(interactor: Interactor, reducer: Reducer) {
    self.interactor = interactor
    self.reducer = reducer
  }

  /// The interactor's initial domain.
  ///
  /// - Returns: the domain.
  public func makeState() -> Domain { interactor.domain }

  /// Hands an action to the interactor.
  ///
  /// - Parameters:
  ///   - domain: the domain.
  ///   - viewAction: the action.
  /// - Returns: the interactor's asynchronous updates.
  public func reduce(into domain: inout Domain, viewAction: Action) -> Effect<Self> {
    lend(&domain) { $0.interact(with: viewAction) }
  }

  /// Applies what an asynchronous update has answered.
  ///
  /// - Parameters:
  ///   - domain: the domain.
  ///   - internalAction: the change.
  /// - Returns: no effect.
  public func reduce(
    into domain: inout Domain, internalAction: @escaping BaseInteractor<Action, Domain>.Mutation
  ) -> Effect<Self> {
    internalAction(&domain)
    return .none
  }

  /// Tells the interactor.
  ///
  /// - Parameter domain: the domain.
  /// - Returns: the interactor's asynchronous updates.
  public func didBecomeActive(_ domain: inout Domain) -> Effect<Self> { lend(&domain) { $0.didBecomeActive() } }

  /// Tells the interactor.
  ///
  /// - Parameters:
  ///   - domain: the domain.
  ///   - interrupted: the updates that ran when the snapshot was taken.
  /// - Returns: the interactor's asynchronous updates.
  public func didRestore(_ domain: inout Domain, interrupted: [InterruptedEffect]) -> Effect<Self> {
    lend(&domain) { $0.didRestore(interrupted: interrupted) }
  }

  /// Tells the interactor; what it wants to do that takes time is not begun.
  ///
  /// - Parameter domain: the domain.
  public func willResignActive(_ domain: inout Domain) { _ = lend(&domain) { $0.willResignActive() } }

  /// Reduces the domain to what is seen.
  ///
  /// - Parameter domain: the domain.
  /// - Returns: what the client sees.
  public func view(_ domain: Domain) -> ViewState { reducer.reduce(from: domain) }

  /// Lets the interactor work on the domain, and makes effects of its updates.
  private func lend(_ domain: inout Domain, _ body: (Interactor) -> Void) -> Effect<Self> {
    interactor.domain = domain
    interactor.updates = []
    body(interactor)
    domain = interactor.domain
    let effects = interactor.updates.map { update in
      Effect<Self>.run(update.id, work: update.work)
    }
    interactor.updates = []
    return effects.isEmpty ? .none : .merge(effects)
  }
}

extension Effect {
  fileprivate static func run(
    _ id: EffectID?, work: @escaping @Sendable () async throws -> Source.InternalAction
  ) -> Effect {
    .run(id: id, cancelInFlight: true) { send in await send(try await work()) }
  }
}
