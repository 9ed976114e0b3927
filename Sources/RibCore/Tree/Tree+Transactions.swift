import Wire

extension Tree {
  /// What a transaction has done so far, and what a rollback needs.
  struct Transaction {
    /// Dirty nodes, in the order of their first change.
    var touched: [AnyNode] = []
    /// Nodes whose children are to be reconciled, in order; the first `settled` of them are done.
    var unsettled: [AnyNode] = []
    var settled = 0
    /// Actions and outputs in order; the first `handled` of them are done.
    var queue: [(node: AnyNode, action: (Tree) -> Void)] = []
    var handled = 0
    var attached: [AnyNode] = []
    var detached: [AnyNode] = []
    var commands: [EffectCommand] = []
    var startedTokens: [EffectToken] = []
    var endedTokens: [(EffectToken, AnyNode)] = []
    /// How many effects have got a key; a key contains this number.
    var effects = 0
    var lastID: NodeID = 0
    /// The token of the last effect that was started before the transaction.
    var lastToken: UInt64 = 0
    var droppedActions = 0
    var viewExtent = ViewSize()
    /// Why a reducer has refused the transaction; nil as long as none has.
    var refusal: Refusal?
  }

  func transact(
    _ renderer: ViewRenderer, _ event: () throws(Refusal) -> Void
  ) throws(Refusal) -> [EffectCommand] {
    guard let recorder else { return try run(renderer, event) }
    return try recorder.record(self, renderer) { () throws(Refusal) in try run(renderer, event) }
  }

  private func run(
    _ renderer: ViewRenderer, _ event: () throws(Refusal) -> Void
  ) throws(Refusal) -> [EffectCommand] {
    renderer.patch.removeAll()
    transactionAttempts += 1
    transaction.lastID = lastID
    transaction.lastToken = lastToken
    transaction.droppedActions = droppedActions
    transaction.viewExtent = viewExtent
    do throws(Refusal) {
      try event()
      try settle()
      try render(renderer)
      try measure(renderer)
      try writeStates(&renderer.states)
    } catch {
      rollBack()
      renderer.patch.removeAll()
      renderer.states.removeAll()
      observer?(.undone(reason: error.message))
      onEnd?(false)
      throw error
    }
    if notesChanges { renderer.states.commit(in: self) }
    return endTransaction()
  }

