import Wire

extension Tree {
  /// Does a step of a walk, if it can be done.
  ///
  /// - Parameters:
  ///   - request: the step.
  ///   - renderer: gets the patch, without operations if nothing visible changed.
  /// - Returns: the node, or that it is to be waited for: for a child to be there, or for the node to be active.
  /// - Throws: ``WorkflowError`` or ``Refusal``; nothing has changed then.
  package func answer(_ request: WorkflowRequest, rendering renderer: ViewRenderer) throws -> WorkflowAnswer {
    guard let node = node(request.node) else { throw WorkflowError.gone(request.node) }
    lastTypeName = node.typeName
    switch request.step {
    case .child(let name, let matches):
      renderer.patch.removeAll()
      let routes = node.attachments.filter { name == nil || $0.name == name }
      if let name, routes.isEmpty { throw WorkflowError.noRoute(name, node.typeName) }
      for route in routes {
        // What is in front comes first: a stack may have another of the kind below.
        let inFront = route.front.flatMap { route.children[$0] }
        for case let child? in [inFront] + route.children where child.isActive && matches(child) {
          return .node(child.id, [])
        }
      }
      return .waiting
    case .update(let change):
      guard node.isActive else {
        renderer.patch.removeAll()
        return .waiting
      }
      var isIts = true
      recorder?.begin(.walk(node: node.id, type: node.typeName))
      let commands = try transact(renderer) { () throws(Refusal) in isIts = change(node, self) }
      guard isIts else { throw WorkflowError.otherRiblet(node.id, node.typeName) }
      return .node(node.id, commands)
    }
  }
}
