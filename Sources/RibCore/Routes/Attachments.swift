import Wire

/// The children that one route of one node has.
class AnyAttachments {
  /// The route's name.
  let name: String
  /// The container's kind.
  let kind: String
  /// One an entry; nil for one that was never in front of a lazy container.
  fileprivate(set) var children: [AnyNode?] = []
  /// The index of the selected child, as clients are told.
  fileprivate(set) var selected: Int?
  /// The index of the child in front.
  fileprivate(set) var front: Int?
  /// Whether the children's states are parts of the parent's.
  let areEmbedded: Bool
  private var saved: (children: [AnyNode?], selected: Int?, front: Int?)?

  fileprivate init(name: String, kind: String, areEmbedded: Bool) {
    self.name = name
    self.kind = kind
    self.areEmbedded = areEmbedded
  }

  /// The name of a child's entry, under which a snapshot finds it again.
  func entryName(_ index: Int) -> String { preconditionFailure("abstract") }

  func save() { saved = (children, selected, front) }
  func commit() { saved = nil }

  func rollBack() {
    if let saved { (children, selected, front) = saved }
    saved = nil
  }
}

/// The children of a route of a parent whose type is known.
class Attachments<Parent: Router>: AnyAttachments {
  /// Attaches, activates, deactivates and detaches until the children are what the state says.
  ///
  /// - Returns: whether anything of it is visible.
  func reconcile(with state: Parent.State, of parent: Node<Parent>, in tree: Tree) -> Bool {
    preconditionFailure("abstract")
  }

  /// Takes the child at an index out of the state.
  ///
  /// - Returns: whether it could be taken out.
  func dismiss(_ index: Int, from state: inout Parent.State) -> Bool { preconditionFailure("abstract") }
}

/// The children of a route, as its source tells them from the state.
final class SourcedAttachments<Source: RouteSource>: Attachments<Source.Parent> {
  private let source: Source
  private let policy: ActivationPolicy
  /// What the source saw at the last reconciliation, and its entries, one a child.
  private var content: Source.Content?
  private var entries: [Source.Entry] = []
  private var savedContent: (Source.Content?, [Source.Entry])?

  init(name: String, _ source: Source, _ policy: ActivationPolicy) {
    self.source = source
    self.policy = policy
    super.init(name: name, kind: source.kind, areEmbedded: source.isEmbedding)
  }

  override func entryName(_ index: Int) -> String { source.name(of: entries[index]) }

  override func reconcile(with state: Source.Parent.State, of parent: Node<Source.Parent>, in tree: Tree) -> Bool {
    let content = source.content(of: state)
    var hasChanged = false
    if content != self.content {
      self.content = content
      let target = source.entries(of: content)
      hasChanged = selected != source.selected(of: content)
      selected = source.selected(of: content)
      front = source.front(of: content)
      if target != entries {
        replace(with: target, of: parent, in: tree)
        hasChanged = true
      }
    }
    for (index, child) in children.enumerated() {
      let isInFront = front == nil || front == index
      switch (child, policy) {
      case (nil, _) where isInFront || policy != .lazy || tree.remembers(place(index, below: parent)):
        children[index] = attach(index, to: parent, isActive: isInFront || policy != .selectedOnly, in: tree)
        hasChanged = true
      case (let child?, .selectedOnly): child.setActive(parent.isActive && isInFront, in: tree)
      case (let child?, _): child.setActive(parent.isActive, in: tree)
      case (nil, _): break
      }
    }
    return hasChanged
  }

  /// Entries that stay keep their node; the old ones go before the new ones come.
  private func replace(with target: [Source.Entry], of parent: Node<Source.Parent>, in tree: Tree) {
    var nodes: [Source.Entry: AnyNode] = [:]
    for (entry, child) in zip(entries, children) { nodes[entry] = child }
    let staying = target.map { nodes.removeValue(forKey: $0) }
    for case let child? in children where nodes.contains(where: { $0.value === child }) { child.detach(from: tree) }
    entries = target
    children = staying
  }

  private func attach(
    _ index: Int, to parent: Node<Source.Parent>, isActive: Bool, in tree: Tree
  ) -> AnyNode {
    tree.attach(at: place(index, below: parent), isActive: parent.isActive && isActive) {
      birth throws(RestoreFailure) in
      try source.child(for: entries[index]).makeNode(birth, parent)
    }
  }

  private func place(_ index: Int, below parent: AnyNode) -> NodePlace {
    NodePlace(route: name, entry: entryName(index), parent: parent)
  }

  override func dismiss(_ index: Int, from state: inout Source.Parent.State) -> Bool {
    source.dismiss(entries[index], from: &state)
  }

  // MARK: Transactions

  override func save() {
    super.save()
    savedContent = (content, entries)
  }

  override func commit() {
    super.commit()
    savedContent = nil
  }

  override func rollBack() {
    super.rollBack()
    if let savedContent { (content, entries) = savedContent }
    savedContent = nil
  }
}
