/// A value in a riblet's state that says which children a route has.
public protocol RouteContainer: Equatable {
  /// What a child is built with.
  associatedtype Config: Hashable & Sendable

  /// The container's kind in the view document.
  static var kind: String { get }
  /// The children, in order.
  var entries: [RouteEntry<Config>] { get }
}

/// One child of a ``RouteContainer``.
public struct RouteEntry<Config: Hashable & Sendable>: Hashable, Sendable {
  /// Unique within the container's life: an equal entry later is the same child.
  public let key: Int
  /// What the child is built with.
  public let config: Config

  /// An entry.
  ///
  /// - Parameters:
  ///   - key: unique within the container's life.
  ///   - config: what the child is built with.
  public init(key: Int, config: Config) {
    self.key = key
    self.config = config
  }
}
