/// A child as its parent builds it: the riblet, and what its outputs mean to the parent.
public struct Child<Parent: Router> {
  let makeNode: (NodeBirth, Node<Parent>) throws(RestoreFailure) -> AnyNode
  /// Whether there is a state for it, if that is a part of the parent's.
  let hasState: (Node<Parent>) -> Bool

  /// A child that has something to say.
  ///
  /// - Parameters:
  ///   - riblet: the child.
  ///   - onOutput: takes note of an output in the parent's state; the effect it returns is the parent's.
  public init<R: Riblet>(
    _ riblet: R, onOutput: @escaping (inout Parent.State, R.Output) -> Effect<Parent>
  ) {
    hasState = { _ in true }
    makeNode = { birth, parent throws(RestoreFailure) in
      try riblet.makeNode(birth, below: parent, Self.listener(parent, onOutput))
    }
  }

  /// A child that has nothing to say.
  ///
  /// - Parameter riblet: the child.
  public init<R: Riblet>(_ riblet: R) where R.Output == Never {
    hasState = { _ in true }
    makeNode = { birth, parent throws(RestoreFailure) in try riblet.makeNode(birth, below: parent) { _, _ in } }
  }

  /// A child of which only the output is known: its type is in a module that the parent does not import.
  ///
  /// - Parameters:
  ///   - riblet: the child.
  ///   - onOutput: takes note of an output in the parent's state; the effect it returns is the parent's.
  public init<Output>(
    _ riblet: any Riblet<Output>, onOutput: @escaping (inout Parent.State, Output) -> Effect<Parent>
  ) {
    func child<R: Riblet>(_ riblet: R) -> Child where R.Output == Output { Child(riblet, onOutput: onOutput) }
    self = child(riblet)
  }

  /// A child whose state is a part of the parent's.
  init<R: Riblet>(
    _ riblet: R, in lens: Lens<Parent.State, R.State>,
    onOutput: @escaping (inout Parent.State, R.Output) -> Effect<Parent>
  ) {
    hasState = { parent in parent.cell.state.flatMap(lens.read) != nil }
    makeNode = { birth, parent throws(RestoreFailure) in
      if let saved = birth.saved { try riblet.check(saved) }
      let cell = EmbeddedCell(in: parent.cell, lens, isOnlyRoute: parent.hasOneRoute(to: lens.extent))
      return riblet.makeNode(birth.id, below: parent, cell, Self.listener(parent, onOutput))
    }
  }

  /// Hands an output to the parent, which outlives its children.
  private static func listener<Output>(
    _ parent: Node<Parent>, _ onOutput: @escaping (inout Parent.State, Output) -> Effect<Parent>
  ) -> (Output, Tree) -> Void {
    { [unowned parent] output, tree in
      parent.reduce(in: tree, .childOutput(output)) { _, state in onOutput(&state, output) }
    }
  }
}

extension Riblet {
  /// A node with a state of its own: the one that was saved, or the one that is given, or a fresh one.
  func makeNode(
    _ birth: NodeBirth, below parent: AnyNode?, given state: State? = nil,
    _ onOutput: @escaping (Output, Tree) -> Void
  ) throws(RestoreFailure) -> AnyNode {
    let state =
      try birth.saved.map { saved throws(RestoreFailure) in try restore(saved) } ?? state ?? makeState()
    return makeNode(birth.id, below: parent, OwnedCell(state), onOutput)
  }

  fileprivate func makeNode(
    _ id: NodeID, below parent: AnyNode?, _ cell: Cell<State>, _ onOutput: @escaping (Output, Tree) -> Void
  ) -> AnyNode {
    ViewState.self == Never.self
      ? Node(self, id: id, typeName: Self.typeName, parent: parent, cell: cell, onOutput: onOutput)
      : ViewNode(self, id: id, typeName: Self.typeName, parent: parent, cell: cell, onOutput: onOutput)
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
