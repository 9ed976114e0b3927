/// The way of a walk's requests to the tree's driver, which answers with the id of the node that was asked for.
///
/// The driver asks ``Tree/answer(_:rendering:)``; as long as that says ``WorkflowAnswer/waiting``, it asks again after each
/// transaction.
package typealias WorkflowPort = @Sendable (WorkflowRequest) async throws -> NodeID

/// What a walk wants of a tree.
package struct WorkflowRequest: Sendable {
  enum Step: Sendable {
    case child(String?, @Sendable (AnyNode) -> Bool)
    case update(@Sendable (AnyNode, Tree) -> Bool)
  }

  /// The node that the walk is at.
  package let node: NodeID
  /// The type of the riblet that it is about, for logs.
  package let waitsFor: String
  let step: Step
}

/// What a tree answers to a walk.
package enum WorkflowAnswer: Sendable {
  /// It is done; this is the node, and effects to start and to cancel.
  case node(NodeID, [EffectCommand])
  /// The child is not there yet, or the node is not active.
  case waiting
}

/// A walk that cannot go on.
public enum WorkflowError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The node that the walk was at has been detached.
  case gone(NodeID)
  /// The node is of another riblet, this one, than the handle says.
  case otherRiblet(NodeID, String)
  /// There is no route of this name in this riblet.
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
