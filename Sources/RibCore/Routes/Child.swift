/// A child as its parent builds it: the riblet, what its outputs are to the parent, and what the parent tells it.
///
/// An output becomes an internal action of the parent, so that the parent's state changes in its reducers only:
///
///     Route("detail", \.detail) { count in Child(Detail(count: count)) { .detail($0) } }
///
/// A child that has ``Interactor/Props`` is told what they are by its parent's state, and whenever they are others:
///
///     Route("rows", \.rows) { id in
///       Child(Row(), props: { state in Row.Props(isSelected: state.selected == id) }) { .row(id, $0) }
///     }
///
/// `State` says where the child's state is: ``OwnState``, or a part of the parent's, which has to be of the type that the
/// riblet has.
public struct Child<Parent: Router, State> {
  let makeNode: (NodeBirth, Node<Parent>, Lens<Parent.State, State>) throws(RestoreFailure) -> AnyNode
}

/// Stands for the state of a child that is no part of its parent's: it begins with `makeState`, and is saved by itself.
public enum OwnState {}

extension Child where State == OwnState {
  /// A child that has something to say.
  ///
  /// - Parameters:
  ///   - riblet: the child.
  ///   - action: the parent's internal action for an output; nil if the parent takes no note of it.
  public init<R: Riblet>(_ riblet: R, _ action: @escaping (R.Output) -> Parent.InternalAction?)
  where R.Props == Never {
    self.init(riblet, action, nil)
  }

  /// A child that has nothing to say.
  ///
  /// - Parameter riblet: the child.
  public init<R: Riblet>(_ riblet: R) where R.Output == Never, R.Props == Never { self.init(riblet, nil, nil) }

  /// A child that is told something, and has something to say.
  ///
  /// - Parameters:
  ///   - riblet: the child.
  ///   - props: makes what it is told of the parent's state; called after each change of that, so it is to be cheap.
  ///   - action: the parent's internal action for an output; nil if the parent takes no note of it.
  public init<R: Riblet>(
    _ riblet: R, props: @escaping (Parent.State) -> R.Props,
    _ action: @escaping (R.Output) -> Parent.InternalAction?
  ) {
    self.init(riblet, action, props)
  }

  /// A child that is told something, and has nothing to say.
  ///
  /// - Parameters:
  ///   - riblet: the child.
  ///   - props: makes what it is told of the parent's state; called after each change of that, so it is to be cheap.
  public init<R: Riblet>(_ riblet: R, props: @escaping (Parent.State) -> R.Props) where R.Output == Never {
    self.init(riblet, nil, props)
  }

  /// A child of which only the output is known: its type is in a module that the parent does not import.
  ///
  /// It has no ``Interactor/Props``.
  ///
  /// - Parameters:
  ///   - riblet: the child.
  ///   - action: the parent's internal action for an output; nil if the parent takes no note of it.
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
  /// A child whose state is a part of the parent's, and which has something to say.
  ///
  /// - Parameters:
  ///   - riblet: the child; its `makeState` is not called.
  ///   - action: the parent's internal action for an output; nil if the parent takes no note of it.
  public init<R: Riblet>(_ riblet: R, _ action: @escaping (R.Output) -> Parent.InternalAction?)
  where R.State == State, R.Props == Never {
    self.init(riblet, action, nil)
  }

  /// A child whose state is a part of the parent's, and which has nothing to say.
  ///
  /// - Parameter riblet: the child; its `makeState` is not called.
  public init<R: Riblet>(_ riblet: R) where R.State == State, R.Output == Never, R.Props == Never {
    self.init(riblet, nil, nil)
  }

  /// A child whose state is a part of the parent's, which is told something besides, and has something to say.
  ///
  /// - Parameters:
  ///   - riblet: the child; its `makeState` is not called.
  ///   - props: makes what it is told of the parent's state; called after each change of that, so it is to be cheap.
  ///   - action: the parent's internal action for an output; nil if the parent takes no note of it.
  public init<R: Riblet>(
    _ riblet: R, props: @escaping (Parent.State) -> R.Props,
    _ action: @escaping (R.Output) -> Parent.InternalAction?
  ) where R.State == State {
    self.init(riblet, action, props)
  }

  /// A child whose state is a part of the parent's, which is told something besides, and has nothing to say.
  ///
  /// - Parameters:
  ///   - riblet: the child; its `makeState` is not called.
  ///   - props: makes what it is told of the parent's state; called after each change of that, so it is to be cheap.
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

/// What a node tells its parent, and is told by it.
struct ParentLink<Output, Props> {
  /// Hands an output to the parent.
  let tell: (Output, Tree) -> Void
  /// The props as the parent's state is now; nil if the riblet has none.
  let props: (() -> Props?)?

  /// The link of a root.
  init(tell: @escaping (Output, Tree) -> Void = { _, _ in }, props: (() -> Props?)? = nil) {
    self.tell = tell
    self.props = props
  }

  /// A link to a parent, which outlives its children.
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
  /// A node with a state of its own: the one that was saved, or the one that is given, or a fresh one.
  func makeNode(
    _ birth: NodeBirth, below parent: AnyNode?, given state: State? = nil, _ link: ParentLink<Output, Props>
  ) throws(RestoreFailure) -> AnyNode {
    let state =
      try birth.saved.map { saved throws(RestoreFailure) in try restore(saved) } ?? state ?? makeState()
    return makeNode(birth.id, below: parent, OwnedCell(state), link)
  }

  /// A node whose state is a part of its parent's.
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

/// What a node is born with.
struct NodeBirth {
  let id: NodeID
  /// What it was before; nil if it is new.
  let saved: NodeSnapshot?
}

/// Where a node is attached.
struct NodePlace {
  let route: String
  let entry: String
  let parent: AnyNode
}
