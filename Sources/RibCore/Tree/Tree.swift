public import Wire

/// The riblets of one session.
///
/// A driver — the server's session, a test — feeds it events; each is one transaction: reduce, drain the queue in order,
/// reconcile the routes of what was touched until nothing changes, then write one patch. A transaction that cannot be
/// completed leaves everything as it was. The tree does no I/O: which effects to start and to cancel it answers as
/// ``EffectCommand`` values, which the driver carries out once the transaction is committed.
///
/// Not `Sendable`: a tree belongs to its driver.
public final class Tree {
  /// How many steps — actions and outputs handled, nodes reconciled — one transaction may take.
  ///
  /// A tree of a thousand nodes starts within it; a riblet that answers itself for ever does not.
  public static let settleLimit = 10_000

  private let makeRoot: (NodeID) -> AnyNode
  private var root: AnyNode?
  private var nodes: [NodeID: AnyNode] = [:]
  private var lastID: NodeID = 0
  private var lastToken: UInt64 = 0
  private var running: [EffectToken: AnyNode] = [:]
  private var transaction = Transaction()
  /// The type of the riblet that the last action or report was for, for logs; nil if there was no such node.
  public private(set) var lastTypeName: String?
  /// Reports and queued actions that came too late for their node.
  public private(set) var droppedActions = 0

  /// A tree that is not started.
  ///
  /// - Parameter root: the riblet at its root. It has no output: nobody would hear it.
  public init<Root: Riblet>(root: Root) where Root.Output == Never {
    makeRoot = { id in ViewNode(root, id: id) { _, _ in } }
  }

  /// The number of nodes.
  public var nodeCount: Int { nodes.count }
  /// The number of effects that run.
  public var effectCount: Int { running.count }

  // MARK: Events

  /// Attaches the root and whatever follows from it.
  ///
  /// To be called once, before anything else.
  ///
  /// - Parameter renderer: memory to work in; there is no patch, for nobody has a view yet.
  /// - Returns: effects to start.
  /// - Throws: ``Refusal`` if the tree does not settle or cannot be shown; it is not started then.
  public func start(rendering renderer: ViewRenderer) throws(Refusal) -> [EffectCommand] {
    precondition(root == nil, "a tree is started once")
    let commands = try transact(renderer) { () throws(Refusal) in root = attach(makeRoot) }
    renderer.patch.removeAll()
    return commands
  }

  /// Runs a view action.
  ///
  /// - Parameters:
  ///   - action: the action's JSON.
  ///   - address: the node that it is for.
  ///   - renderer: gets the patch, without operations if nothing visible changed.
  /// - Returns: effects to start and to cancel.
  /// - Throws: ``Refusal``; nothing has changed then.
  public func perform(
    _ action: JSONElement, for address: NodeAddress, rendering renderer: ViewRenderer
  ) throws(Refusal) -> [EffectCommand] {
    try transact(renderer) { () throws(Refusal) in
      lastTypeName = nil
      let node = try node(at: address)
      lastTypeName = node.typeName
      try node.perform(action, in: self)
    }
  }

  /// Takes what a running effect sends.
  ///
  /// What a revoked one sends is dropped.
  ///
  /// - Parameters:
  ///   - report: from the effect's port.
  ///   - renderer: gets the patch, without operations if nothing visible changed.
  /// - Returns: effects to start and to cancel.
  /// - Throws: ``Refusal`` with the code `failed`; nothing has changed then.
  public func receive(
    _ report: EffectReport, rendering renderer: ViewRenderer
  ) throws(Refusal) -> [EffectCommand] {
    lastTypeName = running[report.token]?.typeName
    guard let node = running[report.token] else {
      droppedActions += 1
      renderer.patch.removeAll()
      return []
    }
    return try transact(renderer) { () throws(Refusal) in node.receive(report.content, in: self) }
  }

  /// Takes note that an effect has returned or thrown.
  ///
  /// - Parameter token: from its ``EffectStart``.
  public func effectEnded(_ token: EffectToken) {
    running.removeValue(forKey: token)?.effects.removeAll { $0.token == token }
  }

  /// Detaches everything.
  ///
  /// - Returns: the effects to cancel.
  public func stop() -> [EffectCommand] {
    root?.detach(from: self)
    root = nil
    return endTransaction()
  }

