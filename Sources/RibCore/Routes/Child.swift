/// A child as its parent builds it: the riblet, what its outputs become in the parent, and its props.
///
/// An output becomes an internal action of the parent, so that the parent's state changes in its reducers only:
///
///     Route("detail", \.detail) { count in Child(Detail(count: count)) { .detail($0) } }
///
/// A child with ``Interactor/Props`` gets them from its parent's state, and gets them again whenever they differ, or
/// once in each transaction in which the parent has changed the child's state, which is a part of its own then:
///
///     Route("rows", \.rows) { id in
///       Child(Row(), props: { state in Row.Props(isSelected: state.selected == id) }) { .row(id, $0) }
///     }
///
/// `State` is ``OwnState`` for a child with a state of its own. For an embedded child, whose state is a part of the
/// parent's, it is the type of that part, which has to be the riblet's `State`.
public struct Child<Parent: Router, State> {
  let makeNode: (NodeBirth, Node<Parent>, Lens<Parent.State, State>) throws(RestoreFailure) -> AnyNode
}

/// Stands for the state of a child that is not embedded: the state begins with `makeState`, and is saved by itself.
public enum OwnState {}

extension Child where State == OwnState {
  /// A child with outputs.
  ///
  /// - Parameters:
  ///   - riblet: the child.
  ///   - action: turns an output into an internal action of the parent; returns nil if the parent ignores the output.
  public init<R: Riblet>(_ riblet: R, _ action: @escaping (R.Output) -> Parent.InternalAction?)
  where R.Props == Never {
    self.init(riblet, action, nil)
  }

  /// A child without outputs.
  public init<R: Riblet>(_ riblet: R) where R.Output == Never, R.Props == Never { self.init(riblet, nil, nil) }

  /// A child with props and outputs.
  ///
  /// - Parameters:
  ///   - riblet: the child.
  ///   - props: makes the child's props from the parent's state; called after each change of that state, so keep it cheap.
  ///   - action: turns an output into an internal action of the parent; returns nil if the parent ignores the output.
  public init<R: Riblet>(
    _ riblet: R, props: @escaping (Parent.State) -> R.Props,
    _ action: @escaping (R.Output) -> Parent.InternalAction?
  ) {
    self.init(riblet, action, props)
  }

  /// A child with props and without outputs.
  ///
  /// - Parameters:
  ///   - riblet: the child.
  ///   - props: makes the child's props from the parent's state; called after each change of that state, so keep it cheap.
  public init<R: Riblet>(_ riblet: R, props: @escaping (Parent.State) -> R.Props) where R.Output == Never {
    self.init(riblet, nil, props)
  }

  /// A child of which the parent knows only the outputs, because the child's type is in a module that the parent does
  /// not import.
  ///
  /// Such a child cannot have ``Interactor/Props``, whose type the parent would have to know: that is a precondition.
  ///
  /// - Parameters:
  ///   - riblet: the child.
  ///   - action: turns an output into an internal action of the parent; returns nil if the parent ignores the output.
  public init<Output>(_ riblet: any Riblet<Output>, _ action: @escaping (Output) -> Parent.InternalAction?) {
    func child<R: Riblet>(_ riblet: R) -> Child where R.Output == Output {
      precondition(R.Props.self == Never.self, "\(R.typeName) has props: its parent has to know its type")
      return Child(riblet, action, nil)
    }
    self = child(riblet)
  }

  private init<R: Riblet>(
    _ riblet: R, _ action: ((R.Output) -> Parent.InternalAction?)?, _ props: ((Parent.State) -> R.Props)?
  ) {
    makeNode = { birth, parent, _ throws(RestoreFailure) in
      try riblet.makeNode(birth, below: parent, ParentLink(parent, action, props))
    }
  }
}

extension Child {
  /// An embedded child with outputs.
  ///
  /// - Parameters:
  ///   - riblet: the child; its `makeState` is not called.
  ///   - action: turns an output into an internal action of the parent; returns nil if the parent ignores the output.
  public init<R: Riblet>(_ riblet: R, _ action: @escaping (R.Output) -> Parent.InternalAction?)
  where R.State == State, R.Props == Never {
    self.init(riblet, action, nil)
  }

