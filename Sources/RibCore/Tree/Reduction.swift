/// One pass of a reducer, as a test library is told of it.
package struct Reduction {
  /// What was reduced.
  package enum Cause {
    case viewAction(Any)
    case internalAction(Any)
    /// What the parent tells.
    case props(Any)
    case activation
    case resignation
    case restoration
    /// A child was taken out by a step back.
    case dismissal
    /// A step of a walk.
    case walk
  }

  /// The riblet's node.
  package let node: NodeID
  /// The riblet's type.
  package let typeName: String
  /// What was reduced.
  package let cause: Cause
}
