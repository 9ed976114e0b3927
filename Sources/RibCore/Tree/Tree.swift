package import Wire

/// The tree of riblets of one session.
///
/// The tree's driver, a server's session or a test, feeds the tree events. Each event is one transaction: a reducer
/// runs; queued actions and outputs are handled in order and the routes of changed nodes reconciled until nothing
/// changes; then one patch is written. A transaction that cannot be completed is rolled back. The tree does no I/O: it
/// returns the effects to start and to cancel as `EffectCommand` values, which the driver carries out once the
/// transaction is committed.
///
/// Not `Sendable`: a tree belongs to its driver.
package final class Tree {
  /// The greatest number of steps of one transaction: actions and outputs handled, and nodes reconciled once more.
  ///
  /// An app needs far fewer steps; a riblet that answers itself for ever exceeds the limit.
  package static let settleLimit = 10_000
  /// The greatest depth of a tree: a tree whose riblets attach their like without end is refused.
  package static let depthLimit = 1_000
  /// The greatest number of nodes that one transaction may attach: more than any screen has, and few enough for any
  /// machine.
  package static let attachLimit = 50_000
  /// The greatest size of the view document in bytes: 4 MiB.
  package static let viewLimit = 4 << 20

  /// The greatest size of a node's saved state, in bytes of JSON: 4 MiB.
  package static let stateLimit = 4 << 20

  /// The session's name, for ``IdempotencyKey``.
  package let session: String
  // No check for exclusivity: see AnyNode, which says why that is right.
  /// Called with each event while it happens; without an observer no events are made.
  @exclusivity(unchecked) package var observer: ((TreeEvent) -> Void)?
  /// Called after each call of a reducer, before the effect that it returned is carried out.
  @exclusivity(unchecked) package var witness: ((Reduction) -> Void)?
  /// Asked before each action whether its riblet may reduce it; nil costs nothing.
  @exclusivity(unchecked) package var gate: ((SeenAction) -> ActionDecision)?
  /// Called when a transaction has been committed or rolled back.
  @exclusivity(unchecked) package var onEnd: ((_ isCommitted: Bool) -> Void)?
  /// Records the transactions; nil if they are not recorded.
  @exclusivity(unchecked) package var recorder: TransactionRecorder?
  /// Is shown each riblet that is attached; nil if that is not needed.
  @exclusivity(unchecked) package var visitor: (any RibletVisitor)?
  let makeRoot: (NodeBirth) throws(RestoreFailure) -> AnyNode
  @exclusivity(unchecked) var root: AnyNode?
  @exclusivity(unchecked) var nodes: [NodeID: AnyNode] = [:]
  @exclusivity(unchecked) var lastID: NodeID = 0
  @exclusivity(unchecked) var lastToken: UInt64 = 0
  /// The number of transactions that were committed.
  @exclusivity(unchecked) package internal(set) var transactionCount: UInt64 = 0
  /// The number of transactions that were begun, those that were rolled back included.
  @exclusivity(unchecked) var transactionAttempts: UInt64 = 0
  var running: [EffectToken: AnyNode] = [:]
  @exclusivity(unchecked) var transaction = Transaction()
  var restoration: Restoration?
  @exclusivity(unchecked) var viewExtent = ViewSize()
  /// Whether ``takeCut()`` is going to be called; to be set before the tree is started.
  @exclusivity(unchecked) package var notesChanges = false
  /// Nodes that have changed since the last cut, each once, and the ids of nodes detached since.
  @exclusivity(unchecked) var uncut: (nodes: [AnyNode], removed: [NodeID]) = ([], [])
  /// The type name of the riblet that the last action or report was for, also one that was refused, for logs; nil if there was no such node.
  @exclusivity(unchecked) package internal(set) var lastTypeName: String?
  /// How many reports and queued actions came too late for their node, and how many effects an inactive node wanted to
  /// start.
  @exclusivity(unchecked) package internal(set) var droppedActions = 0

  /// A tree that is not started.
  ///
  /// - Parameters:
  ///   - root: the root riblet. It has a view; it has no outputs and no props, as it has no parent.
  ///   - session: the session's name, for ``IdempotencyKey``.
  package init<Root: Riblet>(root: Root, session: String = "")
  where Root.Output == Never, Root.Props == Never {
    precondition(Root.ViewState.self != Never.self, "\(Root.typeName) has no view, and cannot be a root")
    self.session = session
    makeRoot = { birth throws(RestoreFailure) in try root.makeNode(birth, below: nil, ParentLink()) }
  }

  /// A tree whose root has outputs and props, for a test of that riblet alone.
  ///
  /// - Parameters:
  ///   - root: the riblet under test.
  ///   - state: its state before it becomes active; nil for what `makeState` returns.
  ///   - props: called for the props when the root is attached, and by ``updateProps(rendering:)``; nil if it has none.
  ///   - onOutput: called with each output, within its transaction.
  package init<Root: Riblet>(
    testing root: Root, given state: Root.State? = nil, props: (() -> Root.Props?)? = nil,
    onOutput: @escaping (Root.Output) -> Void
  ) {
    session = ""
    makeRoot = { birth throws(RestoreFailure) in
      let link = ParentLink(tell: { output, _ in onOutput(output) }, props: props)
      return try root.makeNode(birth, below: nil, given: state, link)
    }
  }

  /// The root's id; 0 while the tree has no root.
  package var rootID: NodeID { root?.id ?? 0 }
  /// The number of nodes.
  package var nodeCount: Int { nodes.count }
  /// The bytes of the view document when it was measured last.
  ///
  /// The next measurement comes after a patch that is longer than the view was, or when the patches since have eight times its bytes;
  /// not before they have 4 KiB.
  package var viewSize: Int { viewExtent.measured }
  /// The number of effects that run.
  package var effectCount: Int { running.count }
  /// Whether an effect runs whose work would be lost if the tree left memory.
  package var hasVolatileEffects: Bool {
    nodes.values.contains { node in node.effects.contains { !$0.rest.isResumable } }
  }

  /// Whether the tree may leave memory although a client is connected, and which bells wake its session then.
  ///
  /// Ask when the tree leaves, as effects come and go. The bells may be armed before or after the tree is stopped: a
  /// bell rings at once for anything published after the last value that a reducer was handed. If the session has no
  /// client, it is enough that the tree has no ``hasVolatileEffects``.
  package var restWithClients: RestRule {
    var bells: [Bell] = []
    for node in nodes.values {
      for effect in node.effects {
        switch effect.rest {
        case .never, .withoutClients: return .mayNot
        case .always: break
        case .withBell(let bell): bells.append(bell)
        }
      }
    }
    return .may(bells)
  }

  // MARK: Events

  /// Attaches the root, and whatever follows from that.
  ///
  /// Call this once, before anything else. There is no patch afterwards, as no client has a view yet.
  ///
  /// - Throws: ``Refusal`` if the tree does not settle or cannot be shown; it is not started then.
  package func start(rendering renderer: ViewRenderer) throws(Refusal) -> [EffectCommand] {
    precondition(root == nil, "a tree is started once")
    recorder?.begin(.start)
    let commands = try transact(renderer) { () throws(Refusal) in attachRoot(nil) }
    renderer.patch.removeAll()
    return commands
  }

  /// Attaches the root, and whatever follows from that, as they were when a snapshot was taken.
  ///
  /// Call this once, instead of ``start(rendering:)``. A node that cannot be restored is built anew by its parent's
  /// route, under a new id. There is no patch afterwards.
  ///
  /// - Parameters:
  ///   - snapshot: what was saved.
  ///   - renderer: lends its memory.
  ///   - willRestore: called with each saved node before its state is decoded or migrated.
  /// - Returns: effects to start, and which nodes were restored and which were lost.
  /// - Throws: ``RestoreError``; the tree is not started then.
  package func restore(
    _ snapshot: TreeSnapshot, rendering renderer: ViewRenderer, willRestore: ((NodeSnapshot) -> Void)? = nil
  ) throws(RestoreError) -> (commands: [EffectCommand], report: RestoreReport) {
    precondition(root == nil, "a tree is started once")
    lastID = max(snapshot.lastID, snapshot.nodes.keys.max() ?? 0)
    transactionCount = snapshot.transactions
    restoration = Restoration(snapshot, willRestore)
    recorder?.begin(.restore(snapshot.text))
    defer { restoration = nil }
    do throws(Refusal) {
      let commands = try transact(renderer) { () throws(Refusal) in
        attachRoot(restoration?.take(snapshot.root))
        // A snapshot that holds a node of a newer program is refused as a whole, before any node is reported as lost.
        try settle()
        restoration?.noteNewer(than: nodes.values)
        if let newer = restoration?.newer { throw Refusal(.failed, "\(newer)") }
      }
      renderer.patch.removeAll()
      // Nodes of the snapshot that have no place in the tree any more are to be deleted from the store.
      if notesChanges { uncut.removed += Set(snapshot.nodes.keys).subtracting(nodes.keys).subtracting(uncut.removed) }
      return (commands, restoration?.finish() ?? RestoreReport())
    } catch {
      if let newer = restoration?.newer { throw newer }
      throw .refused(error)
    }
  }

  /// Runs a view action.
  ///
  /// The renderer has the patch afterwards, without operations if nothing visible changed.
  ///
  /// - Throws: ``Refusal``; the tree is as it was before then.
  package func perform(
    _ action: JSONElement, for address: NodeAddress, by client: ActingClient, rendering renderer: ViewRenderer
  ) throws(Refusal) -> [EffectCommand] {
    let action = recorder?.begin(action, to: address) ?? action
    return try transact(renderer) { () throws(Refusal) in
      let node = try activeNode(at: address)
      try node.perform(action, by: client, in: self)
    }
  }

  /// Leaves a node as the client's back button does.
  ///
  /// From the node downwards, the deepest active child in front is taken out of its container, if the container lets go
  /// of it. If there is no such child, the node itself is taken out, or the nearest ancestor for which that is
  /// possible. The renderer has the patch afterwards.
  ///
  /// - Returns: whether there was anything to leave, and effects to start and to cancel.
  /// - Throws: ``Refusal``; the tree is as it was before then.
  package func back(
    from address: NodeAddress, rendering renderer: ViewRenderer
  ) throws(Refusal) -> (isLeft: Bool, commands: [EffectCommand]) {
    var isLeft = false
    recorder?.begin(.back(recorder?.client, to: address))
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

  /// Deactivates or activates the whole tree: while the tree is inactive it runs no effects and refuses actions.
  ///
  /// The renderer has the patch afterwards.
  ///
  /// - Throws: ``Refusal`` with the code `failed`; the tree is as it was before then.
  package func setActive(
    _ isActive: Bool, rendering renderer: ViewRenderer
  ) throws(Refusal) -> [EffectCommand] {
    recorder?.begin(.setActive(isActive))
    return try transact(renderer) { () throws(Refusal) in
      guard let root else { preconditionFailure("a tree that is not started cannot be active") }
      root.setActive(isActive, in: self)
      unsettle(root)
    }
  }

  /// Takes what a running effect sends; what a revoked effect sends is dropped.
  ///
  /// The renderer has the patch afterwards, without operations if nothing visible changed.
  ///
  /// - Throws: ``Refusal`` with the code `failed`, or `refused` if a reducer refuses; the tree is as it was before
  ///   then.
  package func receive(
    _ report: EffectReport, rendering renderer: ViewRenderer
  ) throws(Refusal) -> [EffectCommand] {
    lastTypeName = running[report.token]?.typeName
    guard let node = running[report.token] else {
      drop()
      renderer.patch.removeAll()
      return []
    }
    // Also if the report is refused: a value that a reducer has refused is not sent to it again.
    defer { report.receipt?() }
    let content = report.content()
    if let recorder, let event = node.recorded(content, by: report.token) { recorder.begin(event) }
    return try transact(renderer) { () throws(Refusal) in node.receive(content, in: self) }
  }

  /// Takes note that an effect has returned or thrown, and goes on with the sequence that waits for it.
  ///
  /// The renderer has the patch afterwards, without operations if nothing visible changed.
  ///
  /// - Parameters:
  ///   - token: from the effect's ``EffectStart``.
  ///   - hasFailed: whether the effect has thrown; the rest of its sequence is given up then.
  ///   - renderer: lends its memory.
  /// - Returns: effects to start and to cancel.
  /// - Throws: ``Refusal`` if the next step of the sequence could not be done; the sequence is given up then.
  package func effectEnded(
    _ token: EffectToken, hasFailed: Bool = false, rendering renderer: ViewRenderer
  ) throws(Refusal) -> [EffectCommand] {
    renderer.patch.removeAll()
    guard let node = running[token], let effect = node.effects.first(where: { $0.token == token }) else { return [] }
    running[token] = nil
    note { .effectEnded(token: token, type: node.typeName, id: effect.id) }
    lastTypeName = node.typeName
    if node.isAwaited(effect) {
      recorder?.begin(.ended(node.recorded(effect), hasFailed: hasFailed))
      do throws(Refusal) {
        return try transact(renderer) { () throws(Refusal) in
          node.effectEnded(effect, hasFailed: hasFailed, in: self)
        }
      } catch {
        node.giveUp(effect)
        noteChange(node, .effects)
        throw error
      }
    }
    recorder?.note(.ended(node.recorded(effect), hasFailed: hasFailed))
    node.giveUp(effect)
    noteChange(node, .effects)
    return []
  }

  /// Detaches the whole tree, and returns the commands that cancel its effects.
  package func stop() -> [EffectCommand] {
    root?.detach(from: self)
    root = nil
    return endTransaction()
  }
}
