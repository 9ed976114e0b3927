import Wire

/// The state of a restoration: the snapshot's nodes, and what became of them so far.
struct Restoration {
  /// The nodes that no route has asked for so far.
  private var nodes: [NodeID: NodeSnapshot]
  /// The children of restored nodes, by the id of the parent.
  private var children: [NodeID: [String: [String: NodeID]]] = [:]
  /// The snapshots of the nodes that were restored.
  private(set) var restored: [NodeID: NodeSnapshot] = [:]
  private(set) var report = RestoreReport()
  /// Why the snapshot must not be loaded: a newer program has saved one of its nodes.
  private(set) var newer: RestoreError?

  /// Called with each node before its state is decoded or migrated; nil if that is not of interest.
  let willRestore: ((NodeSnapshot) -> Void)?

  init(_ snapshot: TreeSnapshot, _ willRestore: ((NodeSnapshot) -> Void)?) {
    nodes = snapshot.nodes
    self.willRestore = willRestore
  }

  private func id(at place: NodePlace) -> NodeID? { children[place.parent.id]?[place.route]?[place.entry] }

  /// Whether the snapshot has a node at this place below a restored node, and the node was not taken yet.
  func contains(_ place: NodePlace) -> Bool { id(at: place).map { nodes[$0] != nil } ?? false }

  /// Takes the node at a place below a restored node out of the snapshot; nil if there is none.
  mutating func take(_ place: NodePlace) -> NodeSnapshot? { id(at: place).flatMap { take($0) } }

  mutating func take(_ id: NodeID) -> NodeSnapshot? { nodes.removeValue(forKey: id) }

  mutating func didRestore(_ saved: NodeSnapshot) {
    children[saved.id] = saved.children
    restored[saved.id] = saved
    report.restored.append(saved.id)
  }

  /// The report, in which the nodes that no route has asked for are lost.
  func finish() -> RestoreReport {
    var report = report
    for (_, node) in nodes.sorted(by: { $0.key < $1.key }) {
      report.lost.append(RestoreFailure(node, "the node above was not restored, or has it no more"))
    }
    return report
  }

  /// Notes a node as lost; the nodes below it stay in the snapshot, and are lost at the end.
  mutating func didFail(_ failure: RestoreFailure) {
    report.lost.append(failure)
    guard let known = failure.knownVersion, newer == nil else { return }
    newer = .newerSnapshot(type: failure.type, version: failure.version, known: known)
  }

  /// Looks for newer nodes among those that no route has asked for; attached nodes tell the versions that this program
  /// knows.
  mutating func noteNewer(than attached: some Sequence<AnyNode>) {
    let versions = Dictionary(attached.map { ($0.typeName, $0.stateVersion) }, uniquingKeysWith: max)
    for node in nodes.values where newer == nil {
      guard let known = versions[node.type], node.version > known else { continue }
      newer = .newerSnapshot(type: node.type, version: node.version, known: known)
    }
  }
}

extension Riblet {
  /// Makes sure that a saved node has this riblet's type, and no newer version.
  func check(_ saved: NodeSnapshot) throws(RestoreFailure) {
    guard saved.type == Self.typeName else {
      throw RestoreFailure(saved, "\(Self.typeName) is in its place now")
    }
    if saved.version > Self.stateVersion {
      throw RestoreFailure(saved, "version \(saved.version) is newer", knownVersion: Self.stateVersion)
    }
  }

  /// The state that a text is, migrated if an older version has saved it.
  ///
  /// - Parameters:
  ///   - text: the state's JSON, as a snapshot has it.
  ///   - version: the version of the state's shape.
  /// - Returns: the state in its present shape.
  /// - Throws: ``RestoreFailure`` that says why a node with such a state would not be restored.
  package func restoredState(_ text: String, version: Int) throws(RestoreFailure) -> State {
    try restore(
      NodeSnapshot(id: 0, type: Self.typeName, version: version, state: text, children: [:], effects: []))
  }

  /// The saved state, migrated if an older version has saved it.
  func restore(_ saved: NodeSnapshot) throws(RestoreFailure) -> State {
    try check(saved)
    // A state of type `Void` is not saved.
    if State.self == Void.self { return makeState() }
    guard let text = saved.state else {
      throw RestoreFailure(saved, "its state was not Codable")
    }
    do {
      let json = try StateCoder.read(text)
      if saved.version != Self.stateVersion { return try migrate(SavedState(json: json), from: saved.version) }
      guard let type = State.self as? any Decodable.Type, let state = try StateCoder.decode(type, from: json) as? State
      else { throw RestoreFailure(saved, "its state is not Codable any more", isUnreadable: true) }
      return state
    } catch let failure as RestoreFailure {
      throw failure
    } catch {
      throw RestoreFailure(saved, "\(error)", isUnreadable: true)
    }
  }
}
