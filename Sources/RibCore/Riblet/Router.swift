/// The children of a riblet.
///
/// Navigation is state: a container such as ``Slot`` in the riblet's state says what is attached, and a ``Route`` says
/// what to build for it. The runtime makes the nodes follow the state; no code attaches or detaches a child.
public protocol Router: Interactor {
  /// The riblet's routes; read once in a node's life.
  var routes: [Route<Self>] { get }
}

extension Router {
  /// No children.
  public var routes: [Route<Self>] { [] }
}
