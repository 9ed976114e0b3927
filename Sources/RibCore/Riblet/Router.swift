/// Which children a riblet has.
///
/// Navigation is state: a container such as ``Slot`` in the riblet's state says what is attached, a ``Route`` says what
/// to build for it. Nodes follow the state by themselves; no code attaches or detaches one.
public protocol Router: Interactor {
  /// The riblet's routes. Read once in a node's life.
  var routes: [Route<Self>] { get }
}

extension Router {
  /// No children.
  public var routes: [Route<Self>] { [] }
}
