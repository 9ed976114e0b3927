package import Wire

extension Tree {
  /// The type name of the riblet at an address; nil if there is no such node.
  package func typeName(at address: NodeAddress) -> String? { try? node(at: address).typeName }

  /// The name of an action's case, as the riblet at an address reads the action.
  ///
  /// - Parameters:
  ///   - action: a client's action; it is decoded for this.
  ///   - address: the riblet's.
  /// - Returns: nil if there is no such node, or the riblet's actions are no cases of an enumeration, or this one is none of them.
  package func actionName(of action: JSONElement, for address: NodeAddress) -> String? {
    (try? node(at: address))?.actionName(of: action)
  }

  /// Takes note which riblet an action was for that the tree does not get: ``lastTypeName`` is that riblet's.
  package func noteTarget(_ address: NodeAddress) { lastTypeName = typeName(at: address) }

  /// Whether the riblet at an address is active; nil if there is no such node.
  package func isActive(at address: NodeAddress) -> Bool? { try? node(at: address).isActive }

  func activeNode(at address: NodeAddress) throws(Refusal) -> AnyNode {
    lastTypeName = nil
    let node = try node(at: address)
    lastTypeName = node.typeName
    guard node.isActive else {
      throw Refusal(.inactive, "\(node.typeName) \(node.id) is not active: another child of its container is in front.")
    }
    return node
  }

  /// Whether a riblet of the tree takes secrets: an action that does not decode may have been meant for that riblet.
  ///
  /// Computed anew each time, as only a refusal needs it.
  var takesSecrets: Bool {
    var classes: Set<ObjectIdentifier> = []
    return nodes.values.contains { node in
      classes.insert(ObjectIdentifier(type(of: node))).inserted && node.secret == .present
    }
  }

  func node(_ id: NodeID) -> AnyNode? { nodes[id] }

  func node(at address: NodeAddress) throws(Refusal) -> AnyNode {
    switch address {
    case .id(let id):
      guard let node = nodes[id] else { throw Refusal(.gone, "There is no node \(id).") }
      return node
    case .path(let path):
      guard let node = root.flatMap({ Self.walk(path, from: $0) }) else {
        throw Refusal(.gone, "There is no node at \"\(path)\".")
      }
      return node
    }
  }

  /// Follows `route[index]/route[index]…`; the index may be left out for the first child.
  private static func walk(_ path: String, from root: AnyNode) -> AnyNode? {
    guard !path.isEmpty else { return root }
    var node = root
    for step in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      var name = step
      var index = 0
      if step.last == UInt8(ascii: "]"), let bracket = step.lastIndex(of: UInt8(ascii: "[")) {
        let digits = step[bracket...].dropFirst().dropLast()
        guard digits.allSatisfy({ 48...57 ~= $0 }), let number = Int(Substring(digits)) else { return nil }
        name = step[..<bracket]
        index = number
      }
      guard let children = node.children(on: name), children.indices.contains(index),
        let child = children[index]
      else { return nil }
      node = child
    }
    return node
  }
}
