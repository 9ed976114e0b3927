/// Any number of children side by side, in an order that the riblet decides: a list.
///
/// Each child has a number of its own, which the list gives out; configurations may be equal.
public struct Items<Config: Hashable & Sendable>: Equatable, Sendable {
  private var items: [RouteEntry<Config>] = []
  private var lastKey = 0

  /// A list.
  ///
  /// - Parameter configs: what the first children are built with.
  public init(_ configs: [Config] = []) {
    for config in configs { append(config) }
  }

  /// How many children there are.
  public var count: Int { items.count }
  /// The configurations, in order.
  public var configs: [Config] { items.map(\.config) }
  /// The children's numbers, in order.
  public var keys: [Int] { items.map(\.key) }

  /// Adds a child at the end.
  ///
  /// - Parameter config: what to build it with.
  /// - Returns: its number.
  @discardableResult
  public mutating func append(_ config: Config) -> Int { insert(config, at: items.count) }

  /// Adds a child.
  ///
  /// - Parameters:
  ///   - config: what to build it with.
  ///   - index: its place, held to the ends of the list.
  /// - Returns: its number.
  @discardableResult
  public mutating func insert(_ config: Config, at index: Int) -> Int {
    lastKey += 1
    items.insert(RouteEntry(key: lastKey, config: config), at: min(max(index, 0), items.count))
    return lastKey
  }

  /// What a child is built with.
  ///
  /// - Parameter key: its number.
  /// - Returns: its configuration; nil if there is no such child.
  public subscript(key: Int) -> Config? { items.first { $0.key == key }?.config }

  /// Takes a child away.
  ///
  /// - Parameter key: its number; nothing happens if there is none.
  public mutating func remove(_ key: Int) { items.removeAll { $0.key == key } }

  /// Takes children away.
  ///
  /// - Parameter isGone: whether to take away a child with this configuration.
  public mutating func removeAll(where isGone: (Config) -> Bool) { items.removeAll { isGone($0.config) } }

  /// Moves a child, as it is.
  ///
  /// - Parameters:
  ///   - key: its number; nothing happens if there is none.
  ///   - index: its place afterwards, held to the ends of the list.
  public mutating func move(_ key: Int, to index: Int) {
    guard let from = items.firstIndex(where: { $0.key == key }) else { return }
    let item = items.remove(at: from)
    items.insert(item, at: min(max(index, 0), items.count))
  }
}

extension Items: Codable where Config: Codable {}

extension Items: RouteContainer {
  /// The container's kind in the view document.
  public static var kind: String { "list" }
  /// What is in the list, in order.
  public var entries: [RouteEntry<Config>] { items }
}
