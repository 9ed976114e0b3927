import Wire

/// The address of a node: small, counted from 1, never reused within a session.
public typealias NodeID = Int

/// A node, whatever its riblet: what the tree needs to know of all of them.
class AnyNode {
  let id: NodeID
  let typeName: String
  /// The node that attached it, and outlives it; nil for the root.
  unowned let parent: AnyNode?
  /// Whether its state is a part of its parent's.
  let isEmbedded: Bool
  // No access to what is not checked for exclusivity lasts longer than an assignment or a lookup, nor calls user code.
  /// False once the node is detached; what is still queued for it is dropped then.
  @exclusivity(unchecked) fileprivate(set) final var isAttached = true
  /// Whether it may be acted on, and its effects run.
  @exclusivity(unchecked) fileprivate(set) final var isActive = false
  /// Whether the tree has it on the list of nodes that this transaction may have changed.
  @exclusivity(unchecked) final var isTouched = false
  /// Whether it was attached in this transaction.
  @exclusivity(unchecked) final var isNew = false
  /// Whether its state may have changed since its children were last reconciled.
  @exclusivity(unchecked) final var isUnsettled = false
  /// The last transaction in which its children were reconciled, by its number among all that were begun.
  @exclusivity(unchecked) final var lastReconciliation: UInt64 = 0
  /// Whether one of the nodes whose states are parts of its own is on the list of this transaction.
  @exclusivity(unchecked) final var hasTouchedParts = false
  /// Whether a change of its state may be a change of what its children are told.
  @exclusivity(unchecked) final var hasChildrenWithProps = false
  /// Whether its children were reconciled to others in this transaction.
  @exclusivity(unchecked) final var hasOtherChildren = false
  /// What the next cut has to have of it.
  @exclusivity(unchecked) final var uncut: NodeParts = []
  /// Writes its state for a store; nil if there is no store, or nothing of its own to write.
  @exclusivity(unchecked) final var stateWriter: StateWriter?
  /// Running effects.
  final var effects: [RunningEffect] = []
  /// How many nodes are above it.
  let depth: Int
  private var wasActive = false

  init(id: NodeID, typeName: String, parent: AnyNode?, isEmbedded: Bool) {
    self.id = id
    self.typeName = typeName
    self.parent = parent
    self.isEmbedded = isEmbedded
    depth = parent.map { $0.depth + 1 } ?? 0
  }

  // MARK: What the tree asks for

