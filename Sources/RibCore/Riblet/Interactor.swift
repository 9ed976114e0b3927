/// The logic of a riblet: its state, the actions that change it, and the effects and outputs that follow.
///
/// Reducers are synchronous and never awaited. What takes time is an ``Effect``, which reports with an internal action.
/// The three kinds of actions are boundaries: only a `ViewAction` can come from a client's bytes; only an effect or the
/// riblet itself sends an `InternalAction`; an `Output` goes to the parent and no further. Each is `Never` unless
/// declared; a declared one needs its reducer.
///
/// Prefer a struct. A final class conforms as well, and spells its own name where a struct says `Self`.
public protocol Interactor: SendableMetatype {
  /// All that the riblet remembers. A value, so that a rollback restores the state before, and a change shows in its bits: an
  /// object that changes behind its reference breaks both.
  associatedtype State: Sendable
  /// What a client may ask for: an enum with the synthesized `Decodable`.
  associatedtype ViewAction: Decodable & Sendable = Never
  /// What effects report, and what a child's outputs become.
  associatedtype InternalAction: Sendable = Never
  /// What the riblet tells its parent.
  associatedtype Output: Sendable = Never

  /// What the parent keeps telling the riblet: the values that the riblet needs from the parent's state and does not
  /// have in its own.
  ///
  /// The parent makes them from its state (``Child``). When they change, the riblet gets them through
  /// `reduce(into:props:)`.
  associatedtype Props: Equatable & Sendable = Never

  /// Makes the state of a new node.
  func makeState() -> State

  /// Whether a client may do what a view action asks for.
  ///
  /// It is called before each view action is reduced, also for a child whose state is a part of another riblet's. An action that it does not
  /// allow is refused with the code `forbidden`, and changes nothing.
  ///
  /// It is a pure function, as a reducer is: of the action, the client and the state. Leaving a node with the back button is no view action:
  /// this is not called for it.
  ///
  /// - Parameters:
  ///   - viewAction: what the client wants.
  ///   - client: the client that acts, and the person behind it.
  ///   - state: as it is before the action.
  /// - Returns: whether the action is allowed; true unless implemented.
  func authorize(_ viewAction: ViewAction, by client: ActingClient, in state: State) -> Bool

  /// Handles what a client asks for.
  ///
  /// - Parameters:
  ///   - state: to be changed in place.
  ///   - viewAction: what the user did.
  /// - Returns: what follows: effects, internal actions, outputs, or a refusal.
  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self>

  /// Handles what an effect reports, or what a child says.
  ///
  /// - Parameters:
  ///   - state: to be changed in place.
  ///   - internalAction: what happened.
  /// - Returns: what follows: effects, internal actions, outputs, or a refusal.
  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self>

  /// Handles props that the parent tells.
  ///
  /// Called when the riblet is attached; each time that it becomes active, before `didRestore` and `didBecomeActive`;
  /// whenever a change of the parent's state has changed the props, in the same transaction; and, even if the props are
  /// equal, when the riblet's state is a part of its parent's and was replaced there: then it may lack what the riblet
  /// has copied from its props.
  ///
  /// - Parameters:
  ///   - state: to be changed in place.
  ///   - props: as the parent's state has them now.
  /// - Returns: what follows: effects, internal actions, outputs, or a refusal.
  func reduce(into state: inout State, props: Props) -> Effect<Self>

  /// Reducers that run after the riblet's own: parts of the logic that several riblets share.
  ///
  /// Asked for once, when the riblet is attached.
  var reducers: [Reducer<Self>] { get }

  /// Called when the riblet becomes active, after its parent and before its children.
  ///
  /// A riblet becomes active when it is attached, when its container brings it to the front again, and when its session
  /// is restored: also when the session wakes because something was published that the riblet observes. So this is the
  /// place to read what the riblet shows of the world outside.
  ///
  /// - Parameter state: to be changed in place.
  /// - Returns: what follows: effects, internal actions, outputs, or a refusal.
  func didBecomeActive(_ state: inout State) -> Effect<Self>

  /// Called when the riblet is about to become inactive or to be detached, after its parent and before its children.
  ///
  /// Its effects are cancelled in the same transaction. Not called for an embedded child if its parent has removed the
  /// child's state: there is no state left to change.
  ///
  /// When the session leaves memory, changes made here are neither shown nor saved: the session was saved before, with
  /// every riblet active, as it comes back. What has to be true after that belongs in `didRestore` or
  /// `didBecomeActive`.
  ///
  /// - Parameter state: to be changed in place.
  func willResignActive(_ state: inout State)

  /// Called when the riblet comes back from a snapshot, before `didBecomeActive`.
  ///
  /// Its effects do not run any more: start again those that can be repeated, and show the failure of the others.
  ///
  /// - Parameters:
  ///   - state: as it was saved; to be changed in place.
  ///   - interrupted: the effects that ran when the snapshot was taken.
  /// - Returns: what follows: effects, internal actions, outputs, or a refusal.
  func didRestore(_ state: inout State, interrupted: [InterruptedEffect]) -> Effect<Self>

  /// The version of the state's shape; raise it when a saved state of the old shape does not decode any more.
  ///
  /// For an embedded child, raise the version of the riblet that owns the state. The child's own version then only
  /// prevents a session from being loaded that a newer program has saved.
  static var stateVersion: Int { get }

  /// Makes a state from one that an older version has saved.
  ///
  /// Not called for an embedded child: its state is saved as a part of the parent's, and the parent migrates both.
  ///
  /// - Parameters:
  ///   - saved: the old state.
  ///   - version: the ``stateVersion`` that saved it; lower than the present one.
  /// - Returns: the state in its present shape.
  /// - Throws: any error if there is no way; the riblet is then built anew, and the loss reported.
  func migrate(_ saved: SavedState, from version: Int) throws -> State
}

extension Interactor {
  /// Everything is allowed.
  public func authorize(_ viewAction: ViewAction, by client: ActingClient, in state: State) -> Bool { true }

  /// None.
  public var reducers: [Reducer<Self>] { [] }

  /// Changes nothing and starts nothing.
  public func didBecomeActive(_ state: inout State) -> Effect<Self> { .none }

  /// Changes nothing.
  public func willResignActive(_ state: inout State) {}

  /// Changes nothing and starts nothing.
  public func didRestore(_ state: inout State, interrupted: [InterruptedEffect]) -> Effect<Self> { .none }

  /// The first version.
  public static var stateVersion: Int { 1 }

  /// Always throws: a riblet that raises its version has to implement this.
  public func migrate(_ saved: SavedState, from version: Int) throws -> State {
    throw MissingMigration(from: version, to: Self.stateVersion)
  }
}

extension Interactor where State == Void {
  /// The only value of a state that remembers nothing.
  public func makeState() {}
}

// A reducer whose action is not `Never` has no default, so that a misspelt reducer does not compile.

extension Interactor where ViewAction == Never {
  /// Never called: there are no view actions.
  public func reduce(into state: inout State, viewAction: Never) -> Effect<Self> {}
}

extension Interactor where InternalAction == Never {
  /// Never called: there are no internal actions.
  public func reduce(into state: inout State, internalAction: Never) -> Effect<Self> {}
}

extension Interactor where Props == Never {
  /// Never called: there are no props.
  public func reduce(into state: inout State, props: Never) -> Effect<Self> {}
}
