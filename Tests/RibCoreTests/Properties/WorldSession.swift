import RibCore
import RibTesting
import Wire

/// A tree with a ``World`` at its root, and a client's mirror of its view, which nothing checks by itself.
final class WorldSession {
  let tree: Tree
  /// What has happened in transactions that were committed.
  let notes = Notes()
  /// The view as a client has it that has applied every patch.
  private(set) var mirror = JSONValue.null
  private(set) var effects: [EffectStart] = []
  private(set) var cancelled: [EffectToken] = []
  private(set) var report: RestoreReport?
  /// The greatest id of a node so far.
  private var lastID: NodeID = 0
  private var attached: [NodeID] = []
  private let renderer = ViewRenderer()
  private var reader = JSONReader()

  /// Starts a tree, or restores one.
  init(seed: UInt64, restoring snapshot: TreeSnapshot? = nil) throws {
    tree = Tree(root: World(depth: 1, seed: seed, notes: notes))
    tree.notesChanges = true
    tree.observer = { [unowned self] in note($0) }
    let commands: [EffectCommand]
    if let snapshot {
      (commands, report) = try tree.restore(snapshot, rendering: renderer)
    } else {
      commands = try tree.start(rendering: renderer)
    }
    mirror = try snapshotOfView()
    take(commands)
  }

  /// Does a step.
  ///
  /// - Returns: why it was refused; nil if it was not.
  func perform(_ step: WorldStep) throws -> Refusal? {
    do throws(any Error) {
      switch step {
      case .act(let id, let action, _):
        try finish(
          try tree.perform(try reader.read(action).root, for: .id(id), by: ActingClient(), rendering: renderer))
      case .back(let id):
        let (isLeft, commands) = try tree.back(from: .id(id), rendering: renderer)
        if isLeft { notes.count("something is left by the back button") }
        try finish(commands)
      case .rest: try finish(try tree.setActive(false, rendering: renderer))
      case .wake: try finish(try tree.setActive(true, rendering: renderer))
      case .end(let id, let name):
        guard let effect = effects.first(where: { tree.node(of: $0.token) == id && $0.id?.description == name }) else {
          return Refusal(.gone, "there is no such effect")
        }
        effects.removeAll { $0.token == effect.token }
        _ = try tree.effectEnded(effect.token, rendering: renderer)
        notes.count("an effect ends")
      }
      notes.commit()
      return nil
    } catch let refusal as Refusal {
      notes.rollBack()
      attached = []
      return refusal
    }
  }

  private func finish(_ commands: [EffectCommand]) throws {
    var json = JSONWriter()
    let operations = renderer.patch.json.bytes
    json.patch(revision: 1, base: 0, number: 0, operations: operations.span)
    if case .patch(_, _, _, let operations, _) = try ServerMessage(try reader.read(json.bytes.span).root) {
      try mirror.apply(operations)
    }
    take(commands)
  }

  private func take(_ commands: [EffectCommand]) {
    for command in commands {
      switch command {
      case .start(let effect): effects.append(effect)
      case .cancel(let token):
        effects.removeAll { $0.token == token }
        cancelled.append(token)
        notes.count("an effect is cancelled")
      case .publish: break
      }
    }
    for id in attached {
      guard let path = tree.path(of: id), let step = path.split(separator: "/").last else { continue }
      let parent = tree.typeName(at: .path(path.split(separator: "/").dropLast().joined(separator: "/")))
      notes.count("attached: \(parent ?? "?").\(step.prefix { $0 != "[" })")
      if step.hasPrefix("tabs["), step != "tabs[0]" { notes.count("a lazy tab is attached later") }
    }
    attached = []
  }

  private func note(_ event: TreeEvent) {
    switch event {
    case .attached(let id, _, _):
      attached.append(id)
      lastID = max(lastID, id)
    case .detached(_, let type): notes.note("\(type) is detached")
    case .activated(let id, let type): if !attached.contains(id) { notes.note("\(type) is activated again") }
    case .deactivated(_, let type): notes.note("\(type) is deactivated")
    case .committed, .undone, .effectStarted, .effectEnded: break
    }
  }

  // MARK: What there is

  /// The nodes, by id, with their types.
  var nodes: [(id: NodeID, type: String)] {
    (1...max(1, lastID)).compactMap { id in tree.typeName(at: .id(id)).map { (id, $0) } }
  }

  /// The names of running effects, and their nodes.
  var running: [(id: NodeID, name: String)] {
    effects.compactMap { effect in
      guard let id = tree.node(of: effect.token), let name = effect.id?.description else { return nil }
      return (id, name)
    }
  }

  /// The view as the server would send it to a new client.
  func snapshotOfView() throws -> JSONValue {
    var json = JSONWriter()
    try tree.writeView(into: &json, rendering: renderer)
    return JSONValue(try reader.read(json.bytes.span).root)
  }

  /// What a node's state is shown as if it is looked at anew; nil for one that has no view.
  func freshView(of id: NodeID) throws -> JSONValue? {
    switch tree.typeName(at: .id(id)) {
    case "World": try view(of: id, World(depth: 0, seed: 0, notes: notes))
    case "Plot": try view(of: id, Plot(notes: notes))
    case "Sprig": try view(of: id, Sprig(notes: notes))
    case "Pond":
      if case .integer(let number)? = mirror["nodes"]?["\(id)"]?["state"]?["common"]?["id"] {
        try view(of: id, Pond(id: Int(number), notes: notes))
      } else {
        .null
      }
    default: nil
    }
  }

  private func view<R: Riblet>(of id: NodeID, _ riblet: R) throws -> JSONValue {
    guard let state = tree.state(of: id, R.self) else { return .null }
    var json = JSONWriter()
    try ViewEncoder().write(riblet.view(state), into: &json)
    return JSONValue(try reader.read(json.bytes.span).root)
  }
}

/// A step of a ``WorldWalk``.
enum WorldStep: CustomStringConvertible {
  /// An action's JSON, which fails if it can.
  case act(NodeID, String, WorldFailure?)
  case back(NodeID)
  /// The session rests, or goes on.
  case rest, wake
  /// An effect of this name ends.
  case end(NodeID, String)

  /// The node that has to be active.
  var node: NodeID? {
    switch self {
    case .act(let id, _, _), .back(let id): id
    case .rest, .wake, .end: nil
    }
  }

  /// Whether it is made to fail.
  var mayFail: Bool { if case .act(_, _, _?) = self { true } else { false } }

  var description: String {
    switch self {
    case .act(let id, let action, _): "\(id) \(action)"
    case .back(let id): "back from \(id)"
    case .rest: "rest"
    case .wake: "wake"
    case .end(let id, let name): "\(name) of \(id) ends"
    }
  }
}
