package import Wire

/// The riblets of one session.
///
/// A driver — the server's session, a test — feeds it events; each is one transaction: reduce, handle what is queued in order,
/// reconcile the routes of what was touched until nothing changes, then write one patch. A transaction that cannot be
/// completed leaves everything as it was. The tree does no I/O: which effects to start and to cancel it answers as
/// `EffectCommand` values, which the driver carries out once the transaction is committed.
///
/// Not `Sendable`: a tree belongs to its driver.
public final class Tree {
  /// How many steps — actions and outputs handled, nodes reconciled — one transaction may take.
  ///
  /// A tree of a thousand nodes starts within it; a riblet that answers itself for ever does not.
  package static let settleLimit = 10_000
  /// How deep a tree may be: one whose riblets attach their like without end is refused.
  package static let depthLimit = 1_000
  /// How many nodes one transaction may attach: more than any screen has, and few enough for any machine.
  package static let attachLimit = 50_000
  /// How many bytes the view document may have: 4 MiB, more than any client wants.
  package static let viewLimit = 4 << 20

  /// How many bytes of JSON the state of one node can have if it is to be saved: 4 MiB.
  package static let stateLimit = 4 << 20

  /// The session's name, for ``IdempotencyKey``.
  package let session: String
  // No access to what is not checked for exclusivity lasts longer than an assignment or a lookup, nor calls user code.
  /// Called with what happens, while it happens; nil costs nothing.
  @exclusivity(unchecked) package var observer: ((TreeEvent) -> Void)?
  /// Called after each pass of a reducer, before what follows from it.
  @exclusivity(unchecked) package var witness: ((Reduction) -> Void)?
  /// Called when a transaction has been committed, or undone.
  @exclusivity(unchecked) package var onEnd: ((_ isCommitted: Bool) -> Void)?
  /// Writes what happens; nil costs nothing.
  @exclusivity(unchecked) package var recorder: TransactionRecorder?
  /// Is shown the riblets that are attached.
  @exclusivity(unchecked) package var visitor: (any RibletVisitor)?
  let makeRoot: (NodeBirth) throws(RestoreFailure) -> AnyNode
  @exclusivity(unchecked) var root: AnyNode?
  @exclusivity(unchecked) var nodes: [NodeID: AnyNode] = [:]
  @exclusivity(unchecked) var lastID: NodeID = 0
  @exclusivity(unchecked) var lastToken: UInt64 = 0
  /// The number of transactions that were committed.
  @exclusivity(unchecked) package internal(set) var transactionCount: UInt64 = 0
  /// The number of transactions that were begun.
  @exclusivity(unchecked) var transactionAttempts: UInt64 = 0
  var running: [EffectToken: AnyNode] = [:]
  @exclusivity(unchecked) var transaction = Transaction()
  var restoration: Restoration?
  @exclusivity(unchecked) var viewExtent = ViewSize()
  /// Whether ``takeCut()`` is going to be called: to be set before the tree is started.
  @exclusivity(unchecked) package var notesChanges = false
  /// Nodes that have changed, each once, and nodes that have gone, since the last cut.
  @exclusivity(unchecked) var uncut: (nodes: [AnyNode], removed: [NodeID]) = ([], [])
  /// The type of the riblet that the last action or report was for, for logs; nil if there was no such node.
  @exclusivity(unchecked) package internal(set) var lastTypeName: String?
  /// Reports and queued actions that came too late for their node, and effects that an inactive node wanted to start.
  @exclusivity(unchecked) package internal(set) var droppedActions = 0

  /// A tree that is not started.
  ///
  /// - Parameters:
  ///   - root: the riblet at its root. It has a view, and no output: it has no parent to hear it.
  ///   - session: the session's name, for ``IdempotencyKey``.
  package init<Root: Riblet>(root: Root, session: String = "")
  where Root.Output == Never, Root.Props == Never {
    precondition(Root.ViewState.self != Never.self, "\(Root.typeName) has no view, and cannot be a root")
    self.session = session
    makeRoot = { birth throws(RestoreFailure) in try root.makeNode(birth, below: nil, ParentLink()) }
  }

  /// A tree whose root has something to say, for a test of that riblet alone.
  ///
  /// - Parameters:
  ///   - root: the riblet.
  ///   - state: its state before it becomes active; nil for the one that it makes.
  ///   - props: what it is told, asked for when it is attached and when the test says so; nil if it has none.
  ///   - onOutput: called with its outputs, in the transaction that has them.
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