  // MARK: View

  /// Writes the view document as it is now.
  ///
  /// - Parameters:
  ///   - json: where to.
  ///   - renderer: memory to work in.
  /// - Throws: ``/Wire/RecordingError`` if a view state encodes differently than it did in its transaction.
  public func writeView(into json: inout JSONWriter, rendering renderer: ViewRenderer) throws(RecordingError) {
    json.beginObject()
    if let root {
      json.key("root")
      json.integer(root.id)
    }
    json.key("nodes")
    json.beginObject()
    for (id, node) in nodes.sorted(by: { $0.key < $1.key }) {
      json.key("\(id)")
      try node.writeShown(into: &json, renderer.encoder)
    }
    json.endObject()
    json.endObject()
  }

  // MARK: Addresses

  /// The type of the riblet at an address.
  ///
  /// - Parameter address: of a node.
  /// - Returns: its type; nil if there is no such node.
  public func typeName(at address: NodeAddress) -> String? { try? node(at: address).typeName }

  private func node(at address: NodeAddress) throws(Refusal) -> AnyNode {
    switch address {
    case .id(let id):
      guard let node = nodes[id] else { throw Refusal(.gone, "There is no node \(id).") }
      return node
    case .path(let path):
      guard let node = root.flatMap({ Self.walk(path[...], from: $0) }) else {
        throw Refusal(.gone, "There is no node at \"\(path)\".")
      }
      return node
    }
  }

  /// Follows `route[index]/route[index]…`; the index may be left out for the first child.
  private static func walk(_ path: Substring, from root: AnyNode) -> AnyNode? {
    var node = root
    for step in path.split(separator: "/") {
      var name = step
      var index = 0
      if step.hasSuffix("]"), let bracket = step.lastIndex(of: "[") {
        guard let number = Int(step[step.index(after: bracket)..<step.index(before: step.endIndex)]) else { return nil }
        name = step[..<bracket]
        index = number
      }
      guard let children = node.children(on: String(name)), children.indices.contains(index) else { return nil }
      node = children[index]
    }
    return node
  }
}

// MARK: - Transactions

extension Tree {
  /// What a transaction has done so far, and needs to be undone.
  private struct Transaction {
    /// Nodes that may have changed, in the order of their first change.
    var touched: [AnyNode] = []
    /// Nodes whose children are to be reconciled, and how many of them have been.
    var unsettled: [AnyNode] = []
    var settled = 0
    /// Actions and outputs in order, and how many of them have been handled.
    var queue: [(node: AnyNode, action: (Tree) -> Void)] = []
    var handled = 0
    var attached: [AnyNode] = []
    var detached: [AnyNode] = []
    var commands: [EffectCommand] = []
    var startedTokens: [EffectToken] = []
    var endedTokens: [(EffectToken, AnyNode)] = []
    var lastID: NodeID = 0
  }

  private func transact(
    _ renderer: ViewRenderer, _ event: () throws(Refusal) -> Void
  ) throws(Refusal) -> [EffectCommand] {
    renderer.patch.removeAll()
    transaction.lastID = lastID
    do throws(Refusal) {
      try event()
      try settle()
      try render(renderer)
    } catch {
      rollBack()
      renderer.patch.removeAll()
      throw error
    }
    return endTransaction()
  }

  /// Drains the queue, then reconciles, until there is neither an action nor an unsettled node left.
  private func settle() throws(Refusal) {
    var steps = 0
    var last: AnyNode?
    while true {
      if transaction.handled < transaction.queue.count {
        let (node, action) = transaction.queue[transaction.handled]
        transaction.handled += 1
        last = node
        if node.isAttached { action(self) } else { droppedActions += 1 }
      } else if transaction.settled < transaction.unsettled.count {
        let node = transaction.unsettled[transaction.settled]
        transaction.settled += 1
        last = node
        node.isUnsettled = false
        if node.isAttached { node.reconcile(in: self) }
      } else {
        return
      }
      steps += 1
      guard steps <= Self.settleLimit else {
        throw Refusal(
          .failed,
          """
          The transaction did not settle within \(Self.settleLimit) steps; the last riblet was \
          \(last?.typeName ?? "unknown"). It probably answers its own internal action with another one, or \
          attaches and detaches in turn.
          """)
      }
    }
  }

