import Wire

/// What is left of a tree when it leaves memory: everything but running effects.
///
/// It is taken between transactions. A store keeps it node by node; ``TreeCut`` says which ones have changed.
public struct TreeSnapshot: Equatable, Sendable, Codable {
  /// The root's id.
  public var root: NodeID
  /// The greatest id that was given out: none is used again.
  public var lastID: NodeID
  /// The number of transactions so far.
  public var transactions: UInt64
  /// The nodes, by id.
  public var nodes: [NodeID: NodeSnapshot]

  /// Takes over what has changed since the snapshot was taken.
  ///
  /// - Parameter cut: taken after the snapshot, and after the last cut that was applied.
  public mutating func apply(_ cut: TreeCut) {
    root = cut.root
    lastID = cut.lastID
    transactions = cut.transactions
    for id in cut.removed { nodes[id] = nil }
    for node in cut.changed { nodes[node.id] = node }
  }
}

/// What is left of a node.
public struct NodeSnapshot: Equatable, Sendable, Codable {
  /// Its id, which it keeps.
  public let id: NodeID
  /// Its riblet's type, as clients know it.
  public let type: String
  /// The version of its state's shape.
  public let version: Int
  /// Its state as JSON; nil if it is a part of its parent's, or cannot be saved.
  public let state: String?
  /// Its children: by route, and there by the name of their entries.
  public let children: [String: [String: NodeID]]
  /// The effects that ran.
  public let effects: [InterruptedEffect]
}

/// What a store has to write for the transactions since the last cut.
///
/// The state of a child that its parent owns is in the parent's node, however deep.
public struct TreeCut: Equatable, Sendable {
  /// The root's id.
  public let root: NodeID
  /// The greatest id that was given out.
  public let lastID: NodeID
  /// The number of transactions so far.
  public let transactions: UInt64
  /// Nodes that are new or may have changed.
  public let changed: [NodeSnapshot]
  /// Nodes that are gone.
  public let removed: [NodeID]
}

/// What became of a snapshot's nodes.
public struct RestoreReport: Equatable, Sendable {
  /// Nodes that came back as they were, or migrated.
  public fileprivate(set) var restored: [NodeID] = []
  /// Nodes that did not come back, and why: their parents' routes have built others, under new ids, if there is a place for
  /// them.
  public fileprivate(set) var rebuilt: [RestoreFailure] = []
}

/// Why a node could not be restored.
public struct RestoreFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// Its old id.
  public let id: NodeID
  /// Its riblet's type, as the snapshot has it.
  public let type: String
  /// What went wrong.
  public let reason: String
  /// The version that this program knows, if the snapshot's is newer.
  let knownVersion: Int?

  init(id: NodeID, type: String, reason: String, knownVersion: Int? = nil) {
    self.id = id
    self.type = type
    self.reason = reason
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

/// A snapshot while a tree is restored from it.
struct Restoration {
  private let nodes: [NodeID: NodeSnapshot]
  /// The children of nodes that were restored.
  private var children: [NodeID: [String: [String: NodeID]]] = [:]
  private(set) var report = RestoreReport()
  /// A node that a newer program has saved.
  private(set) var newer: RestoreError?

  init(_ snapshot: TreeSnapshot) { nodes = snapshot.nodes }

  /// The node that stood at a place below a restored one.
  func take(_ place: NodePlace) -> NodeSnapshot? {
    children[place.parent.id]?[place.route]?[place.entry].flatMap { nodes[$0] }
  }

  func take(_ id: NodeID) -> NodeSnapshot? { nodes[id] }

  mutating func didRestore(_ saved: NodeSnapshot) {
    children[saved.id] = saved.children
    report.restored.append(saved.id)
  }

  /// The report, with those nodes that nothing asked for.
  func finish() -> RestoreReport {
    var report = report
    let known = Set(report.restored).union(report.rebuilt.map(\.id))
    for (id, node) in nodes.sorted(by: { $0.key < $1.key }) where !known.contains(id) {
      report.rebuilt.append(
        RestoreFailure(id: id, type: node.type, reason: "the node above was not restored, or has it no more"))
    }
    return report
  }

  /// What was below the node goes with it.
  mutating func didFail(_ failure: RestoreFailure) {
    report.rebuilt.append(failure)
    guard let known = failure.knownVersion, let version = nodes[failure.id]?.version, newer == nil else { return }
    newer = .newerSnapshot(type: failure.type, version: version, known: known)
  }
}

extension NodeSnapshot {
  init(_ node: AnyNode) throws(RecordingError) {
    id = node.id
    type = node.typeName
    version = node.stateVersion
    do throws(RecordingError) {
      state = try node.encodeState().map { String(decoding: $0, as: UTF8.self) }
    } catch {
      throw error.below(node.typeName)
    }
    var children: [String: [String: NodeID]] = [:]
    for route in node.attachments {
      var entries: [String: NodeID] = [:]
      for (index, child) in route.children.enumerated() { entries[route.entryName(index)] = child?.id }
      children[route.name] = entries
    }
    self.children = children
    effects = node.effects.map { InterruptedEffect(id: $0.id?.description, key: $0.key, isResumable: $0.isResumable) }
  }
}

extension Riblet {
  /// Makes sure that a node was of this type, and not newer.
  func check(_ saved: NodeSnapshot) throws(RestoreFailure) {
    guard saved.type == Self.typeName else {
      throw RestoreFailure(id: saved.id, type: saved.type, reason: "\(Self.typeName) is in its place now")
    }
    if saved.version > Self.stateVersion {
      throw RestoreFailure(
        id: saved.id, type: saved.type, reason: "version \(saved.version) is newer", knownVersion: Self.stateVersion)
    }
  }

  /// The state that was saved, migrated if it is an old one.
  func restore(_ saved: NodeSnapshot) throws(RestoreFailure) -> State {
    try check(saved)
    // Nothing is saved of nothing.
    if State.self == Void.self { return makeState() }
    guard let text = saved.state else {
      throw RestoreFailure(id: saved.id, type: saved.type, reason: "its state was not Codable")
    }
    do {
      let json = try StateCoder.read(text)
      if saved.version != Self.stateVersion { return try migrate(SavedState(json: json), from: saved.version) }
      guard let type = State.self as? any Decodable.Type, let state = try StateCoder.decode(type, from: json) as? State
      else { throw RestoreFailure(id: saved.id, type: saved.type, reason: "its state is not Codable any more") }
      return state
    } catch let failure as RestoreFailure {
      throw failure
    } catch {
      throw RestoreFailure(id: saved.id, type: saved.type, reason: "\(error)")
    }
  }
}
