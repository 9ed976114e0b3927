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
  /// How deep a tree may be: one whose riblets attach their like without end is refused.
  public static let depthLimit = 1_000
  /// How many bytes the view document may have: 4 MiB, more than any renderer wants.
  public static let viewLimit = 4 << 20

  /// The session's name, for ``IdempotencyKey``.
  public let session: String
  /// Called with what happens, while it happens; nil costs nothing.
  public var observer: ((TreeEvent) -> Void)?
  private let makeRoot: (NodeBirth) throws(RestoreFailure) -> AnyNode
  private var root: AnyNode?
  private var nodes: [NodeID: AnyNode] = [:]
  private var lastID: NodeID = 0
  private var lastToken: UInt64 = 0
  /// The number of transactions that were committed.
  public private(set) var transactionCount: UInt64 = 0
  private var running: [EffectToken: AnyNode] = [:]
  private var transaction = Transaction()
  private var restoration: Restoration?
  /// As much as the view document can have of bytes, by its last exact size and the patches since.
  private var viewBytes = 0
  /// Whether ``takeCut()`` is going to be called: to be set before the tree is started.
  public var notesChanges = false
  /// Nodes that were changed, and nodes that have gone, since the last cut.
  private var uncut: (changed: Set<NodeID>, removed: Set<NodeID>) = ([], [])
  /// The type of the riblet that the last action or report was for, for logs; nil if there was no such node.
  public private(set) var lastTypeName: String?
  /// Reports and queued actions that came too late for their node, and effects that an inactive node wanted to start.
  public private(set) var droppedActions = 0

  /// A tree that is not started.
  ///
  /// - Parameters:
  ///   - root: the riblet at its root. It has a view, and no output: nobody would hear it.
  ///   - session: the session's name, for ``IdempotencyKey``.
  public init<Root: Riblet>(root: Root, session: String = "") where Root.Output == Never {
    precondition(Root.ViewState.self != Never.self, "\(Root.typeName) has no view, and cannot be a root")
    self.session = session
    makeRoot = { birth throws(RestoreFailure) in try root.makeNode(birth, below: nil) { _, _ in } }
  }

  /// The root's id; 0 as long as there is none.
  public var rootID: NodeID { root?.id ?? 0 }
  /// The number of nodes.
  public var nodeCount: Int { nodes.count }
  /// The number of effects that run.
  public var effectCount: Int { running.count }
  /// Whether an effect runs that would be lost if the tree left memory.
  public var hasVolatileEffects: Bool {
    nodes.values.contains { node in node.effects.contains { !$0.isResumable } }
  }

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
    let commands = try transact(renderer) { () throws(Refusal) in attachRoot(nil) }
    renderer.patch.removeAll()
    return commands
  }

  /// Attaches the root and whatever follows from it, as they were when a snapshot was taken.
  ///
  /// To be called once, instead of ``start(rendering:)``. What cannot be restored is built anew by its parent's route,
  /// under a new id.
  ///
  /// - Parameters:
  ///   - snapshot: what there was.
  ///   - renderer: memory to work in; there is no patch.
  /// - Returns: effects to start, and what became of the snapshot's nodes.
  /// - Throws: ``RestoreError``; the tree is not started then.
  public func restore(
    _ snapshot: TreeSnapshot, rendering renderer: ViewRenderer
  ) throws(RestoreError) -> (commands: [EffectCommand], report: RestoreReport) {
    precondition(root == nil, "a tree is started once")
    lastID = max(snapshot.lastID, snapshot.nodes.keys.max() ?? 0)
    transactionCount = snapshot.transactions
    restoration = Restoration(snapshot)
    defer { restoration = nil }
    do throws(Refusal) {
      let commands = try transact(renderer) { () throws(Refusal) in
        attachRoot(restoration?.take(snapshot.root))
        // Nothing is kept of what a newer program saved: not even its loss.
        try settle()
        if let newer = restoration?.newer { throw Refusal(.failed, "\(newer)") }
      }
      renderer.patch.removeAll()
      // Whatever of the snapshot has no place any more is to be deleted.
      if notesChanges { uncut.removed.formUnion(Set(snapshot.nodes.keys).subtracting(nodes.keys)) }
      return (commands, restoration?.finish() ?? RestoreReport())
    } catch {
      if let newer = restoration?.newer { throw newer }
      throw .refused(error)
    }
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
      let node = try activeNode(at: address)
      try node.perform(action, in: self)
    }
  }

  /// Leaves a node as its renderer's back button does.
  ///
  /// Of the active nodes from there downwards, the deepest that stands in front and can be taken out of its container is
  /// taken out; if there is none, the nearest above.
  ///
  /// - Parameters:
  ///   - address: the node.
  ///   - renderer: gets the patch.
  /// - Returns: whether there was anything to leave, and effects to start and to cancel.
  /// - Throws: ``Refusal``; nothing has changed then.
  public func back(
    from address: NodeAddress, rendering renderer: ViewRenderer
  ) throws(Refusal) -> (isLeft: Bool, commands: [EffectCommand]) {
    var isLeft = false
    let commands = try transact(renderer) { () throws(Refusal) in
      let node = try activeNode(at: address)
      isLeft = leaveBelow(node)
      var child = node
      while !isLeft, let parent = child.parent {
        isLeft = parent.dismiss(child, in: self)
        child = parent
      }
    }
    return (isLeft, commands)
  }

  private func leaveBelow(_ node: AnyNode) -> Bool {
    for route in node.attachments.reversed() {
      let inFront = route.front.map { [route.children[$0]] } ?? route.children.reversed()
      for case let child? in inFront where child.isActive {
        if leaveBelow(child) || node.dismiss(child, in: self) { return true }
      }
    }
    return false
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
      drop()
      renderer.patch.removeAll()
      return []
    }
    return try transact(renderer) { () throws(Refusal) in node.receive(report.content, in: self) }
  }

  /// Takes note that an effect has returned or thrown, and goes on with what waits for it.
  ///
  /// - Parameters:
  ///   - token: from its ``EffectStart``.
  ///   - hasFailed: whether it has thrown.
  ///   - renderer: gets the patch, without operations if nothing visible changed.
  /// - Returns: effects to start and to cancel.
  /// - Throws: ``Refusal`` with the code `failed`: what waited for the effect could not be done, and is given up.
  public func effectEnded(
    _ token: EffectToken, hasFailed: Bool = false, rendering renderer: ViewRenderer
  ) throws(Refusal) -> [EffectCommand] {
    renderer.patch.removeAll()
    guard let node = running[token], let effect = node.effects.first(where: { $0.token == token }) else { return [] }
    running[token] = nil
    defer { note { .effectEnded(token: token, type: node.typeName, id: effect.id) } }
    lastTypeName = node.typeName
    if node.isAwaited(effect) {
      do throws(Refusal) {
        return try transact(renderer) { () throws(Refusal) in
          node.effectEnded(effect, hasFailed: hasFailed, in: self)
        }
      } catch {
        node.giveUp(effect)
        noteChange(node)
        throw error
      }
    }
    node.giveUp(effect)
    noteChange(node)
    return []
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
    for (id, node) in nodes.sorted(by: { $0.key < $1.key }) where node.isViewable && !json.isFull {
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

  /// Whether the riblet at an address is active.
  ///
  /// - Parameter address: of a node.
  /// - Returns: nil if there is no such node.
  public func isActive(at address: NodeAddress) -> Bool? { try? node(at: address).isActive }

  private func activeNode(at address: NodeAddress) throws(Refusal) -> AnyNode {
    lastTypeName = nil
    let node = try node(at: address)
    lastTypeName = node.typeName
    guard node.isActive else {
      throw Refusal(.inactive, "\(node.typeName) \(node.id) is not active: another child of its container is in front.")
    }
    return node
  }

  func node(_ id: NodeID) -> AnyNode? { nodes[id] }

  private func node(at address: NodeAddress) throws(Refusal) -> AnyNode {
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
    for step in path.split(separator: "/", omittingEmptySubsequences: false) {
      var name = step
      var index = 0
      if step.hasSuffix("]"), let bracket = step.lastIndex(of: "[") {
        let digits = step[step.index(after: bracket)..<step.index(before: step.endIndex)]
        guard digits.utf8.allSatisfy({ 48...57 ~= $0 }), let number = Int(digits) else { return nil }
        name = step[..<bracket]
        index = number
      }
      guard let children = node.children(on: String(name)), children.indices.contains(index),
        let child = children[index]
      else { return nil }
      node = child
    }
    return node
  }

  // MARK: Snapshots

  /// What is left of the tree if it leaves memory now.
  ///
  /// - Returns: the snapshot.
  /// - Throws: ``/Wire/RecordingError`` if a state's own coding fails.
  public func snapshot() throws(RecordingError) -> TreeSnapshot {
    guard let root else { preconditionFailure("a tree that is not started has no snapshot") }
    var saved: [NodeID: NodeSnapshot] = [:]
    for (id, node) in nodes { saved[id] = try NodeSnapshot(node) }
    return TreeSnapshot(root: root.id, lastID: lastID, transactions: transactionCount, nodes: saved)
  }

  /// What a store has to write: the difference from the last cut, or from the start.
  ///
  /// - Returns: the cut; the next one begins here.
  /// - Throws: ``/Wire/RecordingError`` if a state's own coding fails; the cut is still to be taken then.
  public func takeCut() throws(RecordingError) -> TreeCut {
    guard let root, notesChanges else { preconditionFailure("a tree has a cut if it is started and notes changes") }
    var changed: [NodeSnapshot] = []
    for id in uncut.changed.sorted() {
      if let node = nodes[id] { changed.append(try NodeSnapshot(node)) }
    }
    let cut = TreeCut(
      root: root.id, lastID: lastID, transactions: transactionCount, changed: changed, removed: uncut.removed.sorted())
    uncut = ([], [])
    return cut
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
    /// How many effects have got a key.
    var effects = 0
    var lastID: NodeID = 0
    var droppedActions = 0
  }

  func transact(
    _ renderer: ViewRenderer, _ event: () throws(Refusal) -> Void
  ) throws(Refusal) -> [EffectCommand] {
    renderer.patch.removeAll()
    transaction.lastID = lastID
    transaction.droppedActions = droppedActions
    do throws(Refusal) {
      try event()
      try settle()
      try render(renderer)
      try measure(renderer)
    } catch {
      rollBack()
      renderer.patch.removeAll()
      observer?(.undone(reason: error.message))
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
        if node.isAttached { action(self) } else { drop() }
      } else if transaction.settled < transaction.unsettled.count {
        let node = transaction.unsettled[transaction.settled]
        transaction.settled += 1
        last = node
        node.isUnsettled = false
        if node.isAttached { node.reconcile(in: self) }
        // What is attached has to be reconciled once, however much it is.
        if !node.isReconciled {
          node.isReconciled = true
          try checkDepth()
          continue
        }
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

  private func checkDepth() throws(Refusal) {
    guard let last = transaction.attached.last, last.depth > Self.depthLimit else { return }
    throw Refusal(
      .failed,
      """
      The tree would be deeper than \(Self.depthLimit) levels; the last riblet was \(last.typeName). It probably \
      attaches one of its kind, which does the same.
      """)
  }

  private func render(_ renderer: ViewRenderer) throws(Refusal) {
    var culprit: AnyNode?
    do throws(RecordingError) {
      try renderer.patch.at("nodes") { patch throws(RecordingError) in
        for node in transaction.attached where node.isAttached && node.isViewable {
          culprit = node
          try patch.at(node.id) { patch throws(RecordingError) in
            try patch.add { json throws(RecordingError) in try node.writeAddition(into: &json, renderer.encoder) }
          }
        }
        for node in transaction.touched where node.isAttached && node.isViewable && !node.isNew {
          culprit = node
          try patch.at(node.id) { patch throws(RecordingError) in
            try node.writeDifference(into: &patch, renderer.encoder)
          }
        }
        for node in transaction.detached where node.isViewable && !node.isNew { patch.at(node.id) { $0.remove() } }
      }
    } catch {
      throw Refusal(.failed, "The view state of \(culprit?.typeName ?? "a riblet") cannot be encoded: \(error)")
    }
  }

  /// Makes sure that the view stays within its limit.
  private func measure(_ renderer: ViewRenderer) throws(Refusal) {
    // A patch makes the view longer by less than its own length.
    guard viewBytes + renderer.patch.json.count > Self.viewLimit else {
      viewBytes += renderer.patch.json.count
      return
    }
    defer { renderer.measured = JSONWriter() }
    renderer.measured.limit = Self.viewLimit
    do throws(RecordingError) {
      try writeView(into: &renderer.measured, rendering: renderer)
    } catch {
      throw Refusal(.failed, "The view cannot be encoded: \(error)")
    }
    guard !renderer.measured.isFull else {
      throw Refusal(
        .failed,
        """
        The view would have more than \(Self.viewLimit >> 20) MiB; the last riblet was \(lastTypeName ?? "the root"). \
        Show a part of it, and let the client ask for more.
        """)
    }
    viewBytes = renderer.measured.count
  }

  private func endTransaction() -> [EffectCommand] {
    for node in transaction.touched {
      node.isTouched = false
      node.isNew = false
      node.commit()
      noteChange(node)
    }
    if notesChanges {
      for node in transaction.detached {
        uncut.changed.remove(node.id)
        uncut.removed.insert(node.id)
      }
    }
    transactionCount += 1
    observer?(.committed(transaction: transactionCount))
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
    droppedActions = transaction.droppedActions
    reset()
  }

  private func reset() {
    transaction.touched.removeAll(keepingCapacity: true)
    transaction.settled = 0
    transaction.handled = 0
    transaction.effects = 0
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
    // Without routes there is nothing to reconcile, and no step to count: a list may be as long as it likes.
    guard node.hasRoutes, !node.isUnsettled else { return }
    node.isUnsettled = true
    transaction.unsettled.append(node)
  }

  func enqueue(for node: AnyNode, _ action: @escaping (Tree) -> Void) { transaction.queue.append((node, action)) }

  private func noteChange(_ node: AnyNode) {
    if notesChanges { uncut.changed.insert(node.id) }
  }

  /// Takes note of something that came too late.
  func drop() { droppedActions += 1 }

  /// Tells the observer, if there is one.
  func note(_ event: () -> TreeEvent) {
    if let observer { observer(event()) }
  }

  private func attachRoot(_ saved: NodeSnapshot?) {
    let node = makeNode(saved, makeRoot)
    root = node
    didAttach(node, isActive: true, saved.flatMap { $0.id == node.id ? $0 : nil })
  }

  func attach(
    at place: NodePlace, isActive: Bool, _ make: (NodeBirth) throws(RestoreFailure) -> AnyNode
  ) -> AnyNode {
    let saved = restoration?.take(place)
    let node = makeNode(saved, make)
    didAttach(node, isActive: isActive, saved.flatMap { $0.id == node.id ? $0 : nil })
    return node
  }

  /// Whether the tree is being restored, and something stood at this place.
  func wasSaved(at place: @autoclosure () -> NodePlace) -> Bool { restoration.map { $0.take(place()) != nil } ?? false }

  /// Makes a node of what was saved or, if that cannot be done, a new one.
  private func makeNode(_ saved: NodeSnapshot?, _ make: (NodeBirth) throws(RestoreFailure) -> AnyNode) -> AnyNode {
    if let saved {
      do throws(RestoreFailure) {
        let node = try make(NodeBirth(id: saved.id, saved: saved))
        restoration?.didRestore(saved)
        return node
      } catch {
        restoration?.didFail(error)
      }
    }
    lastID += 1
    do throws(RestoreFailure) {
      return try make(NodeBirth(id: lastID, saved: nil))
    } catch {
      preconditionFailure("a node that was not saved has nothing to restore: \(error)")
    }
  }

  private func didAttach(_ node: AnyNode, isActive: Bool, _ saved: NodeSnapshot?) {
    nodes[node.id] = node
    node.isNew = true
    transaction.attached.append(node)
    note { .attached(id: node.id, type: node.typeName, parent: node.parent?.id) }
    node.touch(self)
    unsettle(node)
    if isActive {
      node.activate(restoring: saved?.effects, in: self)
    } else if let saved {
      node.didRestore(saved.effects, in: self)
    }
  }

  func didDetach(_ node: AnyNode) {
    nodes[node.id] = nil
    transaction.detached.append(node)
    note { .detached(id: node.id, type: node.typeName) }
  }

  func startEffect(
    of node: AnyNode, _ id: EffectID?, _ key: IdempotencyKey?, isResumable: Bool, sequence: Int?,
    _ work: @escaping @Sendable (RunningEffect, _ port: @escaping EffectPort) async throws -> Void
  ) -> RunningEffect {
    lastToken += 1
    transaction.effects += 1
    let key =
      key ?? IdempotencyKey(session: session, transaction: transactionCount + 1, ordinal: transaction.effects)
    let effect = RunningEffect(
      token: EffectToken(number: lastToken), id: id, key: key, isResumable: isResumable, sequence: sequence)
    running[effect.token] = node
    transaction.startedTokens.append(effect.token)
    note { .effectStarted(token: effect.token, type: node.typeName, id: id) }
    let start = EffectStart(token: effect.token, id: id, key: key, typeName: node.typeName) { port in
      try await work(effect, port)
    }
    transaction.commands.append(.start(start))
    return effect
  }

  func publish(_ publish: @escaping @Sendable () -> Void) { transaction.commands.append(.publish(publish)) }

  func cancelEffect(_ effect: RunningEffect, of node: AnyNode) {
    let token = effect.token
    guard running.removeValue(forKey: token) != nil else { return }
    note { .effectEnded(token: token, type: node.typeName, id: effect.id) }
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
