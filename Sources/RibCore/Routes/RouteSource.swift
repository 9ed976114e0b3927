import Wire

/// How the attachments of a route learn from the parent's state which children there are.
protocol RouteSource<Parent> {
  associatedtype Parent: Router
  /// The part of the state that decides which children there are: equal contents mean equal children.
  associatedtype Content: Equatable
  /// The identity of a child: a child keeps its node as long as there is an equal entry.
  associatedtype Entry: Hashable

  /// Whether the children are embedded: their states are parts of the parent's.
  var isEmbedding: Bool { get }
  /// The bytes of the parent's state from which the content is read; nil if they are not known.
  var extent: Range<Int>? { get }
  func content(of state: Parent.State) -> Content
  func children(of content: Content) -> RouteChildren<Entry>
  /// The entry's name in a snapshot, by which the child is found again.
  func name(of entry: Entry) -> String
  /// Whether different entries have different names; if not, equal names get numbers.
  var hasUniqueNames: Bool { get }
  /// Whether other routes may lead to the same part of the state: those to the cases of one enum, of which one has a
  /// child at a time.
  var sharesPart: Bool { get }
  /// Whether the parent's state has the state of a child; true if the child owns its state.
  func hasState(for entry: Entry, in state: Parent.State) -> Bool
  func makeNode(for entry: Entry, _ birth: NodeBirth, below parent: Node<Parent>) throws(RestoreFailure) -> AnyNode
  /// Calls `isOther` with the index of each embedded child whose state may have changed; it may report unchanged ones
  /// too.
  func compare(_ entries: [Entry], in before: Parent.State, and after: Parent.State, _ isOther: (Int) -> Void)
  func dismiss(_ entry: Entry, from state: inout Parent.State) -> Bool
  /// Takes note whether there are equal entries, of which only the first has a child.
  func note(hasDuplicates: Bool)
  /// Takes note whether there are equal entries in a state that was not reconciled yet.
  func noteDuplicates(in state: Parent.State)
  /// Takes note that the state is committed.
  func didCommit()
}

/// The children that a content asks for.
struct RouteChildren<Entry> {
  /// The container's kind in the view document.
  let kind: String
  /// One for each child, in order.
  let entries: [Entry]
  /// The index of the selected entry, as clients are told; nil for none.
  var selected: Int?
  /// The index of the entry in front; nil if all are side by side.
  var front: Int?
}

extension RouteSource {
  var hasUniqueNames: Bool { true }
  var sharesPart: Bool { false }
  func note(hasDuplicates: Bool) {}
  func noteDuplicates(in state: Parent.State) {}
  func didCommit() {}

  /// Reports all children.
  func compare(_ entries: [Entry], in before: Parent.State, and after: Parent.State, _ isOther: (Int) -> Void) {
    entries.indices.forEach(isOther)
  }
}

/// The source of a route with a container: the children own their states.
struct ContainerSource<Parent: Router, Container: RouteContainer>: RouteSource {
  let path: KeyPath<Parent.State, Container>
  let build: (RouteEntry<Container.Config>) -> Child<Parent, OwnState>

  var isEmbedding: Bool { false }
  var extent: Range<Int>? { RibCore.extent(of: path) }
  func content(of state: Parent.State) -> Container { state[keyPath: path] }

  func children(of content: Container) -> RouteChildren<RouteEntry<Container.Config>> {
    let contents = content.contents
    return RouteChildren(
      kind: contents.kind, entries: contents.entries, selected: contents.selected, front: contents.front)
  }

  func name(of entry: RouteEntry<Container.Config>) -> String { "\(entry.key)" }
  func hasState(for entry: RouteEntry<Container.Config>, in state: Parent.State) -> Bool { true }

  func makeNode(
    for entry: RouteEntry<Container.Config>, _ birth: NodeBirth, below parent: Node<Parent>
  ) throws(RestoreFailure) -> AnyNode { try build(entry).makeNode(birth, parent, .none) }

  func dismiss(_ entry: RouteEntry<Container.Config>, from state: inout Parent.State) -> Bool {
    guard let path = path as? WritableKeyPath<Parent.State, Container> else { return false }
    return state[keyPath: path].dismiss(entry.key)
  }
}

/// The source of a route to one embedded child, which is there while the parent's state has that part.
struct PartSource<Parent: Router, Part>: RouteSource {
  let lens: Lens<Parent.State, Part>
  /// Whether the part is always there and always the same child's, whatever its `id`.
  var isFixed = false
  var sharesPart = false
  let build: () -> Child<Parent, Part>
  /// Removes the part from the parent's state, for the back button; returns false where that is impossible.
  var remove: (inout Parent.State) -> Bool = { _ in false }

