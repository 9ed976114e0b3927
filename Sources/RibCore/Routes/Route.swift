/// A named edge from a riblet to its children: where in the state it is decided what is there, and how that is built.
public struct Route<Parent: Router> {
  /// The route's name in paths and in the view document.
  public let name: String
  let makeAttachments: () -> Attachments<Parent>

  /// A route whose children a container in the state decides.
  ///
  /// - Parameters:
  ///   - name: unique within the riblet.
  ///   - container: where in the state it is.
  ///   - build: makes the child for a configuration; called once for each child.
  public init<Container: RouteContainer>(
    _ name: String, _ container: KeyPath<Parent.State, Container>,
    _ build: @escaping (Container.Config) -> Child<Parent>
  ) {
    self.name = name
    makeAttachments = { ContainerAttachments(name: name, container: container, build: build) }
  }
}

/// A child as its parent builds it: the riblet, and what its outputs mean to the parent.
public struct Child<Parent: Router> {
  let makeNode: (NodeID, Node<Parent>) -> AnyNode

  /// A child that has something to say.
  ///
  /// - Parameters:
  ///   - riblet: the child.
  ///   - onOutput: takes note of an output in the parent's state; the effect it returns is the parent's.
  public init<Riblet: RibCore.Riblet>(
    _ riblet: Riblet, onOutput: @escaping (inout Parent.State, Riblet.Output) -> Effect<Parent>
  ) {
    // A parent outlives its children: it owns them.
    makeNode = { id, parent in
      ViewNode(riblet, id: id) { [unowned parent] output, tree in
        parent.reduce(in: tree) { _, state in onOutput(&state, output) }
      }
    }
  }

  /// A child that has nothing to say.
  ///
  /// - Parameter riblet: the child.
  public init<Riblet: RibCore.Riblet>(_ riblet: Riblet) where Riblet.Output == Never {
    makeNode = { id, _ in ViewNode(riblet, id: id) { _, _ in } }
  }
}