  /// Decodes and reduces a view action.
  func perform(_ action: JSONElement, in tree: Tree) throws(Refusal) { preconditionFailure("abstract") }
  /// Reduces what an effect sent.
  func receive(_ report: any Sendable, in tree: Tree) { preconditionFailure("abstract") }
  /// What an effect has sent, as a recording has it.
  func recorded(report: any Sendable) -> RecordedTransaction.Report { preconditionFailure("abstract") }
  /// What an effect has sent, from a recording.
  func report(_ recorded: RecordedTransaction.Report) throws(ReplayError) -> any Sendable {
    preconditionFailure("abstract")
  }
  /// Goes on with what waits for an effect to end.
  func effectEnded(_ effect: RunningEffect, hasFailed: Bool, in tree: Tree) { preconditionFailure("abstract") }
  /// Whether something waits for the effect to end.
  func isAwaited(_ effect: RunningEffect) -> Bool { preconditionFailure("abstract") }
  /// Whether its parent tells it something.
  var hasProps: Bool { preconditionFailure("abstract") }
  /// Tells it what the parent's state has for it, if that is something else than before, or again.
  func updateProps(again: Bool = false, in tree: Tree) { preconditionFailure("abstract") }
  func didRestore(_ interrupted: [InterruptedEffect], in tree: Tree) { preconditionFailure("abstract") }
  func didBecomeActive(in tree: Tree) { preconditionFailure("abstract") }
  func willResignActive(in tree: Tree) { preconditionFailure("abstract") }
  /// Attaches and detaches children until they are what the state says.
  func reconcile(in tree: Tree) { preconditionFailure("abstract") }
  var attachments: [AnyAttachments] { preconditionFailure("abstract") }
  /// Whether a change of its state changes nothing else of its parent's.
  var isStored: Bool { preconditionFailure("abstract") }
  /// Whether its state is its own, or no route of its parent's but its own depends on the same part.
  var isApart: Bool { preconditionFailure("abstract") }
  /// Whether it can have children.
  var hasRoutes: Bool { preconditionFailure("abstract") }
  /// Takes a child out of the state.
  ///
  /// - Returns: whether it could be taken out.
  func dismiss(_ child: AnyNode, in tree: Tree) -> Bool { preconditionFailure("abstract") }
  /// Takes note of what depends on the state, as far as it has changed.
  func noteChange(in tree: Tree) { preconditionFailure("abstract") }
  /// The state as JSON, if it is the node's own and can be saved.
  func encodeState(_ encoder: ViewEncoder) throws(RecordingError) -> [UInt8]? { preconditionFailure("abstract") }
  /// A writer of the state, if it is the node's own and can be saved.
  func makeStateWriter() -> StateWriter? { preconditionFailure("abstract") }
  /// What of the node has changed in this transaction, as far as a store has to know, besides its state.
  var changedParts: NodeParts { preconditionFailure("abstract") }
  /// The state, and what becomes of it when it is saved and restored; nil as for ``encodeState()``.
  func roundTrip() throws -> (state: Any, restored: Any)? { preconditionFailure("abstract") }
  /// The version of the state's shape.
  var stateVersion: Int { preconditionFailure("abstract") }
  /// What it shows and takes; nil if it has no view.
  var schemas: SchemaBook.Entry? { nil }

  /// Whether clients see it.
  var isViewable: Bool { false }

