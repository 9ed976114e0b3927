/// A typed node at which a walk through the tree stands: what a deep link is made of.
///
/// A walk is an `async` function. Each step waits for the child that it needs, then changes the state of the node at
/// which the walk stands, in a transaction of its own:
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
  package let id: NodeID
  private let port: WorkflowPort

  /// A handle with which a driver begins a walk.
  package init(id: NodeID, port: @escaping WorkflowPort) {
    self.id = id
    self.port = port
  }

  /// Waits until there is an active child of a type, and goes on to that child.
  ///
  /// - Parameters:
  ///   - type: the child's riblet; another type with the same type name does not match.
  ///   - route: the route on which to look; nil for all of them. If several children match, the one in front is taken,
  ///     or else the first.
  /// - Returns: a handle of the child.
  /// - Throws: ``WorkflowError/gone(_:)`` if this node is detached meanwhile, ``WorkflowError/noRoute(_:_:)``, or
  ///   `CancellationError`.
  public func child<C: Riblet>(_ type: C.Type = C.self, on route: String? = nil) async throws -> NodeHandle<C> {
    let request = WorkflowRequest(node: id, waitsFor: C.typeName, step: .child(route) { $0 is Node<C> })
    return NodeHandle<C>(id: try await port(request), port: port)
  }

  /// Changes the node's state once the node is active, in a transaction of its own, and carries out the returned
  /// effect.
  ///
  /// - Throws: ``WorkflowError`` if the node is detached or of another riblet; ``Refusal`` if the transaction is rolled
  ///   back.
  public func update(_ change: @escaping @Sendable (inout R.State) -> Effect<R>) async throws {
    let step = WorkflowRequest.Step.update { node, tree in
      guard let node = node as? Node<R> else { return false }
      node.reduce(in: tree, .walk) { _, state in change(&state) }
      return true
    }
    _ = try await port(WorkflowRequest(node: id, waitsFor: R.typeName, step: step))
  }

  /// Sends the riblet an internal action once the node is active, in a transaction of its own.
  ///
  /// - Throws: ``WorkflowError`` if the node is detached or of another riblet; ``Refusal`` if the transaction is rolled
  ///   back.
  public func send(_ action: R.InternalAction) async throws { try await update { _ in .send(action) } }
}
