/// What a client may see of a riblet's state.
///
/// There is no default that shows the state itself: what goes to a client is always written out.
public protocol Presenter: SendableMetatype {
  /// What is shown from.
  associatedtype State: Sendable
  /// What is shown: a value whose encoding is the node's `state` in the view document.
  associatedtype ViewState: Encodable & Equatable & Sendable

  /// Makes the view of a state.
  ///
  /// It depends on the state alone. It is called when the node is attached, and once for each transaction that may have
  /// changed the state.
  ///
  /// - Parameter state: the riblet's state.
  /// - Returns: what the client sees.
  func view(_ state: State) -> ViewState
}