  private func render(_ renderer: ViewRenderer) throws(Refusal) {
    var culprit: AnyNode?
    do throws(RecordingError) {
      try renderer.patch.at("nodes") { patch throws(RecordingError) in
        for node in transaction.attached where node.isAttached {
          culprit = node
          try patch.at(node.id) { patch throws(RecordingError) in
            try patch.add { json throws(RecordingError) in try node.writeAddition(into: &json, renderer.encoder) }
          }
        }
        let firstNew = transaction.lastID + 1
        for node in transaction.touched where node.isAttached && node.id < firstNew {
          culprit = node
          try patch.at(node.id) { patch throws(RecordingError) in
            try node.writeDifference(into: &patch, renderer.encoder)
          }
        }
        for node in transaction.detached where node.id < firstNew { patch.at(node.id) { $0.remove() } }
      }
    } catch {
      throw Refusal(.failed, "The view state of \(culprit?.typeName ?? "a riblet") cannot be encoded: \(error)")
    }
  }

  private func endTransaction() -> [EffectCommand] {
    for node in transaction.touched {
      node.isTouched = false
      node.commit()
    }
    let commands = transaction.commands
    reset()
    return commands
  }

  private func rollBack() {
    for node in transaction.detached {
      node.reattach()
      nodes[node.id] = node
    }
    // After the detached ones: a node may have come and gone in this transaction.
    for node in transaction.attached {
      nodes[node.id] = nil
      if node === root { root = nil }
    }
    for node in transaction.unsettled { node.isUnsettled = false }
    for token in transaction.startedTokens { running[token] = nil }
    for (token, node) in transaction.endedTokens { running[token] = node }
    for node in transaction.touched {
      node.isTouched = false
      node.rollBack()
    }
    lastID = transaction.lastID
    reset()
  }

  private func reset() {
    transaction.touched.removeAll(keepingCapacity: true)
    transaction.settled = 0
    transaction.handled = 0
    if !transaction.unsettled.isEmpty { transaction.unsettled = [] }
    if !transaction.queue.isEmpty { transaction.queue = [] }
    if !transaction.attached.isEmpty { transaction.attached = [] }
    if !transaction.detached.isEmpty { transaction.detached = [] }
    if !transaction.commands.isEmpty { transaction.commands = [] }
    if !transaction.startedTokens.isEmpty { transaction.startedTokens = [] }
    if !transaction.endedTokens.isEmpty { transaction.endedTokens = [] }
  }

  // MARK: What nodes report while a transaction runs

  func didTouch(_ node: AnyNode) { transaction.touched.append(node) }

  func unsettle(_ node: AnyNode) {
    guard !node.isUnsettled else { return }
    node.isUnsettled = true
    transaction.unsettled.append(node)
  }

  func enqueue(for node: AnyNode, _ action: @escaping (Tree) -> Void) { transaction.queue.append((node, action)) }

  func attach(_ make: (NodeID) -> AnyNode) -> AnyNode {
    lastID += 1
    let node = make(lastID)
    nodes[node.id] = node
    transaction.attached.append(node)
    node.didBecomeActive(in: self)
    return node
  }

  func didDetach(_ node: AnyNode) {
    nodes[node.id] = nil
    transaction.detached.append(node)
  }

  func startEffect(
    of node: AnyNode, _ work: @escaping @Sendable (EffectToken, _ port: @escaping EffectPort) async throws -> Void
  ) -> EffectToken {
    lastToken += 1
    let token = EffectToken(number: lastToken)
    running[token] = node
    transaction.startedTokens.append(token)
    let start = EffectStart(token: token, typeName: node.typeName) { port in try await work(token, port) }
    transaction.commands.append(.start(start))
    return token
  }

  func cancelEffect(_ token: EffectToken, of node: AnyNode) {
    guard running.removeValue(forKey: token) != nil else { return }
    let started = transaction.commands.firstIndex { command in
      if case .start(let start) = command { start.token == token } else { false }
    }
    if let started {
      transaction.commands.remove(at: started)
    } else {
      transaction.endedTokens.append((token, node))
      transaction.commands.append(.cancel(token))
    }
  }
}