  /// The root's id; 0 as long as there is none.
  package var rootID: NodeID { root?.id ?? 0 }
  /// The number of nodes.
  package var nodeCount: Int { nodes.count }
  /// The bytes of the view document when it was measured last: after as many bytes of patches as it has itself, or 4 KiB.
  package var viewSize: Int { viewExtent.measured }
  /// The number of effects that run.
  package var effectCount: Int { running.count }
  /// Whether an effect runs that would be lost if the tree left memory.
  package var hasVolatileEffects: Bool {
    nodes.values.contains { node in node.effects.contains { !$0.rest.isResumable } }
  }

  /// Whether the tree may leave memory although a client is connected, and which bells wake its session then.
  ///
  /// To be asked when the tree leaves, for effects come and go: what is published after the last value that was handed to a
  /// reducer rings as soon as its bell is armed. The tree may be stopped before or after the bells are armed. A tree whose
  /// session has no client need only have no ``hasVolatileEffects``.
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

  /// Attaches the root and whatever follows from it.
  ///
  /// To be called once, before anything else.
  ///
  /// - Parameter renderer: memory to work in; there is no patch, as no client has a view yet.
  /// - Returns: effects to start.
  /// - Throws: ``Refusal`` if the tree does not settle or cannot be shown; it is not started then.
  package func start(rendering renderer: ViewRenderer) throws(Refusal) -> [EffectCommand] {
    precondition(root == nil, "a tree is started once")
    recorder?.begin(.start)
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
  package func restore(
    _ snapshot: TreeSnapshot, rendering renderer: ViewRenderer
  ) throws(RestoreError) -> (commands: [EffectCommand], report: RestoreReport) {
    precondition(root == nil, "a tree is started once")
    lastID = max(snapshot.lastID, snapshot.nodes.keys.max() ?? 0)
    transactionCount = snapshot.transactions
    restoration = Restoration(snapshot)
    recorder?.begin(.restore(snapshot.text))
    defer { restoration = nil }
    do throws(Refusal) {
      let commands = try transact(renderer) { () throws(Refusal) in
        attachRoot(restoration?.take(snapshot.root))
        // Nothing is kept of what a newer program saved: not even its loss.
        try settle()
        restoration?.noteNewer(than: nodes.values)
        if let newer = restoration?.newer { throw Refusal(.failed, "\(newer)") }
      }
      renderer.patch.removeAll()
      // Whatever of the snapshot has no place any more is to be deleted.
      if notesChanges { uncut.removed += Set(snapshot.nodes.keys).subtracting(nodes.keys).subtracting(uncut.removed) }
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
  package func perform(
    _ action: JSONElement, for address: NodeAddress, rendering renderer: ViewRenderer
  ) throws(Refusal) -> [EffectCommand] {
    recorder?.begin(.act(recorder?.client, to: address, action: action.source))
    return try transact(renderer) { () throws(Refusal) in
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

  /// Lets the whole tree rest, without effects and deaf to actions, or lets it go on.
  ///
  /// - Parameters:
  ///   - isActive: whether the session is active.
  ///   - renderer: gets the patch.
  /// - Returns: effects to start and to cancel.
  /// - Throws: ``Refusal`` with the code `failed`; nothing has changed then.
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

  /// Takes what a running effect sends.
  ///
  /// What a revoked one sends is dropped.
  ///
  /// - Parameters:
  ///   - report: from the effect's port.
  ///   - renderer: gets the patch, without operations if nothing visible changed.
  /// - Returns: effects to start and to cancel.
  /// - Throws: ``Refusal`` with the code `failed`; nothing has changed then.
  package func receive(
    _ report: EffectReport, rendering renderer: ViewRenderer
  ) throws(Refusal) -> [EffectCommand] {
    lastTypeName = running[report.token]?.typeName
    guard let node = running[report.token] else {
      drop()
      renderer.patch.removeAll()
      return []
    }
    // Also of one that is refused: what a reducer could not do is not tried again.
    defer { report.receipt?() }
    if let recorder, let event = node.recorded(report) { recorder.begin(event) }
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

  /// Detaches everything.
  ///
  /// - Returns: the effects to cancel.
  package func stop() -> [EffectCommand] {
    root?.detach(from: self)
    root = nil
    return endTransaction()
  }
}
