/// A scope of dependencies for a riblet and its children; it lives as long as the riblet holds it.
///
/// A riblet's `init` makes a component from what the parent provides. The closures of the riblet's routes hand the
/// component, or parts of it, to the children. It dies with the riblet's node.
///
///     final class HomeComponent: Component<any HomeDependency>, DetailDependency {
///       var images: ImageCache { shared { ImageCache() } }
///     }
///
/// Not `Sendable`: a component belongs to one session, and so needs no lock.
open class Component<Dependency> {
  /// What the parent provides.
  public let dependency: Dependency
  private var instances: [Key: Any] = [:]

  /// The property that makes an instance, and the instance's type: overloads of one name do not share an instance.
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
  ///   - property: the property's name; leave it to the compiler.
  ///   - make: makes the instance; called once in the component's life.
  /// - Returns: the same instance for each call from this property.
  public final func shared<Instance>(_ property: String = #function, _ make: () -> Instance) -> Instance {
    let key = Key(property: property, type: ObjectIdentifier(Instance.self))
    // In two steps: if `Instance` is optional, casting a missing entry would yield nil as if it were the instance.
    if let found = instances[key], let instance = found as? Instance { return instance }
    let instance = make()
    instances[key] = instance
    return instance
  }
}
