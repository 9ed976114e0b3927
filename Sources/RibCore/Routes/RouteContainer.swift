/// A value in a riblet's state that decides which children a route has.
///
/// ``Slot``, ``Stack``, ``Tabs`` and ``Items`` are the usual ones; others can be written.
public protocol RouteContainer: Equatable, Sendable {
  /// What a child is built with.
  associatedtype Config: Hashable & Sendable

  /// The children that there are.
  var contents: RouteContents<Config> { get }

  /// Removes a child, because the client has used the back button.
  ///
  /// - Parameter key: the child's key.
  /// - Returns: false if the container keeps the child.
  mutating func dismiss(_ key: Int) -> Bool
}

extension RouteContainer {
  /// Removes nothing, and returns false.
  public mutating func dismiss(_ key: Int) -> Bool { false }

  package var entries: [RouteEntry<Config>] { contents.entries }
  package var selected: Int? { contents.selected }
  package var front: Int? { contents.front }
}

/// The children of a ``RouteContainer``.
public struct RouteContents<Config: Hashable & Sendable> {
  /// The container's kind in the view document.
  package let kind: String
  /// One entry for each child, in order.
  package let entries: [RouteEntry<Config>]
  /// The index of the selected entry, as clients are told; nil if the container has no selection.
  package let selected: Int?
  /// The index of the entry in front of the others, for ``ActivationPolicy`` and the back button; nil if all are side
  /// by side.
  package let front: Int?

  /// The children of a container of one's own.
  ///
  /// - Parameters:
  ///   - kind: the container's kind in the view document.
  ///   - children: one for each child, in order. A key is unique within the container's life: a child with the key and the
  ///     configuration of an earlier one is the same child.
  ///   - selected: the index of the selected child, as clients are told; nil if the container has no selection.
  ///   - front: the index of the child in front of the others, for ``ActivationPolicy`` and the back button; nil for the
  ///     selected one. Without either, all are side by side.
  public init(kind: String, _ children: [(key: Int, config: Config)], selected: Int? = nil, front: Int? = nil) {
    let entries = children.map { RouteEntry(key: $0.key, config: $0.config) }
    self.init(kind: kind, entries: entries, selected: selected, front: front)
  }

  package init(kind: String, entries: [RouteEntry<Config>], selected: Int? = nil, front: Int? = nil) {
    self.kind = kind
    self.entries = entries
    self.selected = selected
    self.front = front ?? selected
  }
}

/// One child of a ``RouteContainer``.
package struct RouteEntry<Config: Hashable & Sendable>: Hashable, Sendable {
  /// Unique within the container's life: an entry that is equal to an earlier one stands for the same child.
  package let key: Int
  /// What the child is built with.
  package let config: Config

  package init(key: Int, config: Config) {
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
