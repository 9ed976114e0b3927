/// The logic of a riblet: its state, the actions that change it, and what it starts and says in answer.
///
/// Reducers are synchronous and never awaited. What takes time is an ``Effect``, which comes back as an internal action.
/// The three kinds of actions are boundaries: only a `ViewAction` can come from a client's bytes, only an effect or the
/// riblet itself sends an `InternalAction`, and an `Output` goes to the direct parent and no further. Each is `Never`
/// unless written, and then the reducer for it has to be written as well.
///
/// A struct conforms best; a final class can, and spells its own name where a struct says `Self`.
public protocol Interactor: SendableMetatype {
  /// All that the riblet remembers: a value, for a failed transaction brings back the old one, and what has not changed is
  /// told by its bits. An object in it that changes behind its reference breaks both.
  associatedtype State: Sendable
  /// What a client may ask for: an enum with the synthesized `Decodable`.
  associatedtype ViewAction: Decodable & Sendable = Never
  /// What effects report.
  associatedtype InternalAction: Sendable = Never
  /// What the riblet tells its parent.
  associatedtype Output: Sendable = Never

  /// What the parent tells the riblet and goes on to tell it: what of the parent's state it depends on, if its own state is
  /// no part of that.
  associatedtype Props: Equatable & Sendable = Never

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

  /// Takes note of what the parent tells: when the riblet is attached, before `didRestore` and `didBecomeActive` each time that
  /// it becomes active, and whenever it is something else after a change of the parent's state, in the same transaction.
  ///
  /// - Parameters:
  ///   - state: to be changed in place.
  ///   - props: what the parent tells now.
  /// - Returns: what to start, send or say.
  func reduce(into state: inout State, props: Props) -> Effect<Self>

  /// What is reduced besides, after the riblet's own reducer: parts of the logic that several riblets share.
  ///
  /// Asked for once, when the riblet is attached.
  var reducers: [Reducer<Self>] { get }

  /// Called when the riblet becomes active, after its parent's and before its children's: when it is attached, when its
  /// container brings it to the front again, and after it was restored: also when its session wakes because something was
  /// published that it observes. What it shows of the world outside is best read here.
  ///
  /// - Parameter state: to be changed in place.
  /// - Returns: what to start, send or say.
  func didBecomeActive(_ state: inout State) -> Effect<Self>

  /// Called when the riblet is about to become inactive or to be detached, after its parent's and before its children's.
  /// Its effects are cancelled in the same transaction.
  ///
  /// Not called for a child whose state was a part of its parent's that the parent has taken away: there is none any more.
  ///
  /// What it changes when the session leaves memory is neither shown nor saved: the session was saved before, with every
  /// riblet active, as it comes back. What has to be true after that belongs into `didRestore` or `didBecomeActive`.
  ///
  /// - Parameter state: to be changed in place.
  func willResignActive(_ state: inout State)

  /// Called when the riblet comes back from a snapshot, before `didBecomeActive`.
  ///
  /// Its effects do not run any more: start again what can be repeated, show the failure of what cannot.
  ///
  /// - Parameters:
  ///   - state: as it was saved; to be changed in place.
  ///   - interrupted: the effects that ran when the snapshot was taken.
  /// - Returns: what to start, send or say.
  func didRestore(_ state: inout State, interrupted: [InterruptedEffect]) -> Effect<Self>

  /// The version of the state's shape, to be raised when a saved state of the old shape does not decode any more.
  ///
  /// If the state is a part of the parent's, it is the parent's version that has to be raised. This one then only keeps a
  /// session that a newer program has saved from being loaded.
  static var stateVersion: Int { get }

  /// Makes a state of one that an older version has saved.
  ///
  /// Not called if the state is a part of the parent's: it is saved with the parent's,
  /// and the parent migrates both.
  ///
  /// - Parameters:
  ///   - saved: the old state.
  ///   - version: the ``stateVersion`` that saved it; lower than the present one.
  /// - Returns: the state.
  /// - Throws: any error if there is no way; the riblet is built anew then, and the loss reported.
  func migrate(_ saved: SavedState, from version: Int) throws -> State
}

extension Interactor {
  /// None.
  public var reducers: [Reducer<Self>] { [] }

  /// Starts nothing.
  ///
  /// - Parameter state: stays as it is.
  /// - Returns: no effect.
  public func didBecomeActive(_ state: inout State) -> Effect<Self> { .none }

  /// Does nothing.
  ///
  /// - Parameter state: stays as it is.
  public func willResignActive(_ state: inout State) {}

  /// Starts nothing.
  ///
  /// - Parameters:
  ///   - state: stays as it is.
  ///   - interrupted: the effects that ran when the snapshot was taken.
  /// - Returns: no effect.
  public func didRestore(_ state: inout State, interrupted: [InterruptedEffect]) -> Effect<Self> { .none }

  /// The first version.
  public static var stateVersion: Int { 1 }

  /// Knows no older version.
  ///
  /// - Parameters:
  ///   - saved: the old state.
  ///   - version: the version that saved it.
  /// - Returns: nothing.
  /// - Throws: ``MissingMigration``.
  public func migrate(_ saved: SavedState, from version: Int) throws -> State {
    throw MissingMigration(from: version, to: Self.stateVersion)
  }
}

extension Interactor where State == Void {
  /// What remembers nothing begins with that.
  public func makeState() {}
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

extension Interactor where Props == Never {
  /// Never called: there are no props.
  ///
  /// - Parameters:
  ///   - state: the state.
  ///   - props: cannot exist.
  /// - Returns: never.
  public func reduce(into state: inout State, props: Never) -> Effect<Self> {}
}
