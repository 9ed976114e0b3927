/// A named edge from a riblet to its children: where in the state it is decided what is there, and how that is built.
public struct Route<Parent: Router> {
  /// The route's name in paths and in the view document.
  public let name: String
  let makeAttachments: () -> Attachments<Parent>

  private init(_ name: String, _ source: some RouteSource<Parent>, _ policy: ActivationPolicy = .all) {
    precondition(!name.isEmpty && !name.contains { "/[]".contains($0) }, "\"\(name)\" cannot be a route's name")
    self.name = name
    makeAttachments = { Self.attachments(name, source, policy) }
  }

  private static func attachments<Source: RouteSource<Parent>>(
    _ name: String, _ source: Source, _ policy: ActivationPolicy
  ) -> Attachments<Parent> { SourcedAttachments(name: name, source, policy) }

  // MARK: Children with a state of their own

  /// A route whose children a container in the state decides.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - container: where in the state it is.
  ///   - activation: which of the children are attached, and which are active.
  ///   - build: makes the child for a configuration; called once for each child, and again for one that was saved and
  ///     cannot be restored.
  public init<Container: RouteContainer>(
    _ name: String, _ container: KeyPath<Parent.State, Container>, activation: ActivationPolicy = .all,
    _ build: @escaping (_ config: Container.Config) -> Child<Parent, OwnState>
  ) {
    self.init(name, container, activation: activation) { config, _ in build(config) }
  }

  /// A route whose children a container in the state decides, and whose outputs are about one child of several.
  ///
  ///     Route("rows", \.rows) { config, key in
  ///       Child(Row(config)) { .row(key, $0) }
  ///     }
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - container: where in the state it is.
  ///   - activation: which of the children are attached, and which are active.
  ///   - build: makes the child for a configuration and the ``RouteEntry/key`` of its entry, which tells it from others
  ///     with an equal configuration.
  public init<Container: RouteContainer>(
    _ name: String, _ container: KeyPath<Parent.State, Container>, activation: ActivationPolicy = .all,
    _ build: @escaping (_ config: Container.Config, _ key: Int) -> Child<Parent, OwnState>
  ) {
    self.init(name, ContainerSource(path: container) { build($0.config, $0.key) }, activation)
  }

  /// A route whose children a container in the state decides, and which are built the same each time.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - container: where in the state it is.
  ///   - activation: which of the children are attached, and which are active.
  ///   - build: makes the child, for each node anew.
  public init<Container: RouteContainer>(
    _ name: String, _ container: KeyPath<Parent.State, Container>, activation: ActivationPolicy = .all,
    _ build: @escaping () -> Child<Parent, OwnState>
  ) where Container.Config == NoConfig {
    self.init(name, container, activation: activation) { _, _ in build() }
  }

  // MARK: Children whose states are parts of the parent's

  /// A child that is always there, whose state is a property of the parent's.
  ///
  /// No two routes may lead to the same property, or to parts of one another; those to the cases of one enum may.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - state: where in the parent's state the child's is.
  ///   - build: makes the child, for each node anew.
  public init<Part>(
    _ name: String, _ state: WritableKeyPath<Parent.State, Part>, _ build: @escaping () -> Child<Parent, Part>
  ) {
    self.init(name, PartSource(lens: .property(state), isFixed: true, build: build))
  }

  /// A child that is there while an optional property of the parent's state holds its state.
  ///
  /// If the child's state is `Identifiable`, another `id` is another child.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - state: where in the parent's state the child's is.
  ///   - build: makes the child, for each node anew.
  public init<Part>(
    _ name: String, _ state: WritableKeyPath<Parent.State, Part?>, _ build: @escaping () -> Child<Parent, Part>
  ) {
    self.init(name, PartSource(lens: .optional(state), build: build) { $0[keyPath: state].take() != nil })
  }

  /// A child that is there while an enum in the parent's state is in the case that holds its state.
  ///
  /// If the child's state is `Identifiable`, another `id` is another child.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - state: where in the parent's state the enum is.
  ///   - extract: the case's payload; nil if the enum is in another case.
  ///   - embed: the case with a payload.
  ///   - build: makes the child, for each node anew.
  public init<Enum, Part>(
    _ name: String, _ state: WritableKeyPath<Parent.State, Enum>,
    extract: @escaping (Enum) -> Part?, embed: @escaping (Part) -> Enum, _ build: @escaping () -> Child<Parent, Part>
  ) {
    self.init(name, PartSource(lens: .enumCase(state, extract, embed), sharesPart: true, build: build))
  }

  /// A child for each element of an array in the parent's state, which is the child's state.
  ///
  /// Of elements with one `id`, the first has a child.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - states: where in the parent's state the array is.
  ///   - build: makes the child for the element with this `id`, for each node anew.
  public init<Part: Identifiable>(
    _ name: String, _ states: WritableKeyPath<Parent.State, [Part]>,
    _ build: @escaping (_ id: Part.ID) -> Child<Parent, Part>
  ) {
    self.init(name, ElementsSource(path: states, build: build))
  }

  /// A child for each element of an identified array in the parent's state, which is the child's state.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - states: where in the parent's state the array is.
  ///   - build: makes the child for the element with this `id`, for each node anew.
  public init<Part: Identifiable>(
    _ name: String, _ states: WritableKeyPath<Parent.State, IdentifiedArray<Part>>,
    _ build: @escaping (_ id: Part.ID) -> Child<Parent, Part>
  ) {
    self.init(name, ElementsSource(path: states, build: build))
  }
}
