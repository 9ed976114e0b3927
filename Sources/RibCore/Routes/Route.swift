/// A named edge from a riblet to its children: the key path to the state that decides which children there are, and how
/// to build them.
public struct Route<Parent: Router> {
  /// The route's name in paths and in the view document.
  let name: String
  let makeAttachments: () -> Attachments<Parent>

  private init(_ name: String, _ source: some RouteSource<Parent>, _ policy: ActivationPolicy = .all) {
    precondition(!name.isEmpty && !name.contains { "/[]".contains($0) }, "\"\(name)\" cannot be a route's name")
    self.name = name
    makeAttachments = { Self.attachments(name, source, policy) }
  }

  private static func attachments<Source: RouteSource<Parent>>(
    _ name: String, _ source: Source, _ policy: ActivationPolicy
  ) -> Attachments<Parent> { SourcedAttachments(name: name, source, policy) }

  // MARK: Children that own their states

  /// A route whose children are decided by a container in the parent's state.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - container: the key path of the container.
  ///   - activation: which of the children are attached, and which are active.
  ///   - build: makes the child for a configuration; called once for each child, and again for a child that was saved
  ///     and cannot be restored.
  public init<Container: RouteContainer>(
    _ name: String, _ container: KeyPath<Parent.State, Container>, activation: ActivationPolicy = .all,
    _ build: @escaping (_ config: Container.Config) -> Child<Parent, OwnState>
  ) {
    self.init(name, container, activation: activation) { config, _ in build(config) }
  }

  /// A route whose children are decided by a container in the parent's state, for parents that have to tell one child's
  /// outputs from another's.
  ///
  ///     Route("rows", \.rows) { config, key in
  ///       Child(Row(config)) { .row(key, $0) }
  ///     }
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - container: the key path of the container.
  ///   - activation: which of the children are attached, and which are active.
  ///   - build: makes the child for a configuration and the child's key, which differs even between children with equal
  ///     configurations.
  public init<Container: RouteContainer>(
    _ name: String, _ container: KeyPath<Parent.State, Container>, activation: ActivationPolicy = .all,
    _ build: @escaping (_ config: Container.Config, _ key: Int) -> Child<Parent, OwnState>
  ) {
    self.init(name, ContainerSource(path: container) { build($0.config, $0.key) }, activation)
  }

  /// A route whose children are decided by a container in the parent's state, and are all built alike.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - container: the key path of the container.
  ///   - activation: which of the children are attached, and which are active.
  ///   - build: makes the child; called for each node.
  public init<Container: RouteContainer>(
    _ name: String, _ container: KeyPath<Parent.State, Container>, activation: ActivationPolicy = .all,
    _ build: @escaping () -> Child<Parent, OwnState>
  ) where Container.Config == NoConfig {
    self.init(name, container, activation: activation) { _, _ in build() }
  }

  // MARK: Embedded children

  /// An embedded child that is always there: its state is a property of the parent's state.
  ///
  /// No two routes may lead to the same property, or to parts of one another; only routes to the cases of one enum may.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - state: the key path of the child's state.
  ///   - build: makes the child; called for each node.
  public init<Part>(
    _ name: String, _ state: WritableKeyPath<Parent.State, Part>, _ build: @escaping () -> Child<Parent, Part>
  ) {
    self.init(name, PartSource(lens: .property(state), isFixed: true, build: build))
  }

  /// An embedded child that is there while an optional property of the parent's state holds its state.
  ///
  /// If the child's state is `Identifiable`, a state with another `id` belongs to another child.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - state: the key path of the child's state.
  ///   - build: makes the child; called for each node.
  public init<Part>(
    _ name: String, _ state: WritableKeyPath<Parent.State, Part?>, _ build: @escaping () -> Child<Parent, Part>
  ) {
    self.init(name, PartSource(lens: .optional(state), build: build) { $0[keyPath: state].take() != nil })
  }

  /// An embedded child that is there while an enum in the parent's state is in the case that holds the child's state.
  ///
  /// If the child's state is `Identifiable`, a state with another `id` belongs to another child.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - state: the key path of the enum.
  ///   - extract: returns the payload of the case; nil if the enum is in another case.
  ///   - embed: makes the case with a payload.
  ///   - build: makes the child; called for each node.
  public init<Enum, Part>(
    _ name: String, _ state: WritableKeyPath<Parent.State, Enum>,
    extract: @escaping (Enum) -> Part?, embed: @escaping (Part) -> Enum, _ build: @escaping () -> Child<Parent, Part>
  ) {
    self.init(name, PartSource(lens: .enumCase(state, extract, embed), sharesPart: true, build: build))
  }

  /// An embedded child for each element of an array in the parent's state: the element is the child's state.
  ///
  /// If several elements have the same `id`, only the first has a child.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - states: the key path of the array.
  ///   - build: makes the child for the element with this `id`; called for each node.
  public init<Part: Identifiable>(
    _ name: String, _ states: WritableKeyPath<Parent.State, [Part]>,
    _ build: @escaping (_ id: Part.ID) -> Child<Parent, Part>
  ) {
    self.init(name, ElementsSource(path: states, build: build))
  }

  /// An embedded child for each element of an identified array in the parent's state: the element is the child's state.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - states: the key path of the array.
  ///   - build: makes the child for the element with this `id`; called for each node.
  public init<Part: Identifiable>(
    _ name: String, _ states: WritableKeyPath<Parent.State, IdentifiedArray<Part>>,
    _ build: @escaping (_ id: Part.ID) -> Child<Parent, Part>
  ) {
    self.init(name, ElementsSource(path: states, build: build))
  }
}
