import Wire

/// What a test library looks into, and no app.
extension Tree {
  /// Runs a view action that needs no decoding.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - id: the node.
  ///   - type: the riblet's.
  ///   - renderer: gets the patch.
  /// - Returns: effects to start and to cancel.
  /// - Throws: ``Refusal``; nothing has changed then.
  package func perform<R: Riblet>(
    _ action: R.ViewAction, for id: NodeID, of type: R.Type, rendering renderer: ViewRenderer
  ) throws(Refusal) -> [EffectCommand] {
    try transact(renderer) { () throws(Refusal) in
      let node = try activeNode(at: .id(id))
      guard let node = node as? Node<R> else {
        throw Refusal(.badAction, "Node \(id) is of \(node.typeName), not of \(R.typeName).")
      }
      node.perform(action, in: self)
    }
  }

  /// Tells the root its props, which the tree asks for, if they are others than before.
  ///
  /// - Parameter renderer: gets the patch.
  /// - Returns: effects to start and to cancel.
  /// - Throws: ``Refusal``; nothing has changed then.
  package func updateProps(rendering renderer: ViewRenderer) throws(Refusal) -> [EffectCommand] {
    try transact(renderer) { () throws(Refusal) in
      guard let root else { preconditionFailure("a tree that is not started has no root to be told anything") }
      root.updateProps(in: self)
    }
  }

  /// The nodes that the transaction which ends may have changed, and that are attached: to be asked for in ``onEnd``.
  package var touchedNodes: [NodeID] { transaction.touched.filter(\.isAttached).map(\.id) }

  /// The state of a node.
  ///
  /// - Parameters:
  ///   - id: the node.
  ///   - type: the riblet's.
  /// - Returns: the state; nil if there is no such node of this type.
  package func state<R: Riblet>(of id: NodeID, _ type: R.Type) -> R.State? { (nodes[id] as? Node<R>)?.cell.state }

  /// The state of a node, and the one that comes back when it is saved and restored.
  ///
  /// - Parameter id: the node.
  /// - Returns: both; nil if the state is not the node's own, or cannot be saved.
  /// - Throws: `RecordingError` or `DecodingError`.
  package func roundTrip(of id: NodeID) throws -> (state: Any, restored: Any)? { try nodes[id]?.roundTrip() }

  /// A route whose children are not those that its node's state asks for; nil if there is none.
  package var staleRoute: (node: NodeID, route: String)? {
    nodes.values.lazy.compactMap { node in node.staleRoute.map { (node.id, $0) } }.first
  }

  /// As many bytes as the state of a node can have when it is saved.
  ///
  /// - Parameter id: the node.
  /// - Returns: nil if the state is not the node's own, or cannot be saved, or the tree does not note changes.
  package func stateSize(of id: NodeID) -> Int? { nodes[id]?.stateWriter?.log.sizeBound }

  /// The node at a path.
  ///
  /// - Parameter path: from the root.
  /// - Returns: its id; nil if there is none.
  package func id(at path: String) -> NodeID? { try? node(at: .path(path)).id }

  /// Where a node is.
  ///
  /// - Parameter id: the node.
  /// - Returns: its path, with every index; nil if there is no such node, or it has no place yet.
  package func path(of id: NodeID) -> String? {
    guard var node = nodes[id] else { return nil }
    var steps: [String] = []
    while let parent = node.parent {
      let step = parent.attachments.lazy.compactMap { route in
        route.children.firstIndex { $0 === node }.map { "\(route.name)[\($0)]" }
      }.first
      guard let step else { return nil }
      steps.append(step)
      node = parent
    }
    return steps.reversed().joined(separator: "/")
  }

  /// The children of a node, in the order of its routes.
  ///
  /// - Parameter id: the node.
  /// - Returns: each with its place, `route[index]`; nil for one that is not attached yet.
  package func children(of id: NodeID) -> [(place: String, id: NodeID?)] {
    nodes[id]?.attachments.flatMap { route in
      route.children.enumerated().map { ("\(route.name)[\($0)]", $1?.id) }
    } ?? []
  }

  /// The node whose effect this is.
  ///
  /// - Parameter token: of the effect.
  /// - Returns: its id; nil if the effect does not run.
  package func node(of token: EffectToken) -> NodeID? { running[token]?.id }

  /// Whether a node's state is another's, or a part of it.
  ///
  /// - Parameters:
  ///   - id: the node.
  ///   - whole: the other.
  /// - Returns: whether it is.
  package func isPart(_ id: NodeID, of whole: NodeID) -> Bool {
    var node = nodes[id]
    while let current = node, current.id != whole { node = current.isEmbedded ? current.parent : nil }
    return node != nil
  }
}
