/// A value in a riblet's state that says which children a route has.
///
/// ``Slot``, ``Stack``, ``Tabs`` and ``Items`` are the usual ones; others can be written.
public protocol RouteContainer: Equatable, Sendable {
  /// What a child is built with.
  associatedtype Config: Hashable & Sendable

  /// The container's kind in the view document.
  static var kind: String { get }
  /// The children, in order.
  var entries: [RouteEntry<Config>] { get }
  /// Which entry is selected, as the client is told; nil if the container knows no selection.
  var selected: Int? { get }
  /// Which entry is in front of the others, for ``ActivationPolicy`` and the back button; nil if all stand side by side.
  var front: Int? { get }

  /// Takes a child away because its renderer's back button was used.
  ///
  /// - Parameter key: of its entry.
  /// - Returns: whether it could be taken away.
  mutating func dismiss(_ key: Int) -> Bool
}

extension RouteContainer {
  /// No selection.
  public var selected: Int? { nil }
  /// What is selected.
  public var front: Int? { selected }

  /// Takes nothing away.
  ///
  /// - Parameter key: of an entry.
  /// - Returns: false.
  public mutating func dismiss(_ key: Int) -> Bool { false }
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

extension RouteEntry: Codable where Config: Codable {}

/// Which children of a container are there, and which of them are active.
public enum ActivationPolicy: Sendable {
  /// Every child is attached and active, as in RIBs.
  case all
  /// A child is attached when it is in front for the first time, and is active from then on.
  case lazy
  /// Every child is attached; only the one in front is active, the others keep their state without effects.
  case selectedOnly
}
