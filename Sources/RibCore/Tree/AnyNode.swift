import Wire

/// The address of a node: small, counted from 1, never reused within a session.
public typealias NodeID = Int

/// A node without the type of its riblet: the interface through which the tree drives all nodes alike.
class AnyNode {
  let id: NodeID
  let typeName: String
  /// The parent, which outlives the node; nil for the root.
  unowned let parent: AnyNode?
  /// Whether the node's state is embedded: a part of the state of its parent.
  let isEmbedded: Bool
  // Why the accesses below need no check for exclusivity: a tree is used by one thread at a time, and each access to
  // such a property is a load, a store or one method call on the value in it. None of these runs code that could access
  // the property again, so no two accesses overlap. What it saves is a call into the runtime for each access, and one
  // action makes many.
  /// False once the node is detached; actions and outputs that are still queued for the node are dropped then.
  @exclusivity(unchecked) fileprivate(set) final var isAttached = true
  /// Whether the node takes actions and runs effects.
  @exclusivity(unchecked) fileprivate(set) final var isActive = false
  /// Whether the node is dirty: on the list of nodes that the current transaction may have changed.
  @exclusivity(unchecked) final var isTouched = false
  /// Whether the node was attached in the current transaction.
  @exclusivity(unchecked) final var isNew = false
  /// Whether the node waits for its children to be reconciled.
  @exclusivity(unchecked) final var isUnsettled = false
  /// The last transaction in which the node's children were reconciled, by the value of ``Tree/transactionAttempts``.
  @exclusivity(unchecked) final var lastReconciliation: UInt64 = 0
  /// Whether embedded children are still to be compared with what the node's reducers have made of their states.
  @exclusivity(unchecked) final var isUncompared = false
  /// Whether an embedded child of the node is dirty.
  @exclusivity(unchecked) final var hasTouchedParts = false
  /// Whether a child takes props, which a change of this node's state may change.
  @exclusivity(unchecked) final var hasChildrenWithProps = false
  /// Whether the current transaction has changed the node's children, their order or their selection.
  @exclusivity(unchecked) final var hasOtherChildren = false
  /// The parts of the node that have changed since the last cut.
  @exclusivity(unchecked) final var uncut: NodeParts = []
  /// Writes the node's state for a store; nil if the tree notes no changes, or the node has no state of its own to
  /// save.
  @exclusivity(unchecked) final var stateWriter: StateWriter?
  /// The effects that run.
  final var effects: [RunningEffect] = []
  /// The number of ancestors.
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
  func perform(_ action: JSONElement, by client: ActingClient, in tree: Tree) throws(Refusal) {
    preconditionFailure("abstract")
  }
  /// The name of a view action's case; nil if it does not decode, or has none.
  func actionName(of action: JSONElement) -> String? { preconditionFailure("abstract") }
  /// Whether the riblet's view actions may hold secrets; computed anew each time, which is slow.
  var secret: SecretFinder.Finding { preconditionFailure("abstract") }
  /// Hands what an effect has sent to the reducer or, if that is an output, to the parent.
  func receive(_ report: any Sendable, in tree: Tree) { preconditionFailure("abstract") }
  /// What an effect has sent, in the form in which a recording keeps it.
  func recorded(report: any Sendable) -> RecordedTransaction.Report { preconditionFailure("abstract") }
  /// What an effect has sent, read from a recording.
  func report(_ recorded: RecordedTransaction.Report) throws(ReplayError) -> any Sendable {
    preconditionFailure("abstract")
  }
  /// Removes an effect that has ended, and starts or gives up the rest of the sequence that waited for it.
  func effectEnded(_ effect: RunningEffect, hasFailed: Bool, in tree: Tree) { preconditionFailure("abstract") }
  /// Whether a sequence waits for the effect to end.
  func isAwaited(_ effect: RunningEffect) -> Bool { preconditionFailure("abstract") }
  /// Whether the riblet takes props from its parent.
  var hasProps: Bool { preconditionFailure("abstract") }
  /// Reduces the props as the parent's state has them now, if they differ from the last ones, `again` is true, or
  /// ``noteReplacement()`` has asked for that.
  ///
  /// - Returns: whether the props were reduced.
  @discardableResult
  func updateProps(again: Bool = false, in tree: Tree) -> Bool { preconditionFailure("abstract") }
  /// Has the props told again, even if they are equal, if the node's state was replaced: if the state is a part of the
  /// parent's, and not the riblet's own reducers have changed it.
  func noteReplacement() { preconditionFailure("abstract") }
  func didRestore(_ interrupted: [InterruptedEffect], in tree: Tree) { preconditionFailure("abstract") }
  func didBecomeActive(in tree: Tree) { preconditionFailure("abstract") }
  func willResignActive(in tree: Tree) { preconditionFailure("abstract") }
  /// Attaches and detaches children until they match the state, and hands them changed props.
  func reconcile(in tree: Tree) { preconditionFailure("abstract") }
  var attachments: [AnyAttachments] { preconditionFailure("abstract") }
  /// ``Cell/isStored`` of the node's state.
  var isStored: Bool { preconditionFailure("abstract") }
  /// ``Cell/isApart`` of the node's state.
  var isApart: Bool { preconditionFailure("abstract") }
  /// Whether the riblet has routes, and so may have children.
  var hasRoutes: Bool { preconditionFailure("abstract") }
  /// Takes a child out of its container in the state, for the back button.
  ///
  /// - Returns: false if the container keeps the child.
  func dismiss(_ child: AnyNode, in tree: Tree) -> Bool { preconditionFailure("abstract") }
  /// Invalidates what depends on the bits of the state that have changed: routes, props and embedded children.
  ///
  /// Embedded children are compared only once, when the node is reconciled: see ``compareParts(in:)``.
  func noteChange(in tree: Tree) { preconditionFailure("abstract") }
  /// Finds the embedded children whose states the node's reducers, or those of its ancestors, have changed since the
  /// last comparison, and invalidates what depends on these.
  func compareParts(in tree: Tree) { preconditionFailure("abstract") }
  /// Takes note of elements with equal ids in embedded lists, where children look for their states.
  func noteDuplicates() { preconditionFailure("abstract") }
  /// The state as JSON; nil if the node has no state of its own, or its type is not `Encodable`.
  func encodeState(_ encoder: ViewEncoder) throws(CaptureError) -> [UInt8]? { preconditionFailure("abstract") }
  /// A writer of the state; nil if the node has no state of its own, or its type is not `Encodable`.
  func makeStateWriter() -> StateWriter? { preconditionFailure("abstract") }
  /// What the current transaction has changed in the node that a store keeps, apart from the state.
  var changedParts: NodeParts { preconditionFailure("abstract") }
  /// The state, and the state that is decoded from its JSON; nil as for ``encodeState(_:)``.
  func roundTrip() throws -> (state: Any, restored: Any)? { preconditionFailure("abstract") }
  /// A route whose children are not those that the state asks for; nil if there is none.
  var staleRoute: String? { preconditionFailure("abstract") }
  /// The version of the state's shape.
  var stateVersion: Int { preconditionFailure("abstract") }
  /// Shows the riblet to a visitor, and its view if it has one.
  func accept(_ visitor: any RibletVisitor) { preconditionFailure("abstract") }

