/// The logic of a riblet: its state, the actions that change it, and what it starts and says in answer.
///
/// Reducers are synchronous and never awaited. What takes time is an ``Effect``, which comes back as an internal action.
/// The three kinds of actions are boundaries: only a `ViewAction` can come from a client's bytes, only an effect or the
/// riblet itself sends an `InternalAction`, and an `Output` goes to the direct parent and no further. Each is `Never`
/// unless written, and then the reducer for it has to be written as well.
///
/// A struct conforms best; a final class can, and spells its own name where a struct says `Self`.
public protocol Interactor: SendableMetatype {
  /// All that the riblet remembers: a value, for a failed transaction brings back the old one.
  associatedtype State
  /// What a client may ask for: an enum with the synthesized `Decodable`.
  associatedtype ViewAction: Decodable & Sendable = Never
  /// What effects report.
  associatedtype InternalAction: Sendable = Never
  /// What the riblet tells its parent.
  associatedtype Output: Sendable = Never

  /// The state at the riblet's birth.
  ///
  /// - Returns: a fresh state.
  func makeState() -> State

  /// Does what a client asks for.
  ///
  /// - Parameters:
  ///   - state: to be changed in place.
  ///   - viewAction: what the client did.
  /// - Returns: what to start, send or say.
  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self>

  /// Takes note of what an effect reports.
  ///
  /// - Parameters:
  ///   - state: to be changed in place.
  ///   - internalAction: what happened.
  /// - Returns: what to start, send or say.
  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self>

  /// Called when the riblet is attached, after its parent's and before its children's.
  ///
  /// - Parameter state: to be changed in place.
  /// - Returns: what to start, send or say.
  func didBecomeActive(_ state: inout State) -> Effect<Self>

  /// Called when the riblet is about to be detached, after its parent's and before its children's. Its effects are
  /// cancelled in the same transaction.
  ///
  /// - Parameter state: to be changed in place.
  func willResignActive(_ state: inout State)
}

extension Interactor {
  /// Starts nothing.
  ///
  /// - Parameter state: stays as it is.
  /// - Returns: no effect.
  public func didBecomeActive(_ state: inout State) -> Effect<Self> { .none }

  /// Does nothing.
  ///
  /// - Parameter state: stays as it is.
  public func willResignActive(_ state: inout State) {}
}

// There is no default for a reducer with actions: misspelling one shall not compile.

extension Interactor where ViewAction == Never {
  /// Never called: there are no view actions.
  ///
  /// - Parameters:
  ///   - state: the state.
  ///   - viewAction: cannot exist.
  /// - Returns: never.
  public func reduce(into state: inout State, viewAction: Never) -> Effect<Self> {}
}

extension Interactor where InternalAction == Never {
  /// Never called: there are no internal actions.
  ///
  /// - Parameters:
  ///   - state: the state.
  ///   - internalAction: cannot exist.
  /// - Returns: never.
  public func reduce(into state: inout State, internalAction: Never) -> Effect<Self> {}
}
