/// A scope of dependencies for a riblet and its children; it lives as long as the riblet holds it.
///
/// A riblet's `init` makes one from what its parent provides; the closures of its routes hand it, or parts of it, to the
/// children. It dies with the riblet's node.
///
///     final class HomeComponent: Component<any HomeDependency>, DetailDependency {
///       var images: ImageCache { shared { ImageCache() } }
///     }
///
/// Not `Sendable`: it belongs to its session, so there is no lock.
open class Component<Dependency> {
  /// What the parent provides.
  public let dependency: Dependency
  private var instances: [Key: Any] = [:]

  /// An instance is shared by the property that makes it, and its type: overloads do not meet.
  private struct Key: Hashable {
    let property: String
    let type: ObjectIdentifier
  }

  /// A component without instances.
  ///
  /// - Parameter dependency: what the parent provides.
  public init(dependency: Dependency) { self.dependency = dependency }

  /// The one instance of a property, made when it is first asked for.
  ///
  /// - Parameters:
  ///   - property: filled in by the compiler: the property's name.
  ///   - make: makes the instance.
  /// - Returns: the instance.
  public final func shared<Instance>(_ property: String = #function, _ make: () -> Instance) -> Instance {
    let key = Key(property: property, type: ObjectIdentifier(Instance.self))
    // In two steps: a missing instance would pass for a nil one.
    if let found = instances[key], let instance = found as? Instance { return instance }
    let instance = make()
    instances[key] = instance
    return instance
  }
}
