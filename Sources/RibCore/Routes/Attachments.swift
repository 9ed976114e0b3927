import Wire

/// The children on one route of a node.
class AnyAttachments {
  /// The route's name.
  let name: String
  /// The container's kind in the view document; empty before the first reconciliation.
  fileprivate(set) final var kind = ""
  /// One for each entry; nil for a child that was not attached yet, as a lazy container never had it in front.
  fileprivate(set) var children: [AnyNode?] = []
  /// The index of the selected child, as clients are told; nil for none.
  fileprivate(set) var selected: Int?
  /// The index of the child in front; nil if all are side by side.
  fileprivate(set) var front: Int?
  /// Whether the children are embedded: their states are parts of the parent's.
  let areEmbedded: Bool
  /// The bytes of the parent's state that decide which children there are; nil if they are not known.
  let extent: Range<Int>?
  /// Whether other routes may lead to the same part of the state.
  let sharesPart: Bool
  /// Whether the deciding part of the state may have changed since the last reconciliation.
  final var isStale = true
  /// Whether the embedded children are still to be compared with what the parent's reducers have made of their states.
  final var isUncompared = false
  /// Whether a child takes props.
  fileprivate(set) final var hasProps = false
  fileprivate final var parentWasActive = false
  private var saved: (kind: String, children: [AnyNode?], selected: Int?, front: Int?, parentWasActive: Bool)?

  fileprivate init(name: String, areEmbedded: Bool, extent: Range<Int>?, sharesPart: Bool) {
    self.name = name
    self.areEmbedded = areEmbedded
    self.extent = extent
    self.sharesPart = sharesPart
  }

  /// Whether the children have to be reconciled: the state may have changed, or the parent became active or inactive.
  final func isOutdated(below parent: AnyNode) -> Bool { isStale || parent.isActive != parentWasActive }

  /// Notes that the parent and its children have resigned.
  final func didResign() { parentWasActive = false }

  /// The name of a child's entry in a snapshot, by which the child is found again.
  func entryName(_ index: Int) -> String { preconditionFailure("abstract") }

  func save() { saved = (kind, children, selected, front, parentWasActive) }
  func commit() {
    saved = nil
    isUncompared = false
  }

  func rollBack() {
    if let saved { (kind, children, selected, front, parentWasActive) = saved }
    saved = nil
    isStale = false
    isUncompared = false
  }
}

/// The children on a route of a parent whose type is known.
class Attachments<Parent: Router>: AnyAttachments {
  /// Attaches, activates, deactivates and detaches children until they match the state.
  ///
  /// - Returns: whether clients may see a difference.
  func reconcile(with state: Parent.State, of parent: Node<Parent>, in tree: Tree) -> Bool {
    preconditionFailure("abstract")
  }

  /// Calls `isOther` with each embedded child whose state may have changed; it may report unchanged ones too.
  func compare(_ before: Parent.State, and after: Parent.State, _ isOther: (AnyNode) -> Void) {
    preconditionFailure("abstract")
  }

  /// Takes note whether elements of an embedded list have equal ids.
  func noteDuplicates(in state: Parent.State) { preconditionFailure("abstract") }

  /// Whether the children are those that a state asks for.
  func isCurrent(with state: Parent.State) -> Bool { preconditionFailure("abstract") }

  /// Takes the child at an index out of its container in the state.
  ///
  /// - Returns: false if the container keeps the child.
  func dismiss(_ index: Int, from state: inout Parent.State) -> Bool { preconditionFailure("abstract") }
}

/// The children on a route, as the route's source reads them from the state.
final class SourcedAttachments<Source: RouteSource>: Attachments<Source.Parent> {
  private let source: Source
  private let policy: ActivationPolicy
  /// The content at the last reconciliation, and its entries, one for each child.
  private var content: Source.Content?
  private var entries: [Source.Entry] = [] {
    didSet { names = nil }
  }
  /// The numbered names of the entries, made when they are needed; nil before, or if the names are unique anyway.
  private var names: [String]?
  /// The content and the entries as of the last commit; nil while they are unchanged.
  private var committed: Committed?

  /// An object, so that a node whose children stay the same does without values of generic types.
  private final class Committed {
    let content: Source.Content?
    let entries: [Source.Entry]

