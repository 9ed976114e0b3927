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
    _ build: @escaping (Container.Config) -> Child<Parent>
  ) {
    self.init(name, ContainerSource(path: container) { build($0.config) }, activation)
  }

  /// A route whose children a container in the state decides, and whose outputs are about one child of several.
  ///
  ///     Route("rows", \.rows) { config, key in
  ///       Child(Row(config)) { state, output in
  ///         state.rows.remove(key)
  ///         return .none
  ///       }
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
    _ build: @escaping (Container.Config, _ key: Int) -> Child<Parent>
  ) {
    self.init(name, ContainerSource(path: container) { build($0.config, $0.key) }, activation)
  }

  /// A route whose children a container in the state decides, and a builder builds.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - container: where in the state it is.
  ///   - activation: which of the children are attached, and which are active.
  ///   - builder: makes the riblet for a configuration.
  ///   - onOutput: takes note of a child's output in the parent's state; the effect it returns is the parent's.
  public init<Container: RouteContainer, Output>(
    _ name: String, _ container: KeyPath<Parent.State, Container>, activation: ActivationPolicy = .all,
    builder: any Builder<Container.Config, Output>,
    onOutput: @escaping (inout Parent.State, Output) -> Effect<Parent>
  ) {
    self.init(name, container, activation: activation) { config in
      Child(builder.build(config), onOutput: onOutput)
    }
  }

  // MARK: Children whose states are parts of the parent's

  /// A child that is always there, whose state is a property of the parent's.
  ///
  /// No two routes may lead to the same property, or to parts of one another; those of ``ifCase(_:_:extract:embed:_:onOutput:)``
  /// to the cases of one enum may.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - state: where in the parent's state the child's is.
  ///   - child: makes the riblet, for each node anew; its `makeState` is not called.
  ///   - onOutput: takes note of the child's output in the parent's state; the effect it returns is the parent's.
  /// - Returns: the route.
  public static func scope<R: Riblet>(
    _ name: String, _ state: WritableKeyPath<Parent.State, R.State>, _ child: @autoclosure @escaping () -> R,
    onOutput: @escaping (inout Parent.State, R.Output) -> Effect<Parent>
  ) -> Route {
    let source = EmbeddedSource<Parent, Int>(kind: "slot", extent: extent(of: state)) { _ in
      [0]
    } build: { _ in
      Child(child(), in: .property(state), onOutput: onOutput)
    } remove: { _, _ in
      false
    }
    return Route(name, source)
  }

  /// A child that is always there, whose state is a property of the parent's, and which has nothing to say.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - state: where in the parent's state the child's is.
  ///   - child: makes the riblet, for each node anew; its `makeState` is not called.
  /// - Returns: the route.
  public static func scope<R: Riblet>(
    _ name: String, _ state: WritableKeyPath<Parent.State, R.State>, _ child: @autoclosure @escaping () -> R
  ) -> Route where R.Output == Never { scope(name, state, child(), onOutput: ignore) }

  /// A child that is there while an optional property of the parent's state holds its state.
  ///
  /// If the child's state is `Identifiable`, another `id` is another child.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - state: where in the parent's state the child's is.
  ///   - child: makes the riblet, for each node anew; its `makeState` is not called.
  ///   - onOutput: takes note of the child's output in the parent's state; the effect it returns is the parent's.
  /// - Returns: the route.
  public static func ifLet<R: Riblet>(
    _ name: String, _ state: WritableKeyPath<Parent.State, R.State?>, _ child: @autoclosure @escaping () -> R,
    onOutput: @escaping (inout Parent.State, R.Output) -> Effect<Parent>
  ) -> Route {
    let source = EmbeddedSource<Parent, AnyHashable>(kind: "slot", extent: extent(of: state)) { parent in
      parent[keyPath: state].map { [identity(of: $0)] } ?? []
    } build: { id in
      Child(child(), in: lens(.optional(state), of: id), onOutput: onOutput)
    } remove: { parent, _ in
      parent[keyPath: state].take() != nil
    }
    return Route(name, source)
  }

  /// A child that is there while an optional property of the parent's state holds its state, and which has nothing to say.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - state: where in the parent's state the child's is.
  ///   - child: makes the riblet, for each node anew; its `makeState` is not called.
  /// - Returns: the route.
  public static func ifLet<R: Riblet>(
    _ name: String, _ state: WritableKeyPath<Parent.State, R.State?>, _ child: @autoclosure @escaping () -> R
  ) -> Route where R.Output == Never { ifLet(name, state, child(), onOutput: ignore) }

  /// A child that is there while an enum in the parent's state is in the case that holds its state.
  ///
  /// If the child's state is `Identifiable`, another `id` is another child.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - state: where in the parent's state the enum is.
  ///   - extract: the case's payload; nil if the enum is in another case.
  ///   - embed: the case with a payload.
  ///   - child: makes the riblet, for each node anew; its `makeState` is not called.
  ///   - onOutput: takes note of the child's output in the parent's state; the effect it returns is the parent's.
  /// - Returns: the route.
  public static func ifCase<R: Riblet, Enum>(
    _ name: String, _ state: WritableKeyPath<Parent.State, Enum>,
    extract: @escaping (Enum) -> R.State?, embed: @escaping (R.State) -> Enum, _ child: @autoclosure @escaping () -> R,
    onOutput: @escaping (inout Parent.State, R.Output) -> Effect<Parent>
  ) -> Route {
    let source = EmbeddedSource<Parent, AnyHashable>(kind: "slot", sharesPart: true, extent: extent(of: state)) {
      parent in
      extract(parent[keyPath: state]).map { [identity(of: $0)] } ?? []
    } build: { id in
      Child(child(), in: lens(.enumCase(state, extract, embed), of: id), onOutput: onOutput)
    } remove: { _, _ in
      false
    }
    return Route(name, source)
  }

  /// A child that is there while an enum in the parent's state is in the case that holds its state, and which has nothing
  /// to say.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - state: where in the parent's state the enum is.
  ///   - extract: the case's payload; nil if the enum is in another case.
  ///   - embed: the case with a payload.
  ///   - child: makes the riblet, for each node anew; its `makeState` is not called.
  /// - Returns: the route.
  public static func ifCase<R: Riblet, Enum>(
    _ name: String, _ state: WritableKeyPath<Parent.State, Enum>,
    extract: @escaping (Enum) -> R.State?, embed: @escaping (R.State) -> Enum, _ child: @autoclosure @escaping () -> R
  ) -> Route where R.Output == Never {
    ifCase(name, state, extract: extract, embed: embed, child(), onOutput: ignore)
  }

  /// A child for each element of an array in the parent's state, which is the child's state.
  ///
  /// Of elements with one `id`, the first has a child.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - states: where in the parent's state the array is.
  ///   - child: makes the riblet, for each node anew; its `makeState` is not called.
  ///   - onOutput: takes note of the output of the child with this `id` in the parent's state; the effect it returns is
  ///     the parent's.
  /// - Returns: the route.
  public static func forEach<R: Riblet>(
    _ name: String, _ states: WritableKeyPath<Parent.State, [R.State]>, _ child: @autoclosure @escaping () -> R,
    onOutput: @escaping (inout Parent.State, R.State.ID, R.Output) -> Effect<Parent>
  ) -> Route where R.State: Identifiable {
    let search = ElementSearch()
    let source = EmbeddedSource<Parent, R.State.ID>(kind: "list", extent: extent(of: states)) { parent in
      parent[keyPath: states].map(\.id)
    } build: { id in
      Child(child(), in: .element(states, id, search)) { state, output in onOutput(&state, id, output) }
    } remove: { _, _ in
      false
    }
    return Route(name, source)
  }

  /// A child for each element of an array in the parent's state, which is the child's state; none has anything to say.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet; without slashes and brackets, as it is part of paths.
  ///   - states: where in the parent's state the array is.
  ///   - child: makes the riblet, for each node anew; its `makeState` is not called.
  /// - Returns: the route.
  public static func forEach<R: Riblet>(
    _ name: String, _ states: WritableKeyPath<Parent.State, [R.State]>, _ child: @autoclosure @escaping () -> R
  ) -> Route where R.State: Identifiable, R.Output == Never {
    forEach(name, states, child(), onOutput: ignore)
  }

  /// What is done with the outputs of a child that has none.
  private static func ignore<Output>(_ state: inout Parent.State, _ output: Output) -> Effect<Parent> { .none }
  private static func ignore<ID, Output>(_ state: inout Parent.State, _ id: ID, _ output: Output) -> Effect<Parent> {
    .none
  }

  /// The way to the state of this child only, and not to that of another that takes its place.
  private static func lens<Part>(
    _ lens: Lens<Parent.State, Part>, of id: AnyHashable
  ) -> Lens<Parent.State, Part> {
    Part.self is any Identifiable.Type ? lens.only { identity(of: $0) == id } : lens
  }

  private static func identity<State>(of state: State) -> AnyHashable {
    (state as? any Identifiable).map { AnyHashable($0.erasedID) } ?? AnyHashable(0)
  }
}

extension Identifiable {
  fileprivate var erasedID: any Hashable { id }
}
