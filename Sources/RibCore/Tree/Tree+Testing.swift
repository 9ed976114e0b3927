import Wire

/// Access for a test library; no app needs it.
extension Tree {
  /// Runs a view action that needs no decoding.
  ///
  /// - Throws: ``Refusal``; the tree is as it was before then.
  package func perform<R: Riblet>(
    _ action: R.ViewAction, for id: NodeID, of type: R.Type, by client: ActingClient, rendering renderer: ViewRenderer
  ) throws(Refusal) -> [EffectCommand] {
    try transact(renderer) { () throws(Refusal) in
      let node = try activeNode(at: .id(id))
      guard let node = node as? Node<R> else {
        throw Refusal(.badAction, "Node \(id) is of \(node.typeName), not of \(R.typeName).")
      }
      node.perform(action, by: client, in: self)
    }
  }

  /// Asks for the root's props again, and has the root reduce them if they differ from the last ones.
  ///
  /// - Throws: ``Refusal``; the tree is as it was before then.
  package func updateProps(rendering renderer: ViewRenderer) throws(Refusal) -> [EffectCommand] {
    try transact(renderer) { () throws(Refusal) in
      guard let root else { preconditionFailure("a tree that is not started has no root to be told anything") }
      root.updateProps(in: self)
    }
  }

  /// The attached nodes that the ending transaction may have changed; to be read in ``onEnd`` only.
  package var touchedNodes: [NodeID] { transaction.touched.filter(\.isAttached).map(\.id) }

  /// The state of a node; nil if there is no such node of this type.
  package func state<R: Riblet>(of id: NodeID, _ type: R.Type) -> R.State? { (nodes[id] as? Node<R>)?.cell.state }

  /// The state of a node, and the state that is decoded from its JSON; nil if the node has no state of its own to save.
  ///
  /// - Throws: `CaptureError` or `DecodingError`.
  package func roundTrip(of id: NodeID) throws -> (state: Any, restored: Any)? { try nodes[id]?.roundTrip() }

  /// A secret in what clients see of a node; nil if there is none.
  package func secretShown(by id: NodeID) -> SecretLeak? {
    guard let node = nodes[id], node.isViewable else { return nil }
    return SecretBan.leak { () throws(CaptureError) in
      var json = JSONWriter()
      try node.writeShown(into: &json, ViewEncoder())
    }
  }

  /// A secret in the state of a node, as a store is given it; nil if there is none, or the node has no state of its own to save.
  package func secretSaved(by id: NodeID) -> SecretLeak? {
    guard let node = nodes[id] else { return nil }
    return SecretBan.leak { () throws(CaptureError) in _ = try node.encodeState(StateCoder.makeEncoder()) }
  }

  /// A route whose children do not match its node's state; nil if there is none.
  package var staleRoute: (node: NodeID, route: String)? {
    nodes.values.lazy.compactMap { node in node.staleRoute.map { (node.id, $0) } }.first
  }

  /// The greatest number of bytes that a node's saved state can have; nil if the node has no state of its own to save,
  /// or the tree does not note changes.
  package func stateSize(of id: NodeID) -> Int? { nodes[id]?.stateWriter?.log.sizeBound }

  /// The id of the node at a path from the root; nil if there is none.
  package func id(at path: String) -> NodeID? { try? node(at: .path(path)).id }

  /// The path of a node, with every index; nil if there is no such node, or it has no place in its parent yet.
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

  /// The children of a node in the order of its routes, each with its place, `route[index]`; the id of a child that is
  /// not attached yet is nil.
  package func children(of id: NodeID) -> [(place: String, id: NodeID?)] {
    nodes[id]?.attachments.flatMap { route in
      route.children.enumerated().map { ("\(route.name)[\($0)]", $1?.id) }
    } ?? []
  }

  /// The id of the node that runs an effect; nil if the effect does not run.
  package func node(of token: EffectToken) -> NodeID? { running[token]?.id }

  /// Whether a node is `whole`, or has its state embedded in that of `whole`, however deep.
  package func isPart(_ id: NodeID, of whole: NodeID) -> Bool {
    var node = nodes[id]
    while let current = node, current.id != whole { node = current.isEmbedded ? current.parent : nil }
    return node != nil
  }
}