    init(_ content: Source.Content?, _ entries: [Source.Entry]) { (self.content, self.entries) = (content, entries) }
  }

  init(name: String, _ source: Source, _ policy: ActivationPolicy) {
    self.source = source
    self.policy = policy
    super.init(
      name: name, areEmbedded: source.isEmbedding, extent: source.extent, sharesPart: source.sharesPart)
  }

  override func entryName(_ index: Int) -> String {
    if source.hasUniqueNames { return source.name(of: entries[index]) }
    let names = self.names ?? numberedNames()
    self.names = names
    return names[index]
  }

  /// Different names for all entries: of entries whose names are equal, the later ones get a number.
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
      keepCommitted()
      self.content = content
      let asked = source.children(of: content)
      var (entries, places) = (asked.entries, Array(asked.entries.indices))
      var change = EntryChange(from: self.entries, to: entries)
      source.note(hasDuplicates: change.hasDuplicates)
      if change.hasDuplicates {
        (entries, places) = Self.withoutDuplicates(entries)
        change = EntryChange(from: self.entries, to: entries)
      }
      func place(_ index: Int?) -> Int? { index.flatMap { places.indices.contains($0) ? places[$0] : nil } }
      hasChanged = kind != asked.kind || selected != place(asked.selected)
      kind = asked.kind
      selected = place(asked.selected)
      front = place(asked.front)
      if !change.isNone {
        replace(with: entries, change, in: tree)
        hasChanged = true
      }
    }
    // A child that leaves the front resigns before another one comes to the front.
    for (index, child) in children.enumerated() {
      if let child, !parent.isActive || !isActive(index) { child.setActive(false, in: tree) }
    }
    // A child that resigned may have changed the content: then another reconciliation has to begin with the new one.
    guard let now = parent.cell.state, source.content(of: now) == content else {
      reconcileAgain(parent, in: tree)
      return hasChanged
    }
    for (index, child) in children.enumerated() {
      if let child {
        child.setActive(parent.isActive && isActive(index), in: tree)
      } else if isInFront(index) || policy != .lazy || tree.wasSaved(at: place(index, below: parent)) {
        guard let child = attach(index, to: parent, in: tree) else {
          // A child attached before this one has, in becoming active, removed the state of this one.
          reconcileAgain(parent, in: tree)
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

  private func reconcileAgain(_ parent: AnyNode, in tree: Tree) {
    keepCommitted()
    content = nil
    tree.unsettle(parent)
  }

  private func isInFront(_ index: Int) -> Bool { front == nil || front == index }
  private func isActive(_ index: Int) -> Bool { policy != .selectedOnly || isInFront(index) }

  /// The entries without repetitions, and for each of the given entries its index among those.
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

  /// Replaces the entries: an entry that stays keeps its node, the nodes of the others are detached.
  private func replace(with entries: [Source.Entry], _ change: EntryChange, in tree: Tree) {
    let before = children
    let gone = zip(before, change.destinations).compactMap { child, place in place == nil ? child : nil }
    self.entries = entries
    children = change.origins.map { $0.flatMap { before[$0] } }
    for child in gone { child.detach(from: tree) }
  }

  private func place(_ index: Int, below parent: AnyNode) -> NodePlace {
    NodePlace(route: name, entry: entryName(index), parent: parent)
  }

  /// Attaches the child of an entry; nil if the child is embedded and its state is gone.
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

  override func noteDuplicates(in state: Source.Parent.State) { source.noteDuplicates(in: state) }

  override func isCurrent(with state: Source.Parent.State) -> Bool { source.content(of: state) == content }

  override func dismiss(_ index: Int, from state: inout Source.Parent.State) -> Bool {
    source.dismiss(entries[index], from: &state)
  }

  // MARK: Transactions

  private func keepCommitted() { committed = committed ?? Committed(content, entries) }

  override func commit() {
    super.commit()
    committed = nil
    source.didCommit()
  }

  override func rollBack() {
    super.rollBack()
    if let committed { (content, entries) = (committed.content, committed.entries) }
    committed = nil
    if let content { source.note(hasDuplicates: entries.count < source.children(of: content).entries.count) }
  }
}
