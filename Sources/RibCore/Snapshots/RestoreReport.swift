/// What became of the nodes of a snapshot.
package struct RestoreReport: Equatable, Sendable {
  /// The nodes that were restored, some of them migrated.
  package internal(set) var restored: [NodeID] = []
  /// The nodes that were not restored, and why; where they still have a place, the parent's route has built a new node
  /// under a new id.
  package internal(set) var lost: [RestoreFailure] = []
}

/// Why a node could not be restored.
package struct RestoreFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The id that the node had.
  package let id: NodeID
  /// The type name of the node's riblet in the snapshot.
  package let type: String
  /// The effects that ran when the node was saved, and of which no riblet was told: a payment may have been cut off.
  package let interrupted: [InterruptedEffect]
  /// What went wrong.
  package let reason: String
  /// Whether there still is a place for the node, and only its state could not be decoded or migrated.
  ///
  /// Another version of the code may be able to restore it.
  package let isUnreadable: Bool
  /// The version of the saved state's shape.
  let version: Int
  /// The version that this program knows, if the saved one is newer; nil otherwise.
  let knownVersion: Int?

  init(_ node: NodeSnapshot, _ reason: String, knownVersion: Int? = nil, isUnreadable: Bool = false) {
    id = node.id
    type = node.type
    version = node.version
    interrupted = node.effects
    self.reason = reason
    self.isUnreadable = isUnreadable
    self.knownVersion = knownVersion
  }

  /// One sentence for a log.
  package var description: String { "Node \(id) of type \(type) was not restored: \(reason)" }
}

/// Why a snapshot was not loaded at all.
package enum RestoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A later version of the code has saved a node: loading the snapshot would lose what this version does not know.
  case newerSnapshot(type: String, version: Int, known: Int)
  /// The restored tree does not settle, or cannot be shown.
  case refused(Refusal)

  /// One sentence for a log.
  package var description: String {
    switch self {
    case .newerSnapshot(let type, let version, let known):
      "\(type) was saved in version \(version), and this program knows \(known): start a newer program."
    case .refused(let refusal): refusal.message
    }
  }
}
