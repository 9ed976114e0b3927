/// What a client may see of a riblet's state.
///
/// There is no default that shows the state itself: what goes to a client has to be written out.
public protocol Presenter: SendableMetatype {
  /// The riblet's state.
  associatedtype State: Sendable
  /// What a client sees: a value whose encoding is the node's `state` in the view document.
  associatedtype ViewState: Encodable & Equatable & Sendable

  /// Makes the view state from the state.
  ///
  /// The result may depend on the state alone, and on what the riblet was built with, if that never changes. Called when
  /// the node is attached, and once for each transaction that may have changed the state.
  func view(_ state: State) -> ViewState
}