  var isEmbedding: Bool { true }
  var extent: Range<Int>? { lens.extent }

  /// The child's identity; nil if there is no such part.
  func content(of state: Parent.State) -> AnyHashable? {
    isFixed ? Self.onlyOne : lens.read(state).map { Self.identity(of: $0) }
  }

  func children(of content: AnyHashable?) -> RouteChildren<AnyHashable> {
    RouteChildren(kind: "slot", entries: content.map { [$0] } ?? [])
  }

  func name(of entry: AnyHashable) -> String { entryName(of: entry.base) }
  func hasState(for entry: AnyHashable, in state: Parent.State) -> Bool { content(of: state) == entry }

  func makeNode(
    for entry: AnyHashable, _ birth: NodeBirth, below parent: Node<Parent>
  ) throws(RestoreFailure) -> AnyNode {
    // The lens shows this child its own state only, and never that of another child that takes its place.
    let lens =
      isFixed || !(Part.self is any Identifiable.Type) ? lens : lens.only { Self.identity(of: $0) == entry }
    return try build().makeNode(birth, parent, lens)
  }

  func dismiss(_ entry: AnyHashable, from state: inout Parent.State) -> Bool { remove(&state) }

  /// The identity of a child whose state is not `Identifiable`.
  private static var onlyOne: AnyHashable { 0 }

  private static func identity(of part: Part) -> AnyHashable {
    (part as? any Identifiable).map { AnyHashable($0.erasedID) } ?? onlyOne
  }
}

extension Identifiable {
  fileprivate var erasedID: any Hashable { id }
}

/// The source of a route to the elements of an array: each is the state of an embedded child.
struct ElementsSource<Parent: Router, Parts: StateElements>: RouteSource {
  typealias Part = Parts.Element

  let path: WritableKeyPath<Parent.State, Parts>
  let build: (Part.ID) -> Child<Parent, Part>
  private let search = ElementSearch()

  init(path: WritableKeyPath<Parent.State, Parts>, build: @escaping (Part.ID) -> Child<Parent, Part>) {
    self.path = path
    self.build = build
  }

  var isEmbedding: Bool { true }
  var extent: Range<Int>? { RibCore.extent(of: path) }
  var hasUniqueNames: Bool { Part.ID.self is any Encodable.Type }
  func content(of state: Parent.State) -> [Part.ID] { state[keyPath: path].elements.map { $0.id } }
  func children(of content: [Part.ID]) -> RouteChildren<Part.ID> { RouteChildren(kind: "list", entries: content) }
  func note(hasDuplicates: Bool) { search.hasDuplicates = hasDuplicates }
  func noteDuplicates(in state: Parent.State) {
    let ids = content(of: state)
    note(hasDuplicates: Set(ids).count < ids.count)
  }
  func didCommit() { search.didCommit() }
  func name(of entry: Part.ID) -> String { entryName(of: entry) }

  func hasState(for entry: Part.ID, in state: Parent.State) -> Bool {
    state[keyPath: path].place(of: entry, hint: search.next, search) != nil
  }

  func makeNode(
    for entry: Part.ID, _ birth: NodeBirth, below parent: Node<Parent>
  ) throws(RestoreFailure) -> AnyNode { try build(entry).makeNode(birth, parent, .element(path, entry, search)) }

  func compare(_ entries: [Part.ID], in before: Parent.State, and after: Parent.State, _ isOther: (Int) -> Void) {
    let (old, new) = (before[keyPath: path].elements, after[keyPath: path].elements)
    let earlier = EntryChange(from: entries, to: old.map { $0.id })
    let later = EntryChange(from: entries, to: new.map { $0.id })
    // The children look for their states before they are reconciled.
    if !later.isNone { note(hasDuplicates: later.hasDuplicates) }
    old.withUnsafeBufferPointer { old in
      new.withUnsafeBufferPointer { new in
        for index in entries.indices {
          if let before = earlier.destinations[index], let after = later.destinations[index],
            haveSameBits(old[before], new[after])
          {
            continue
          }
          isOther(index)
        }
      }
    }
  }

  func dismiss(_ entry: Part.ID, from state: inout Parent.State) -> Bool { false }
}

/// The JSON of an id, which stays the same when the id's type is renamed; its description if it is not `Encodable`.
private func entryName(of id: Any) -> String {
  guard let id = id as? any Encodable, let json = try? StateCoder.encode(id) else { return "\(id)" }
  return String(decoding: json, as: UTF8.self)
}
