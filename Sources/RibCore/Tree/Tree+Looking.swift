/// A node as somebody sees it who looks at a tree from outside.
package struct SeenNode: Equatable, Sendable {
  /// The node's id.
  package let id: NodeID
  /// The parent's id; nil for the root.
  package let parent: NodeID?
  /// The riblet's type.
  package let typeName: String
  /// The route by which the parent has the node; empty for the root.
  package let route: String
  /// Whether the riblet takes actions and runs effects.
  package let isActive: Bool
  /// The version of the state's shape.
  package let stateVersion: Int
  /// The names of the effects that run; nil for an effect without a name.
  package let effects: [EffectID?]
}

extension Tree {
  /// The nodes, each behind its parent; none that is deeper before all that are less deep.
  ///
  /// - Parameter limit: how many nodes are told of at most.
  /// - Returns: the first nodes.
  package func seenNodes(atMost limit: Int) -> [SeenNode] {
    guard let root else { return [] }
    var waiting: [(node: AnyNode, route: String)] = [(root, "")]
    var next = 0
    while next < waiting.count, waiting.count < limit {
      for route in waiting[next].node.attachments {
        for case let child? in route.children where waiting.count < limit { waiting.append((child, route.name)) }
      }
      next += 1
    }
    return waiting.prefix(limit).map { node, route in
      SeenNode(
        id: node.id, parent: node.parent?.id, typeName: node.typeName, route: route, isActive: node.isActive,
        stateVersion: node.stateVersion, effects: node.effects.map(\.id))
    }
  }

  /// The bytes of all states as they are saved, at most; 0 if no changes are noted.
  package var stateSize: Int { nodes.values.reduce(0) { $0 + ($1.stateWriter?.log.sizeBound ?? 0) } }
}

extension TreeEvent {
  /// The kind of event, in one word.
  package var kind: String {
    switch self {
    case .attached: "attached"
    case .detached: "detached"
    case .activated: "activated"
    case .deactivated: "deactivated"
    case .committed: "committed"
    case .undone: "undone"
    case .effectStarted: "effectStarted"
    case .effectEnded: "effectEnded"
    }
  }

  /// The riblet's type; nil for an event of no riblet.
  package var typeName: String? {
    switch self {
    case .attached(_, let type, _), .detached(_, let type), .activated(_, let type), .deactivated(_, let type),
      .effectStarted(_, let type, _), .effectEnded(_, let type, _):
      type
    case .committed, .undone: nil
    }
  }

  /// The rest of what has happened, for a person; it may have what users have typed.
  package var summary: String { summary(name: { $0?.description ?? "" }, reason: { $0 }) }

  /// The same without what users may have typed: no reason, and of an effect's name the case alone.
  package var publicSummary: String { summary(name: { $0?.publicName ?? "" }, reason: { _ in "" }) }

  private func summary(name: (EffectID?) -> String, reason: (String) -> String) -> String {
    switch self {
    case .attached(let id, _, let parent): parent.map { "node \(id) below \($0)" } ?? "node \(id)"
    case .detached(let id, _), .activated(let id, _), .deactivated(let id, _): "node \(id)"
    case .committed(let transaction): "transaction \(transaction)"
    case .undone(let text): reason(text)
    case .effectStarted(_, _, let id), .effectEnded(_, _, let id): name(id)
    }
  }
}
