/// An action that a riblet of a session is about to reduce, as an app's middleware sees it.
public struct SeenAction {
  /// Where an action comes from.
  public enum Kind: Sendable {
    /// A client asks for it.
    case viewAction
    /// An effect, a child or the riblet itself has sent it.
    case internalAction
  }

  /// Where the action comes from.
  public let kind: Kind
  /// The action, of the riblet's `ViewAction` or `InternalAction`.
  public let action: Any
  /// The riblet's type, by the name that it gives itself.
  public let riblet: String
  /// The riblet's node.
  public let node: NodeID
}

/// What an app's middleware says of an action.
public enum ActionDecision: Equatable, Sendable {
  /// The riblet reduces it.
  case pass
  /// The transaction is undone, as if the riblet had refused it with this reason; see ``Effect/refuse(_:)``.
  case refuse(String)
}
