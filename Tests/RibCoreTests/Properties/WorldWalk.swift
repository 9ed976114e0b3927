import RibCore
import RibTesting
import Testing
import Wire

/// Random steps in a ``World``, and in a twin of it that spares itself the ones that fail and that is never restored.
///
/// - After each step a client's mirror is what the server would send to a new client: value by value, and at the end of the
///   walk byte by byte.
/// - After a step that was refused everything is as it was before.
/// - Now and then each node is compared with the view of its state, the world with its twin, and the snapshot with what a
///   store has put together of the cuts.
/// - Now and then the world is saved, by way of cuts or of a snapshot, and the walk goes on in the one that is restored.
struct WorldWalk {
  private let seed: UInt64
  private var random: SeededGenerator
  private var world: WorldSession
  private let twin: WorldSession
  /// What a store has, and what it still is to be given.
  private var stored: TreeSnapshot
  private var waiting: TreeCut?
  private var isAtRest = false
  /// A failure that is to come.
  private var slowFailure: WorldFailure?
  /// Whether there may be a part that has no view, below an element that is not the first with its id.
  private var mayHaveUnseen = false
  /// What was done.
  private(set) var trail: [String] = []
  /// What has happened, by its kind.
  let notes = Notes()

  init(seed: UInt64, _ slowFailure: WorldFailure?) throws {
    self.seed = seed
    self.slowFailure = slowFailure
    random = SeededGenerator(state: seed)
    world = try WorldSession(seed: seed)
    twin = try WorldSession(seed: seed)
    stored = TreeSnapshot(world.tree.takeCut())
    try requireFreshView()
  }

