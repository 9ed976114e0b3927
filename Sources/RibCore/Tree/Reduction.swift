/// One call of a reducer, as it is reported to a test library.
package struct Reduction {
  /// What the reducer was called for.
  package enum Cause {
    case viewAction(Any)
    case internalAction(Any)
    /// Props that the parent tells.
    case props(Any)
    case activation
    case resignation
    case restoration
    /// The back button has taken a child out of its container.
    case dismissal
    /// A step of a walk through the tree.
    case walk
  }

  /// The riblet's node.
  package let node: NodeID
  /// The riblet's type.
  package let typeName: String
  /// What the reducer was called for.
  package let cause: Cause
}
