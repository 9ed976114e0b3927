import Wire

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
  public init(id: NodeID, port: @escaping WorkflowPort) {
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

  /// Changes the node's state, in a transaction of its own.
  ///
  /// - Parameter change: works on the state in place; the effect it returns is the node's.
  /// - Throws: ``WorkflowError`` if the node is detached or another; ``Refusal`` if the transaction cannot be completed.
  public func update(_ change: @escaping @Sendable (inout R.State) -> Effect<R>) async throws {
    let step = WorkflowRequest.Step.update { node, tree in
      guard let node = node as? Node<R> else { return false }
      node.reduce(in: tree) { _, state in change(&state) }
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

/// The way of a walk's requests to the tree's driver, which answers with the id of the node that was asked for.
///
/// The driver asks ``Tree/answer(_:rendering:)``; as long as that says ``WorkflowAnswer/waiting``, it asks again after each
/// transaction.
public typealias WorkflowPort = @Sendable (WorkflowRequest) async throws -> NodeID

/// What a walk wants of a tree.
public struct WorkflowRequest: Sendable {
  enum Step: Sendable {
    case child(String?, @Sendable (AnyNode) -> Bool)
    case update(@Sendable (AnyNode, Tree) -> Bool)
  }

  /// The node that the walk is at.
  public let node: NodeID
  /// The type of the riblet that it is about, for logs.
  public let waitsFor: String
  let step: Step
}

/// What a tree answers to a walk.
public enum WorkflowAnswer: Sendable {
  /// It is done; this is the node, and effects to start and to cancel.
  case node(NodeID, [EffectCommand])
  /// The child is not there yet.
  case waiting
}

/// A walk that cannot go on.
public enum WorkflowError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The node that the walk was at has been detached.
  case gone(NodeID)
  /// The node is of another riblet, this one, than the handle says.
  case otherRiblet(NodeID, String)

  /// One sentence for a log.
  public var description: String {
    switch self {
    case .gone(let id): "Node \(id) was detached before the walk through it had ended."
    case .otherRiblet(let id, let type): "Node \(id) is of \(type), and not of the riblet that the walk takes it for."
    }
  }
}

extension Tree {
  /// Does a step of a walk, if it can be done.
  ///
  /// - Parameters:
  ///   - request: the step.
  ///   - renderer: gets the patch, without operations if nothing visible changed.
  /// - Returns: the node, or that it is to be waited for.
  /// - Throws: ``WorkflowError`` or ``Refusal``; nothing has changed then.
  public func answer(_ request: WorkflowRequest, rendering renderer: ViewRenderer) throws -> WorkflowAnswer {
    guard let node = node(request.node) else { throw WorkflowError.gone(request.node) }
    switch request.step {
    case .child(let route, let matches):
      renderer.patch.removeAll()
      let children: [AnyNode?] = route.map { node.children(on: $0) ?? [] } ?? node.children
      for case let child? in children where child.isActive && matches(child) { return .node(child.id, []) }
      return .waiting
    case .update(let change):
      var isIts = true
      let commands = try transact(renderer) { () throws(Refusal) in isIts = change(node, self) }
      guard isIts else { throw WorkflowError.otherRiblet(node.id, node.typeName) }
      return .node(node.id, commands)
    }
  }
}