  mutating func step() throws {
    let step = try nextStep()
    trail.append("\(step)")
    let isRefused = step.mayFail || step.node.map { world.tree.isActive(at: .id($0)) != true } ?? false
    let before = isRefused || mayHaveUnseen || chance(8) ? try Moment(world) : nil
    if let refusal = try world.perform(step) {
      try requireUndone(step, refusal, try #require(before, "\(refusal.message)"))
    } else {
      switch step {
      case .rest: isAtRest = true
      case .wake: isAtRest = false
      case .act(_, _, _?): mayHaveUnseen = true
      case .act, .back, .end: break
      }
      try #require(try twin.perform(step) == nil)
    }
    try #require(world.mirror == (try world.snapshotOfView()), "the mirror is not the view")
    if chance(3) { try requireFreshView() }
    if chance(4) { try requireLikeness() }
    if chance(4) { try cut() }
    if chance(10), !isAtRest { try restore() }
  }

  /// Compares what is left.
  mutating func finish() throws {
    // In the form of RFC 8785, in which equal values have the same bytes.
    try #require(exactText(world.mirror) == exactText(try world.snapshotOfView()), "the mirror is not the view")
    try requireFreshView()
    try requireLikeness()
    try Self.requireLikeness(try world.tree.snapshot(), try twin.tree.snapshot())
    notes.add(world.notes)
  }

  private mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

  // MARK: Steps

  private mutating func nextStep() throws -> WorldStep {
    if isAtRest, chance(2) { return .wake }
    // Half of the time the root or another one that has lists: there are fewer of them.
    let isOwner = chance(2)
    let nodes = world.nodes.filter { !isOwner || $0.type == "World" || $0.type == "Plot" && $0.id % 4 == 0 }
    let node = try #require(nodes.randomElement(using: &random))
    if let slowFailure, trail.count > 20, world.tree.isActive(at: .id(node.id)) == true {
      self.slowFailure = nil
      return try action(of: node, slowFailure)
    }
    switch Int.random(in: 0..<40, using: &random) {
    case 0, 1: return .back(node.id)
    case 2 where !isAtRest: return .rest
    case 3..<6:
      // What begins whenever a riblet comes to the front does not end by itself.
      if let (id, name) = world.running.filter({ $0.name != "front" }).randomElement(using: &random) {
        return .end(id, name)
      }
    default: break
    }
    return try action(of: node, chance(4) ? .random(using: &random) : nil)
  }

  private mutating func action(of node: (id: NodeID, type: String), _ failure: WorldFailure?) throws -> WorldStep {
    let action: any Encodable =
      switch node.type {
      case "World": WorldAction<World.Change>.random(failure, using: &random)
      case "Plot": WorldAction<Plot.Change>.random(failure, using: &random)
      case "Sprig": WorldAction<Sprig.Change>.random(failure, using: &random)
      case "Fog": WorldAction<Fog.Change>.random(failure, using: &random)
      case "Veil": WorldAction<Veil.Change>.random(failure, using: &random)
      default: WorldAction<Pond.Change>.random(failure, using: &random)
      }
    return .act(node.id, String(decoding: try StateCoder.encode(action), as: UTF8.self), failure)
  }

  // MARK: Patches

  /// Checks that what is shown is what the states are shown as now.
  private func requireFreshView() throws {
    for (id, type) in world.nodes {
      guard let fresh = try world.freshView(of: id) else { continue }
      let shown = try #require(world.mirror["nodes"]?["\(id)"]?["state"])
      try #require(shown.text == fresh.text, "\(type) \(id) shows what it was")
    }
  }

  // MARK: Undo

  private func requireUndone(_ step: WorldStep, _ refusal: Refusal, _ before: Moment) throws {
    try #require(try Moment(world) == before, "refused, and not undone: \(refusal.message)")
    guard case .act(let id, _, let failure) = step, world.tree.isActive(at: .id(id)) == true else { return }
    guard let failure else { return try #require(mayHaveUnseen, "refused: \(refusal.message)") }
    notes.count("failed: \(failure)")
    notes.count("failed in \(try #require(before.snapshot.nodes[id]).type)")
    let isRefusal = refusal.code == .refused
    try #require(isRefusal || refusal.code == .failed, "\(refusal)")
  }

  // MARK: Saving

  private mutating func cut() throws {
    let cut = world.tree.takeCut()
    for node in cut.changed { notes.count("cut: \(node.state.kind)") }
    if waiting == nil { waiting = cut } else { waiting?.append(cut) }
    guard let waiting, !chance(3) else { return }
    stored.apply(waiting)
    if chance(4) { stored.apply(waiting) }
    self.waiting = nil
    try #require(try stored.normalized == world.tree.snapshot().normalized, "what was cut is not the snapshot")
  }

  private mutating func restore() throws {
    let snapshot = try world.tree.snapshot()
    if chance(2) {
      let cut = world.tree.takeCut()
      waiting?.append(cut)
      stored.apply(waiting ?? cut)
      notes.count("restored from cuts")
    } else {
      let json = try StateCoder.encode(snapshot)
      stored = try StateCoder.decode(from: try StateCoder.read(String(decoding: json, as: UTF8.self)))
      notes.count("restored from a snapshot")
    }
    waiting = nil
    trail.append("restore")
    let restored = try WorldSession(seed: seed, restoring: stored)
    let report = try #require(restored.report)
    try #require(report.lost == [])
    try #require(Set(report.restored) == Set(snapshot.nodes.keys))
    try #require(restored.mirror.comparable.text == world.mirror.comparable.text, "restored, it shows something else")
    try Self.requireLikeness(try restored.tree.snapshot(), snapshot)
    try #require(flashes(of: restored).allSatisfy { $0 == .integer(0) }, "what is transient came back")
    if flashes(of: world).contains(where: { $0 != .integer(0) }) { notes.count("what is transient is gone") }
    try #require(restored.tree.effectCount == world.tree.effectCount)
    notes.add(world.notes)
    world = restored
    try requireFreshView()
  }

  /// What is transient of the nodes that are seen.
  private func flashes(of session: WorldSession) -> [JSONValue] {
    session.nodes.compactMap { id, type in
      let state = session.mirror["nodes"]?["\(id)"]?["state"]
      return type == "Pond" ? state?["common"]?["flash"] : state?["flash"]
    }
  }

  // MARK: The twin

  private func requireLikeness() throws {
    try #require(world.mirror.comparable.text == twin.mirror.comparable.text, "the twin shows something else")
    try #require(world.tree.effectCount == twin.tree.effectCount)
  }

  /// A node as it is whether or not its tree was restored: the keys of its effects are others then, and their order.
  private struct ComparableNode: Equatable {
    let id: NodeID
    let type: String
    let state: String?
    let children: [String: [String: NodeID]]
    let effects: [String]
  }

  private static func requireLikeness(_ ours: TreeSnapshot, _ theirs: TreeSnapshot) throws {
    let (ours, theirs) = (try comparable(ours), try comparable(theirs))
    try #require(ours.keys.sorted() == theirs.keys.sorted())
    for (id, node) in ours { try #require(node == theirs[id]) }
  }

  private static func comparable(_ snapshot: TreeSnapshot) throws -> [NodeID: ComparableNode] {
    try snapshot.nodes.mapValues { node in
      ComparableNode(
        id: node.id, type: node.type, state: try node.state.map { try JSONValue(parsing: $0).comparable.text },
        children: node.children,
        effects: node.effects.map { $0.id ?? "" }.sorted())
    }
  }

  /// All that an action may change, at one moment.
  private struct Moment: Equatable {
    let snapshot: TreeSnapshot
    /// The view as the server would send it.
    let view: [UInt8]
    let active: [NodeID]
    let effects: [EffectToken]
    let cancelled: [EffectToken]
    let effectCount: Int
    let nodeCount: Int
    let droppedActions: Int

    init(_ session: WorldSession) throws {
      let tree = session.tree
      snapshot = try tree.snapshot()
      view = exactText(try session.snapshotOfView())
      active = snapshot.nodes.keys.filter { tree.isActive(at: .id($0)) == true }.sorted()
      effects = session.effects.map(\.token)
      cancelled = session.cancelled
      effectCount = tree.effectCount
      nodeCount = tree.nodeCount
      droppedActions = tree.droppedActions
    }
  }
}

/// A value's bytes in the form of RFC 8785, to be compared byte by byte.
private func exactText(_ value: JSONValue) -> [UInt8] {
  var json = JSONWriter()
  value.write(into: &json)
  return json.bytes
}

extension JSONValue {
  /// The value without its transient members, which a restored tree does not have: of a view, or of a node's state.
  fileprivate var comparable: JSONValue {
    switch self {
    case .object(let members):
      var masked = JSONObject()
      for (key, value) in members { masked[key] = key == "flash" ? .null : value.comparable }
      return .object(masked)
    case .array(let elements): return .array(elements.map(\.comparable))
    default: return self
    }
  }
}

extension StateCut {
  fileprivate var kind: String {
    switch self {
    case .none: "no state"
    case .unchanged: "unchanged"
    case .replaced: "replaced"
    case .rewritten: "rewritten"
    case .changed: "changed"
    }
  }
}
