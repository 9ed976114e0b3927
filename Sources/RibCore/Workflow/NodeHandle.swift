/// A node of a known riblet, as a walk through the tree holds it: what a deep link goes along.
///
/// A walk is an `async` function. Each step waits for the child it needs, then changes the state of the node it is at, in a
/// transaction of its own:
///
///     { root in
///       let home = try await root.child(Home.self)
///       try await home.update { state in
///         state.detail.attach(.init(count: 3))
///         return .none
///       }
///       let detail = try await home.child(Detail.self, on: "detail")
///     }
public struct NodeHandle<R: Riblet>: Sendable {
  /// The node's id.
  public let id: NodeID
  private let port: WorkflowPort

  /// A handle, for a driver to begin a walk with.
  ///
  /// - Parameters:
  ///   - id: the node's.
  ///   - port: the way to the driver.
  package init(id: NodeID, port: @escaping WorkflowPort) {
    self.id = id
    self.port = port
  }

  /// Waits until there is an active child of a type, and goes on to it.
  ///
  /// - Parameters:
  ///   - type: the child's; a type of the same name is no match.
  ///   - route: the route to look on; all of them if nil. Of several children the first is taken.
  /// - Returns: the child.
  /// - Throws: ``WorkflowError/gone(_:)`` if this node is detached before; `CancellationError`.
  public func child<C: Riblet>(_ type: C.Type = C.self, on route: String? = nil) async throws -> NodeHandle<C> {
    let request = WorkflowRequest(node: id, waitsFor: C.typeName, step: .child(route) { $0 is Node<C> })
    return NodeHandle<C>(id: try await port(request), port: port)
  }

  /// Changes the node's state, in a transaction of its own, once the node is active.
  ///
  /// - Parameter change: works on the state in place; the effect it returns is the node's.
  /// - Throws: ``WorkflowError`` if the node is detached or another; ``Refusal`` if the transaction cannot be completed.
  public func update(_ change: @escaping @Sendable (inout R.State) -> Effect<R>) async throws {
    let step = WorkflowRequest.Step.update { node, tree in
      guard let node = node as? Node<R> else { return false }
      node.reduce(in: tree, .walk) { _, state in change(&state) }
      return true
    }
    _ = try await port(WorkflowRequest(node: id, waitsFor: R.typeName, step: step))
  }

  /// Sends the riblet an internal action, in a transaction of its own.
  ///
  /// - Parameter action: the action.
  /// - Throws: ``WorkflowError`` if the node is detached or another; ``Refusal`` if the transaction cannot be completed.
  public func send(_ action: R.InternalAction) async throws { try await update { _ in .send(action) } }
}
