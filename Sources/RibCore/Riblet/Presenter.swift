/// What a client may see of a riblet's state.
///
/// There is no default that shows the state itself: what goes to a client is always written out.
public protocol Presenter: SendableMetatype {
  /// What is shown from.
  associatedtype State
  /// What is shown: a value whose encoding is the node's `state` in the view document. `Never`, written out, makes a
  /// riblet without a view: logic between others.
  associatedtype ViewState: Encodable & Equatable & Sendable

  /// Makes the view of a state. It depends on the state alone, and is called once for each transaction that changes it.
  ///
  /// - Parameter state: the riblet's state.
  /// - Returns: what the client sees.
  func view(_ state: State) -> ViewState
}

extension Presenter where ViewState == Never {
  /// Never called: a riblet without a view is not shown; its children appear under the nearest one with a view.
  ///
  /// - Parameter state: the state.
  /// - Returns: never.
  public func view(_ state: State) -> Never { preconditionFailure("a riblet without a view was asked for one") }
}
