/// Any number of children side by side, in an order that the riblet decides: a list.
///
/// Each child has a number, its key, which the list gives out; so several children may have equal configurations.
public struct Items<Config: Hashable & Sendable>: Equatable, Sendable {
  private var items: [RouteEntry<Config>] = []
  private var lastKey = 0

  /// A list with a child for each of these configurations.
  public init(_ configs: [Config] = []) {
    for config in configs { append(config) }
  }

  /// How many children there are.
  public var count: Int { items.count }
  /// The configurations, in order.
  public var configs: [Config] { items.map(\.config) }
  /// The keys of the children, in order.
  public var keys: [Int] { items.map(\.key) }

  /// Adds a child at the end, and returns its key.
  @discardableResult
  public mutating func append(_ config: Config) -> Int { insert(config, at: items.count) }

  /// Adds a child at an index, or at the nearest end of the list, and returns its key.
  @discardableResult
  public mutating func insert(_ config: Config, at index: Int) -> Int {
    lastKey += 1
    items.insert(RouteEntry(key: lastKey, config: config), at: min(max(index, 0), items.count))
    return lastKey
  }

  /// The configuration of the child with a key; nil if there is no such child.
  public subscript(key: Int) -> Config? { items.first { $0.key == key }?.config }

  /// Removes the child with a key; does nothing if there is none.
  public mutating func remove(_ key: Int) { items.removeAll { $0.key == key } }

  /// Removes the children for whose configuration `isGone` returns true.
  public mutating func removeAll(where isGone: (Config) -> Bool) { items.removeAll { isGone($0.config) } }

  /// Moves the child with a key to an index, or to the nearest end of the list; does nothing if there is no such child.
  public mutating func move(_ key: Int, to index: Int) {
    guard let from = items.firstIndex(where: { $0.key == key }) else { return }
    let item = items.remove(at: from)
    items.insert(item, at: min(max(index, 0), items.count))
  }
}

extension Items: Codable where Config: Codable {}

extension Items: RouteContainer {
  /// The children, in order.
  public var contents: RouteContents<Config> { RouteContents(kind: "list", entries: items) }
}
