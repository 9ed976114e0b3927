/// What became of a snapshot's nodes.
public struct RestoreReport: Equatable, Sendable {
  /// Nodes that came back as they were, or migrated.
  public internal(set) var restored: [NodeID] = []
  /// Nodes that did not come back, and why: their parents' routes have built others, under new ids, if there is a place for
  /// them.
  public internal(set) var lost: [RestoreFailure] = []
}

/// Why a node could not be restored.
public struct RestoreFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// Its old id.
  public let id: NodeID
  /// Its riblet's type, as the snapshot has it.
  public let type: String
  /// The effects that ran when it was saved, and that no riblet was told of: a payment may have been cut off.
  public let interrupted: [InterruptedEffect]
  /// What went wrong.
  public let reason: String
  /// Whether the node is still asked for, and only its state could not be decoded or migrated.
  ///
  /// Another version of the code may be able to. Otherwise there is no place for the node any more.
  public let isUnreadable: Bool
  /// The version of its state.
  let version: Int
  /// The version that this program knows, if the snapshot's is newer.
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
  public var description: String { "Node \(id) of type \(type) was not restored: \(reason)" }
}

/// A snapshot that is not loaded at all.
public enum RestoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A later version of the code has saved it: loading it would lose what this version does not know.
  case newerSnapshot(type: String, version: Int, known: Int)
  /// The tree that comes of it does not settle, or cannot be shown.
  case refused(Refusal)

  /// One sentence for a log.
  public var description: String {
    switch self {
    case .newerSnapshot(let type, let version, let known):
      "\(type) was saved in version \(version), and this program knows \(known): start a newer program."
    case .refused(let refusal): refusal.message
    }
  }
}
