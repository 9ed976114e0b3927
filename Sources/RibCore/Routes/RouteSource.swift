import Wire

/// How a route tells from its parent's state which children there are.
protocol RouteSource<Parent> {
  associatedtype Parent: Router
  /// The part of the state that decides; equal parts mean equal children.
  associatedtype Content: Equatable
  /// What makes a child the same one as before.
  associatedtype Entry: Hashable

  var kind: String { get }
  /// Whether the children's states are parts of the parent's.
  var isEmbedding: Bool { get }
  /// Which bytes of the parent's state the content is read from; nil if it may be any.
  var extent: Range<Int>? { get }
  func content(of state: Parent.State) -> Content
  func entries(of content: Content) -> [Entry]
  func selected(of content: Content) -> Int?
  func front(of content: Content) -> Int?
  /// A name that a snapshot keeps.
  func name(of entry: Entry) -> String
  /// Whether different entries have different names; if not, entries of one name are numbered.
  var hasUniqueNames: Bool { get }
  /// Whether other routes may lead to the same part of the state, of whose children one is there at a time.
  var sharesPart: Bool { get }
  func child(for entry: Entry) -> Child<Parent>
  func dismiss(_ entry: Entry, from state: inout Parent.State) -> Bool
}

extension RouteSource {
  var hasUniqueNames: Bool { true }
  var sharesPart: Bool { false }
}

/// The children that a container in the state decides; their states are their own.
struct ContainerSource<Parent: Router, Container: RouteContainer>: RouteSource {
  let path: KeyPath<Parent.State, Container>
  let build: (RouteEntry<Container.Config>) -> Child<Parent>

  var kind: String { Container.kind }
  var isEmbedding: Bool { false }
  var extent: Range<Int>? { RibCore.extent(of: path) }
  func content(of state: Parent.State) -> Container { state[keyPath: path] }
  func entries(of content: Container) -> [RouteEntry<Container.Config>] { content.entries }
  func selected(of content: Container) -> Int? { content.selected }
  func front(of content: Container) -> Int? { content.front }
  func name(of entry: RouteEntry<Container.Config>) -> String { "\(entry.key)" }
  func child(for entry: RouteEntry<Container.Config>) -> Child<Parent> { build(entry) }

  func dismiss(_ entry: RouteEntry<Container.Config>, from state: inout Parent.State) -> Bool {
    guard let path = path as? WritableKeyPath<Parent.State, Container> else { return false }
    return state[keyPath: path].dismiss(entry.key)
  }
}

/// The children whose states are parts of the parent's.
struct EmbeddedSource<Parent: Router, ID: Hashable>: RouteSource {
  let kind: String
  var sharesPart = false
  let extent: Range<Int>?
  /// Which parts there are.
  let ids: (Parent.State) -> [ID]
  let build: (ID) -> Child<Parent>
  /// Takes the part out of the parent's state, where that is possible.
  let remove: (inout Parent.State, ID) -> Bool

  var isEmbedding: Bool { true }
  // An id of any type is that of a single child.
  var hasUniqueNames: Bool { ID.self is any Encodable.Type || ID.self == AnyHashable.self }
  func content(of state: Parent.State) -> [ID] { ids(state) }
  func entries(of content: [ID]) -> [ID] { content }
  func selected(of content: [ID]) -> Int? { nil }
  func front(of content: [ID]) -> Int? { nil }
  func name(of entry: ID) -> String { Self.name(of: AnyHashable(entry).base) }
  func child(for entry: ID) -> Child<Parent> { build(entry) }
  func dismiss(_ entry: ID, from state: inout Parent.State) -> Bool { remove(&state, entry) }

  /// An id as it is coded, so that its type may be renamed; as it describes itself if it is not `Encodable`.
  private static func name(of id: Any) -> String {
    guard let id = id as? any Encodable, let json = try? StateCoder.encode(id) else { return "\(id)" }
    return String(decoding: json, as: UTF8.self)
  }
}