  /// Handles all queued actions, then reconciles a node, and goes on so until no action and no unsettled node is left.
  func settle() throws(Refusal) {
    var steps = 0
    var last: AnyNode?
    while true {
      if let refusal = transaction.refusal { throw refusal }
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
        guard node.isAttached else { continue }
        node.reconcile(in: self)
        // A node's first reconciliation does not count as a step, so that a transaction may attach many nodes; their
        // number has a limit of its own.
        if node.lastReconciliation != transactionAttempts {
          node.lastReconciliation = transactionAttempts
          try checkGrowth()
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

  private func checkGrowth() throws(Refusal) {
    guard let last = transaction.attached.last else { return }
    let excess: String
    if last.depth > Self.depthLimit {
      excess = "The tree would be deeper than \(Self.depthLimit) levels"
    } else if transaction.attached.count > Self.attachLimit {
      excess = "The transaction would attach more than \(Self.attachLimit) nodes"
    } else {
      return
    }
    throw Refusal(
      .failed,
      "\(excess); the last riblet was \(last.typeName). It probably attaches its kind, which does the same.")
  }

  private func render(_ renderer: ViewRenderer) throws(Refusal) {
    var culprit: AnyNode?
    do throws(CaptureError) {
      try renderer.patch.at("nodes") { patch throws(CaptureError) in
        for node in transaction.attached where node.isAttached && node.isViewable {
          culprit = node
          try patch.at(node.id) { patch throws(CaptureError) in
            try patch.add { json throws(CaptureError) in try node.writeAddition(into: &json, renderer.encoder) }
          }
        }
        for node in transaction.touched where node.isAttached && node.isViewable && !node.isNew {
          culprit = node
          try patch.at(node.id) { patch throws(CaptureError) in
            try node.writeDifference(into: &patch, renderer.encoder)
          }
        }
        for node in transaction.detached where node.isViewable && !node.isNew { patch.at(node.id) { $0.remove() } }
      }
    } catch {
      throw Refusal(.failed, "The view state of \(culprit?.typeName ?? "a riblet") cannot be encoded: \(error)")
    }
  }

  /// Refuses a view beyond the limit; measures the view only when the bytes of the patches no longer rule that out.
  private func measure(_ renderer: ViewRenderer) throws(Refusal) {
    let patch = renderer.patch.json.count
    guard viewExtent.bound(with: patch) > Self.viewLimit || viewExtent.isStale(with: patch) else {
      return viewExtent.add(patch)
    }
    defer { renderer.forgetLargeView() }
    renderer.measured.removeAll()
    do throws(CaptureError) {
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
    viewExtent.measure(renderer.measured.count)
  }

  /// Encodes what has changed in states, for the next cut: a transaction whose states cannot be saved is not committed.
  private func writeStates(_ drafts: inout StateDrafts) throws(Refusal) {
    guard notesChanges else { return }
    drafts.removeAll()
    for node in transaction.touched where node.isAttached {
      guard let writer = node.stateWriter else { continue }
      let size: Int?
      do throws(CaptureError) {
        if node.isNew, let saved = restoration?.restored[node.id], saved.version == node.stateVersion {
          try drafts.adopt(saved, writer)
        }
        size = try drafts.add(node, writer)
      } catch {
        throw Refusal(.failed, "The state of \(node.typeName) cannot be saved: \(error)")
      }
      guard let size, size > Self.stateLimit else { continue }
      throw Refusal(
        .failed,
        """
        The state of \(node.typeName) would have \(size) bytes, more than \(Self.stateLimit >> 20) MiB. Keep in it \
        what the session needs, and the rest in a database.
        """)
    }
  }

  func endTransaction() -> [EffectCommand] {
    for node in transaction.touched {
      if notesChanges, node.isAttached { noteChange(node, partsToCut(of: node)) }
      node.isTouched = false
      node.hasTouchedParts = false
      node.isNew = false
      node.commit()
    }
    if notesChanges, !transaction.detached.isEmpty {
      uncut.nodes.removeAll { !$0.isAttached }
      uncut.removed += transaction.detached.map(\.id)
    }
    transactionCount += 1
    observer?(.committed(transaction: transactionCount))
    onEnd?(true)
    let commands = transaction.commands
    reset()
    return commands
  }

  /// Which parts of a dirty node belong in the next cut, besides the changed states that ``StateDrafts`` has noted.
  private func partsToCut(of node: AnyNode) -> NodeParts {
    guard node.isNew else { return node.changedParts }
    guard let saved = restoration?.restored[node.id], saved.version == node.stateVersion,
      (saved.state != nil) == (node.stateWriter != nil)
    else { return [.state, .children, .effects] }
    var parts: NodeParts = []
    if saved.children != node.childrenByEntry { parts.insert(.children) }
    if saved.effects != node.interruptedEffects { parts.insert(.effects) }
    return parts
  }

  private func rollBack() {
    for node in transaction.detached {
      node.reattach()
      nodes[node.id] = node
    }
    // After the loop over the detached nodes, which puts back a node that was both attached and detached in this
    // transaction.
    for node in transaction.attached {
      nodes[node.id] = nil
      if node === root { root = nil }
    }
    for node in transaction.unsettled { node.isUnsettled = false }
    for token in transaction.startedTokens { running[token] = nil }
    for (token, node) in transaction.endedTokens { running[token] = node }
    for node in transaction.touched {
      node.isTouched = false
      node.hasTouchedParts = false
      node.rollBack()
    }
    lastID = transaction.lastID
    droppedActions = transaction.droppedActions
    viewExtent = transaction.viewExtent
    reset()
  }

  private func reset() {
    transaction.touched.removeAll(keepingCapacity: true)
    transaction.settled = 0
    transaction.handled = 0
    transaction.effects = 0
    transaction.refusal = nil
    if !transaction.unsettled.isEmpty { transaction.unsettled = [] }
    if !transaction.queue.isEmpty { transaction.queue = [] }
    if !transaction.attached.isEmpty { transaction.attached = [] }
    if !transaction.detached.isEmpty { transaction.detached = [] }
    if !transaction.commands.isEmpty { transaction.commands = [] }
    if !transaction.startedTokens.isEmpty { transaction.startedTokens = [] }
    if !transaction.endedTokens.isEmpty { transaction.endedTokens = [] }
  }
}