  /// Writes a node that is new in this transaction.
  func writeAddition(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(RecordingError) {
    preconditionFailure("abstract")
  }
  /// Writes the node as it is.
  func writeShown(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(RecordingError) {
    preconditionFailure("abstract")
  }
  /// Writes what changed in the node since the last commit.
  func writeDifference(into patch: inout PatchWriter, _ encoder: ViewEncoder) throws(RecordingError) {
    preconditionFailure("abstract")
  }
  /// Takes note that other children are to be seen.
  func childrenDidChange() {}

  // MARK: Transactions

  /// Keeps what a failed transaction has to bring back.
  ///
  /// Called before the first change.
  func save() { wasActive = isActive }
  /// Makes the changes final.
  func commit() { preconditionFailure("abstract") }
  /// Brings back what ``save()`` kept.
  func rollBack() { isActive = wasActive }

  /// Puts the node on the transaction's list, and every node whose state its own is a part of.
  final func touch(_ tree: Tree) {
    var node = self
    while !node.isTouched {
      node.isTouched = true
      node.save()
      tree.didTouch(node)
      guard node.isEmbedded, let parent = node.parent else { return }
      parent.hasTouchedParts = true
      node = parent
    }
  }

  /// Reconciles the nodes whose states this one's is a part of, as far as they have to be after a change of it.
  final func unsettleOwners(after change: StateChange, in tree: Tree) {
    var node = self
    while node.isEmbedded, let parent = node.parent {
      if parent.hasChildrenWithProps { tree.unsettle(parent, on: nil) }
      if change != .within || !node.isApart || !node.isStored { tree.unsettle(parent) }
      // An element that takes the id of another is in that one's place: the other's node has a state that no change tells of.
      if !node.isStored || change == .identity { parent.touchParts(tree) }
      node = parent
    }
  }

  /// Puts the nodes on the list whose states are parts of this one's, whatever has changed, and has its children reconciled.
  final func touchParts(_ tree: Tree) {
    guard hasRoutes else { return }
    tree.unsettle(self)
    for route in attachments where route.areEmbedded {
      for case let child? in route.children {
        child.touch(tree)
        child.touchParts(tree)
      }
    }
  }

  // MARK: Children

  final var children: [AnyNode] { attachments.flatMap { $0.children.compactMap(\.self) } }

  /// The children on one route; nil if there is no such route.
  final func children(on route: String) -> [AnyNode?]? { attachments.first { $0.name == route }?.children }

  /// The nearest node that clients see: itself or one above.
  final var viewable: AnyNode {
    var node = self
    while !node.isViewable, let parent = node.parent { node = parent }
    return node
  }

  // MARK: Life

  /// Activates or deactivates the node; its children follow when it is reconciled, or at once.
  final func setActive(_ isActive: Bool, in tree: Tree) {
    if isActive { activate(in: tree) } else { deactivate(in: tree) }
  }

  /// Activates the node; `interrupted` are the effects that ran when it was saved, if it comes from a snapshot.
  final func activate(restoring interrupted: [InterruptedEffect]? = nil, in tree: Tree) {
    guard !isActive else { return }
    touch(tree)
    isActive = true
    tree.unsettle(self)
    tree.note { .activated(id: id, type: typeName) }
    updateProps(again: true, in: tree)
    if let interrupted { didRestore(interrupted, in: tree) }
    didBecomeActive(in: tree)
  }

  /// First every active node below resigns, from the top down, then their effects end.
  private func deactivate(in tree: Tree) {
    guard isActive else { return }
    resign(in: tree)
    silence(in: tree)
  }

  private func resign(in tree: Tree) {
    guard isActive else { return }
    touch(tree)
    willResignActive(in: tree)
    isActive = false
    tree.note { .deactivated(id: id, type: typeName) }
    for route in attachments { route.didResign() }
    for child in children { child.resign(in: tree) }
  }

  private func silence(in tree: Tree) {
    cancelEffects(in: tree) { _ in true }
    for child in children { child.silence(in: tree) }
  }

  /// Detaches the node and all below it.
  final func detach(from tree: Tree) {
    deactivate(in: tree)
    leave(tree)
  }

  private func leave(_ tree: Tree) {
    touch(tree)
    isAttached = false
    tree.didDetach(self)
    for child in children { child.leave(tree) }
  }

  /// Undoes a detachment.
  final func reattach() { isAttached = true }

  // MARK: Snapshots

  /// The children: by route, and there by the name of their entries.
  final var childrenByEntry: [String: [String: NodeID]] {
    var children: [String: [String: NodeID]] = [:]
    for route in attachments {
      var entries: [String: NodeID] = [:]
      for (index, child) in route.children.enumerated() {
        if let child { entries[route.entryName(index)] = child.id }
      }
      children[route.name] = entries
    }
    return children
  }

  /// The effects that run, as a snapshot has them.
  final var interruptedEffects: [InterruptedEffect] {
    effects.map { InterruptedEffect(name: $0.id, key: $0.key, isResumable: $0.rest.isResumable) }
  }

  // MARK: Effects

  /// Forgets an effect that has ended, and gives up what waits for it.
  func giveUp(_ effect: RunningEffect) { effects.removeAll { $0.token == effect.token } }

  /// Cancels the effects whose names match, revokes their tokens, and gives up what was to follow them.
  func cancelEffects(in tree: Tree, where matches: (EffectID?) -> Bool) {
    for effect in effects where matches(effect.id) { tree.cancelEffect(effect, of: self) }
    effects.removeAll { matches($0.id) }
  }
}

/// An effect that runs, as its node remembers it.
struct RunningEffect {
  let token: EffectToken
  let id: EffectID?
  let key: IdempotencyKey
  /// Whether its session may rest meanwhile.
  let rest: EffectRest
  /// The sequence that goes on when it ends.
  let sequence: Int?
}
