import Wire

extension Tree {
  /// Does a step of a walk if that is possible now.
  ///
  /// The answer is ``WorkflowAnswer/waiting`` as long as there is no such child, or the node to be changed is not
  /// active. The renderer has the patch afterwards, without operations if nothing visible changed.
  ///
  /// - Throws: ``WorkflowError`` or ``Refusal``; the tree is as it was before then.
  package func answer(_ request: WorkflowRequest, rendering renderer: ViewRenderer) throws -> WorkflowAnswer {
    guard let node = node(request.node) else { throw WorkflowError.gone(request.node) }
    lastTypeName = node.typeName
    switch request.step {
    case .child(let name, let matches):
      renderer.patch.removeAll()
      let routes = node.attachments.filter { name == nil || $0.name == name }
      if let name, routes.isEmpty { throw WorkflowError.noRoute(name, node.typeName) }
      for route in routes {
        // The child in front comes first: a stack may have another child of this type below it.
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