  /// Whether clients see the node.
  var isViewable: Bool { false }

  /// Writes a node that is new in this transaction.
  func writeAddition(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(CaptureError) {
    preconditionFailure("abstract")
  }
  /// Writes the node as it is.
  func writeShown(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(CaptureError) {
    preconditionFailure("abstract")
  }
  /// Writes the node as it would be if its riblet were asked for its view once more.
  func writeAskedAgain(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(CaptureError) {
    preconditionFailure("abstract")
  }
  /// Writes what changed in the node since the last commit.
  func writeDifference(into patch: inout PatchWriter, _ encoder: ViewEncoder) throws(CaptureError) {
    preconditionFailure("abstract")
  }
  /// Called when the children that clients see may have changed.
  func childrenDidChange() {}

  // MARK: Transactions

  /// Keeps what a rollback has to restore; called before the transaction's first change of the node.
  func save() { wasActive = isActive }
  /// Makes the changes final.
  func commit() { preconditionFailure("abstract") }
  /// Restores what ``save()`` kept.
  func rollBack() { isActive = wasActive }

  /// Marks the node as dirty, and every ancestor that its state is embedded in.
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

  /// Has the ancestors reconciled that this node's state is embedded in, where a change of it can affect their
  /// children.
  final func unsettleOwners(after change: StateChange, in tree: Tree) {
    var node = self
    while node.isEmbedded, let parent = node.parent {
      if parent.hasChildrenWithProps { tree.unsettle(parent, on: nil) }
      if change != .within || !node.isApart || !node.isStored { tree.unsettle(parent) }
      if change == .identity {
        // An element that takes the id of another is in that one's place: the other's node has a state that no change
        // tells of.
        parent.touchParts(tree, mayBeReplaced: true)
      } else if !node.isStored {
        parent.touchParts(tree)
      }
      node = parent
    }
  }

  /// Marks the whole embedded subtree as dirty and has it reconciled: for a change of unknown extent.
  ///
  /// - Parameters:
  ///   - tree: the node's tree.
  ///   - mayBeReplaced: whether nodes whose states were replaced are told their props again. False after a change by a
  ///     child whose state is a computed property: of two children whose states are computed from the same bits, each
  ///     would be told its props because the other one was.
  final func touchParts(_ tree: Tree, mayBeReplaced: Bool = false) {
    guard hasRoutes else { return }
    tree.unsettle(self)
    if mayBeReplaced { noteDuplicates() }
    for route in attachments where route.areEmbedded {
      for case let child? in route.children {
        child.touch(tree)
        if mayBeReplaced { child.noteReplacement() }
        child.touchParts(tree, mayBeReplaced: mayBeReplaced)
      }
    }
  }

  /// Runs the comparisons that are due in the owners, the nodes whose states this node's state is a part of; the
  /// outermost owner comes first.
  ///
  /// Call this before the state is read or changed. Until then a change by an owner counts neither as a change of this
  /// node's state nor as its replacement, and the state may be in another element of a list than the node believes.
  final func compareOwners(in tree: Tree) {
    guard isEmbedded, let parent else { return }
    parent.compareOwners(in: tree)
    if parent.isUncompared { parent.compareParts(in: tree) }
  }

  // MARK: Children

  final var children: [AnyNode] { attachments.flatMap { $0.children.compactMap(\.self) } }

  /// The children on one route; nil if there is no such route.
  final func children(on route: some Sequence<UInt8>) -> [AnyNode?]? {
    attachments.first { $0.name.utf8.elementsEqual(route) }?.children
  }

  /// The nearest node that clients see: this one or an ancestor.
  final var viewable: AnyNode {
    var node = self
    while !node.isViewable, let parent = node.parent { node = parent }
    return node
  }

  // MARK: Life

  /// Activates the node, whose children follow when it is reconciled; or deactivates its subtree at once.
  final func setActive(_ isActive: Bool, in tree: Tree) {
    if isActive { activate(in: tree) } else { deactivate(in: tree) }
  }

  /// Activates the node; `interrupted` are the effects that ran when the node was saved, nil unless it is restored.
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

  /// Lets every active node of the subtree resign, from the top down, and then cancels the effects of all of them.
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

  /// Detaches the node and its subtree.
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

  /// The ids of the attached children, by route and then by the name of the child's entry.
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

  /// The running effects, in the form in which a snapshot keeps them.
  final var interruptedEffects: [InterruptedEffect] {
    effects.map { InterruptedEffect(name: $0.id, key: $0.key, isResumable: $0.rest.isResumable) }
  }

  // MARK: Effects

  /// Removes an effect that has ended, and gives up the sequence that waited for it.
  func giveUp(_ effect: RunningEffect) { effects.removeAll { $0.token == effect.token } }

  /// Cancels the effects whose names match, revokes their tokens, and gives up the sequences that waited for them.
  func cancelEffects(in tree: Tree, where matches: (EffectID?) -> Bool) {
    for effect in effects where matches(effect.id) { tree.cancelEffect(effect, of: self) }
    effects.removeAll { matches($0.id) }
  }
}

/// A running effect, as its node keeps it.
struct RunningEffect {
  let token: EffectToken
  let id: EffectID?
  let key: IdempotencyKey
  /// Whether the session may rest while the effect runs.
  let rest: EffectRest
  /// The number of the sequence that goes on when the effect ends; nil if none waits for it.
  let sequence: Int?
}