  /// An embedded child without outputs; its `makeState` is not called.
  public init<R: Riblet>(_ riblet: R) where R.State == State, R.Output == Never, R.Props == Never {
    self.init(riblet, nil, nil)
  }

  /// An embedded child with props and outputs.
  ///
  /// - Parameters:
  ///   - riblet: the child; its `makeState` is not called.
  ///   - props: makes the child's props from the parent's state; called after each change of that state, so keep it cheap.
  ///   - action: turns an output into an internal action of the parent; returns nil if the parent ignores the output.
  public init<R: Riblet>(
    _ riblet: R, props: @escaping (Parent.State) -> R.Props,
    _ action: @escaping (R.Output) -> Parent.InternalAction?
  ) where R.State == State {
    self.init(riblet, action, props)
  }

  /// An embedded child with props and without outputs.
  ///
  /// - Parameters:
  ///   - riblet: the child; its `makeState` is not called.
  ///   - props: makes the child's props from the parent's state; called after each change of that state, so keep it cheap.
  public init<R: Riblet>(_ riblet: R, props: @escaping (Parent.State) -> R.Props)
  where R.State == State, R.Output == Never {
    self.init(riblet, nil, props)
  }

  private init<R: Riblet>(
    _ riblet: R, _ action: ((R.Output) -> Parent.InternalAction?)?, _ props: ((Parent.State) -> R.Props)?
  ) where R.State == State {
    makeNode = { birth, parent, lens throws(RestoreFailure) in
      try riblet.makeNode(birth, below: parent, lens, ParentLink(parent, action, props))
    }
  }
}

/// The connection of a node to its parent: outputs go up, props come down.
struct ParentLink<Output, Props> {
  /// Handles an output in the parent.
  let tell: (Output, Tree) -> Void
  /// Makes the props from the parent's present state; nil if the riblet has no props.
  let props: (() -> Props?)?

  /// The link of a root, or of a riblet under test.
  init(tell: @escaping (Output, Tree) -> Void = { _, _ in }, props: (() -> Props?)? = nil) {
    self.tell = tell
    self.props = props
  }

  /// The link to a parent; unowned, as a parent outlives its children.
  init<Parent: Router>(
    _ parent: Node<Parent>, _ action: ((Output) -> Parent.InternalAction?)?, _ props: ((Parent.State) -> Props)?
  ) {
    tell = { [unowned parent] output, tree in
      if let action = action?(output) { parent.receive(action, in: tree) }
    }
    self.props = props.map { props in { [unowned parent] in parent.props(by: props) } }
  }
}

extension Riblet {
  /// A node that owns its state: the saved one or, if there is none, the given one, or else a fresh one.
  func makeNode(
    _ birth: NodeBirth, below parent: AnyNode?, given state: State? = nil, _ link: ParentLink<Output, Props>
  ) throws(RestoreFailure) -> AnyNode {
    let state =
      try birth.saved.map { saved throws(RestoreFailure) in try restore(saved) } ?? state ?? makeState()
    return makeNode(birth.id, below: parent, OwnedCell(state), link)
  }

  /// A node whose state is embedded in the state of its parent.
  fileprivate func makeNode<Parent: Router>(
    _ birth: NodeBirth, below parent: Node<Parent>, _ lens: Lens<Parent.State, State>,
    _ link: ParentLink<Output, Props>
  ) throws(RestoreFailure) -> AnyNode {
    if let saved = birth.saved { try check(saved) }
    let cell = EmbeddedCell(in: parent.cell, lens, isOnlyRoute: parent.hasOneRoute(to: lens.extent))
    return makeNode(birth.id, below: parent, cell, link)
  }

  private func makeNode(
    _ id: NodeID, below parent: AnyNode?, _ cell: Cell<State>, _ link: ParentLink<Output, Props>
  ) -> AnyNode {
    ViewState.self == Never.self
      ? Node(self, id: id, typeName: Self.typeName, parent: parent, cell: cell, link)
      : ViewNode(self, id: id, typeName: Self.typeName, parent: parent, cell: cell, link)
  }
}

/// What a node is made with.
struct NodeBirth {
  let id: NodeID
  /// The node's snapshot; nil if the node is new.
  let saved: NodeSnapshot?
}

/// The place at which a node is attached.
struct NodePlace {
  let route: String
  let entry: String
  let parent: AnyNode
}
