import Wire

/// The address of a node: small, counted from 1, never reused within a session.
public typealias NodeID = Int

/// A node, whatever its riblet: what the tree needs to know of all of them.
class AnyNode {
  let id: NodeID
  let typeName: String
  /// False once the node is detached; what is still queued for it is dropped then.
  fileprivate(set) var isAttached = true
  /// Whether the tree has it on the list of nodes that this transaction may have changed.
  var isTouched = false
  /// Whether its state may have changed since its children were last reconciled.
  var isUnsettled = false
  /// Running effects, with their names.
  var effects: [(token: EffectToken, id: EffectID?)] = []

  init(id: NodeID, typeName: String) {
    self.id = id
    self.typeName = typeName
  }

  // MARK: What the tree asks for

  /// Decodes and reduces a view action.
  func perform(_ action: JSONElement, in tree: Tree) throws(Refusal) { preconditionFailure("abstract") }
  /// Reduces what an effect sent.
  func receive(_ report: any Sendable, in tree: Tree) { preconditionFailure("abstract") }
  func didBecomeActive(in tree: Tree) { preconditionFailure("abstract") }
  func willResignActive(in tree: Tree) { preconditionFailure("abstract") }
  /// Attaches and detaches children until they are what the state says.
  func reconcile(in tree: Tree) { preconditionFailure("abstract") }
  /// The children on one route; nil if there is no such route.
  func children(on route: String) -> [AnyNode]? { preconditionFailure("abstract") }
  var children: [AnyNode] { preconditionFailure("abstract") }

  /// Writes a node that is new in this transaction.
  func writeAddition(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(RecordingError) {
    preconditionFailure("abstract")
  }
  /// Writes the node as it was last committed.
  func writeShown(into json: inout JSONWriter, _ encoder: ViewEncoder) throws(RecordingError) {
    preconditionFailure("abstract")
  }
  /// Writes what changed in the node since the last commit.
  func writeDifference(into patch: inout PatchWriter, _ encoder: ViewEncoder) throws(RecordingError) {
    preconditionFailure("abstract")
  }

  // MARK: Transactions

  /// Keeps what a failed transaction has to bring back.
  ///
  /// Called before the first change.
  func save() { preconditionFailure("abstract") }
  /// Makes the changes final.
  func commit() { preconditionFailure("abstract") }
  /// Brings back what ``save()`` kept.
  func rollBack() { preconditionFailure("abstract") }

  /// Puts the node on the transaction's list.
  final func touch(_ tree: Tree) {
    guard !isTouched else { return }
    isTouched = true
    save()
    tree.didTouch(self)
  }

  /// Detaches the node and all below it: first every one resigns, from the top down, then their effects end.
  final func detach(from tree: Tree) {
    resign(in: tree)
    leave(tree)
  }

  /// Undoes a detachment.
  final func reattach() { isAttached = true }

  private func resign(in tree: Tree) {
    touch(tree)
    willResignActive(in: tree)
    for child in children { child.resign(in: tree) }
  }

  private func leave(_ tree: Tree) {
    cancelEffects(in: tree) { _ in true }
    isAttached = false
    tree.didDetach(self)
    for child in children { child.leave(tree) }
  }

  /// Cancels the effects whose names match, and revokes their tokens.
  final func cancelEffects(in tree: Tree, where matches: (EffectID?) -> Bool) {
    for effect in effects where matches(effect.id) { tree.cancelEffect(effect.token, of: self) }
    effects.removeAll { matches($0.id) }
  }
}
