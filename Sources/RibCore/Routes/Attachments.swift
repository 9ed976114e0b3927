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
  /// Which bytes of the parent's state decide about the children; nil if it may be any.
  let extent: Range<Int>?
  /// Whether other routes may lead to the same part of the state.
  let sharesPart: Bool
  /// Whether the part of the state that decides may be another since the last reconciliation.
  final var isStale = true
  /// Whether there is a child that is told something.
  fileprivate(set) final var hasProps = false
  fileprivate final var parentWasActive = false
  private var saved: (children: [AnyNode?], selected: Int?, front: Int?, parentWasActive: Bool)?

  fileprivate init(name: String, kind: String, areEmbedded: Bool, extent: Range<Int>?, sharesPart: Bool) {
    self.name = name
    self.kind = kind
    self.areEmbedded = areEmbedded
    self.extent = extent
    self.sharesPart = sharesPart
  }

  /// Whether the children may have to be others, or to be activated.
  final func isOutdated(below parent: AnyNode) -> Bool { isStale || parent.isActive != parentWasActive }

  /// Takes note that the parent has resigned, and its children with it.
  final func didResign() { parentWasActive = false }

  /// The name of a child's entry, under which a snapshot finds it again.
  func entryName(_ index: Int) -> String { preconditionFailure("abstract") }

  func save() { saved = (children, selected, front, parentWasActive) }
  func commit() { saved = nil }

  func rollBack() {
    if let saved { (children, selected, front, parentWasActive) = saved }
    saved = nil
    isStale = false
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

  /// Says which children's states are others, if they are parts of the parent's; it may name more than that.
  func compare(_ before: Parent.State, and after: Parent.State, _ isOther: (AnyNode) -> Void) {
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
  private var entries: [Source.Entry] = [] {
    didSet { names = nil }
  }
  /// The entries' names, if they had to be numbered.
  private var names: [String]?
  private var savedContent: (Source.Content?, [Source.Entry])?

  init(name: String, _ source: Source, _ policy: ActivationPolicy) {
    self.source = source
    self.policy = policy
    super.init(
      name: name, kind: source.kind, areEmbedded: source.isEmbedding, extent: source.extent,
      sharesPart: source.sharesPart)
  }

  override func entryName(_ index: Int) -> String {
    if source.hasUniqueNames { return source.name(of: entries[index]) }
    let names = self.names ?? numberedNames()
    self.names = names
    return names[index]
  }

  /// Names that are different: of entries whose ids are written alike, the later ones have a number.
  private func numberedNames() -> [String] {
    var counts: [String: Int] = [:]
    return entries.map { entry in
      let name = source.name(of: entry)
      let count = counts[name, default: 0]
      counts[name] = count + 1
      return count == 0 ? name : "\(name)#\(count)"
    }
  }

  override func reconcile(with state: Source.Parent.State, of parent: Node<Source.Parent>, in tree: Tree) -> Bool {
    isStale = false
    let content = source.content(of: state)
    let isNew = content != self.content
    guard isNew || parent.isActive != parentWasActive else { return false }
    parentWasActive = parent.isActive
    var hasChanged = false
    if isNew {
      self.content = content
      let (entries, places) = Self.withoutDuplicates(source.entries(of: content))
      source.note(hasDuplicates: entries.count < places.count)
      func place(_ index: Int?) -> Int? { index.flatMap { places.indices.contains($0) ? places[$0] : nil } }
      hasChanged = selected != place(source.selected(of: content))
      selected = place(source.selected(of: content))
      front = place(source.front(of: content))
      if replace(with: entries, in: tree) { hasChanged = true }
    }
    // The node that leaves the front resigns before another one takes it.
    for (index, child) in children.enumerated() {
      if let child, !parent.isActive || !isActive(index) { child.setActive(false, in: tree) }
    }
    // Resigning may have changed the state: what follows from that comes with the next reconciliation.
    guard let now = parent.cell.state, source.content(of: now) == content else {
      self.content = nil
      tree.unsettle(parent)
      return hasChanged
    }
    for (index, child) in children.enumerated() {
      if let child {
        child.setActive(parent.isActive && isActive(index), in: tree)
      } else if isInFront(index) || policy != .lazy || tree.wasSaved(at: place(index, below: parent)) {
        guard let child = attach(index, to: parent, in: tree) else {
          // What another one did when it became active has taken its state away.
          self.content = nil
          tree.unsettle(parent)
          return hasChanged
        }
        children[index] = child
        if child.hasProps {
          hasProps = true
          parent.hasChildrenWithProps = true
        }
        hasChanged = true
      }
    }
    return hasChanged
  }

  private func isInFront(_ index: Int) -> Bool { front == nil || front == index }
  private func isActive(_ index: Int) -> Bool { policy != .selectedOnly || isInFront(index) }

  /// The entries, of equal ones the first, and where among them each of all is.
  private static func withoutDuplicates(_ entries: [Source.Entry]) -> (entries: [Source.Entry], places: [Int]) {
    var places: [Source.Entry: Int] = [:]
    var unique: [Source.Entry] = []
    let all = entries.map { entry in
      if let place = places[entry] { return place }
      places[entry] = unique.count
      unique.append(entry)
      return unique.count - 1
    }
    return (unique, all)
  }

  /// Entries that stay keep their node; the others are detached.
  ///
  /// - Returns: whether the entries are others.
  private func replace(with entries: [Source.Entry], in tree: Tree) -> Bool {
    guard entries != self.entries else { return false }
    var nodes: [Source.Entry: AnyNode] = [:]
    for (entry, child) in zip(self.entries, children) { nodes[entry] = child }
    let staying = Set(entries)
    let gone = zip(self.entries, children).filter { !staying.contains($0.0) }.compactMap(\.1)
    self.entries = entries
    children = entries.map { nodes[$0] }
    for child in gone { child.detach(from: tree) }
    return true
  }

  private func place(_ index: Int, below parent: AnyNode) -> NodePlace {
    NodePlace(route: name, entry: entryName(index), parent: parent)
  }

  /// Attaches a child; nil if it has no state.
  private func attach(_ index: Int, to parent: Node<Source.Parent>, in tree: Tree) -> AnyNode? {
    let entry = entries[index]
    guard let state = parent.cell.state, source.hasState(for: entry, in: state) else { return nil }
    return tree.attach(at: place(index, below: parent), isActive: parent.isActive && isActive(index)) {
      birth throws(RestoreFailure) in try source.makeNode(for: entry, birth, below: parent)
    }
  }

  override func compare(
    _ before: Source.Parent.State, and after: Source.Parent.State, _ isOther: (AnyNode) -> Void
  ) {
    source.compare(entries, in: before, and: after) { index in
      if let child = children[index] { isOther(child) }
    }
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
    if let content { source.note(hasDuplicates: entries.count < source.entries(of: content).count) }
  }
}
