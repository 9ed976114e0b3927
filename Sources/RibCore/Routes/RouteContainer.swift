/// A value in a riblet's state that decides which children a route has.
///
/// ``Slot``, ``Stack``, ``Tabs`` and ``Items`` are the usual ones; others can be written.
public protocol RouteContainer: Equatable, Sendable {
  /// What a child is built with.
  associatedtype Config: Hashable & Sendable

  /// The container's kind in the view document.
  static var kind: String { get }
  /// One entry for each child, in order.
  var entries: [RouteEntry<Config>] { get }
  /// The index of the selected entry, as clients are told; nil if the container has no selection.
  var selected: Int? { get }
  /// The index of the entry in front of the others, for ``ActivationPolicy`` and the back button; nil if all are side
  /// by side.
  var front: Int? { get }

  /// Removes a child, because the client has used the back button.
  ///
  /// - Parameter key: the ``RouteEntry/key`` of the child's entry.
  /// - Returns: false if the container keeps the child.
  mutating func dismiss(_ key: Int) -> Bool
}

extension RouteContainer {
  /// No selection.
  public var selected: Int? { nil }
  /// The selected entry.
  public var front: Int? { selected }

  /// Removes nothing, and returns false.
  public mutating func dismiss(_ key: Int) -> Bool { false }
}

/// One child of a ``RouteContainer``.
public struct RouteEntry<Config: Hashable & Sendable>: Hashable, Sendable {
  /// Unique within the container's life: an entry that is equal to an earlier one stands for the same child.
  public let key: Int
  /// What the child is built with.
  public let config: Config

  /// An entry with its key, which must be unique within the container's life.
  public init(key: Int, config: Config) {
    self.key = key
    self.config = config
  }
}

extension RouteEntry: Codable where Config: Codable {}

/// Which children of a container are attached, and which of them are active.
public enum ActivationPolicy: Sendable {
  /// Every child is attached and active, as in RIBs.
  case all
  /// A child is attached when it comes to the front for the first time, and is active from then on.
  case lazy
  /// Every child is attached, and only the one in front is active; the others keep their state and run no effects.
  case selectedOnly
}
