import Wire

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
