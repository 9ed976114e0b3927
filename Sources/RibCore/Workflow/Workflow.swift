/// Carries the requests of a walk to the tree's driver, which answers with the id of the node that was asked for.
///
/// The driver calls ``Tree/answer(_:rendering:)``, and calls it again after each transaction while the answer is
/// ``WorkflowAnswer/waiting``.
package typealias WorkflowPort = @Sendable (WorkflowRequest) async throws -> NodeID

/// A step of a walk, as a tree is asked to do it.
package struct WorkflowRequest: Sendable {
  enum Step: Sendable {
    case child(String?, @Sendable (AnyNode) -> Bool)
    case update(@Sendable (AnyNode, Tree) -> Bool)
  }

  /// The node that the walk is at.
  package let node: NodeID
  /// The type name of the riblet that the step waits for, for logs.
  package let waitsFor: String
  let step: Step
}

/// What a tree answers to a walk.
package enum WorkflowAnswer: Sendable {
  /// The step is done: the id of the node that was asked for, and effects to start and to cancel.
  case node(NodeID, [EffectCommand])
  /// The child is not there yet, or the node is not active.
  case waiting
}

/// A walk that cannot go on.
public enum WorkflowError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The node that the walk was at has been detached.
  case gone(NodeID)
  /// The node with this id has a riblet of this type name, which is not the riblet of the handle.
  case otherRiblet(NodeID, String)
  /// A route of this name was asked for, and the riblet with this type name has none.
  case noRoute(String, String)

  /// One sentence for a log.
  public var description: String {
    switch self {
    case .gone(let id): "Node \(id) was detached before the walk through it had ended."
    case .otherRiblet(let id, let type): "Node \(id) is of \(type), and not of the riblet that the walk takes it for."
    case .noRoute(let name, let type): "\(type) has no route \"\(name)\" for the walk to go along."
    }
  }
}
