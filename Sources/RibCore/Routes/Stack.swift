/// Children on top of each other, the last one in front: a navigation stack.
///
/// A stack is never empty. It may hold equal configurations: each push makes a child of its own.
public struct Stack<Config: Hashable & Sendable>: Equatable, Sendable {
  private var items: [RouteEntry<Config>]
  private var lastKey = 0

  /// A stack with one child.
  public init(_ root: Config) { items = [RouteEntry(key: 0, config: root)] }

  /// A stack with several children.
  ///
  /// - Parameter configs: from the lowest child to the one in front; at least one.
  public init(configs: [Config]) {
    precondition(!configs.isEmpty, "a stack is never empty")
    items = configs.enumerated().map { RouteEntry(key: $0, config: $1) }
    lastKey = items.count - 1
  }

  /// How many children there are, at least one.
  public var count: Int { items.count }
  /// The configurations, the lowest first.
  public var configs: [Config] { items.map(\.config) }
  /// The configuration in front.
  public var top: Config { items[items.count - 1].config }

  /// Puts a new child in front.
  public mutating func push(_ config: Config) {
    lastKey += 1
    items.append(RouteEntry(key: lastKey, config: config))
  }

  /// Removes the child in front, unless it is the only one.
  public mutating func pop() {
    if items.count > 1 { items.removeLast() }
  }

  /// Removes all children but the lowest.
  public mutating func popToRoot() { items.removeSubrange(1...) }

  /// Removes all children above the topmost one with this configuration; does nothing if there is none.
  public mutating func pop(to config: Config) {
    guard let index = items.lastIndex(where: { $0.config == config }) else { return }
    items.removeSubrange((index + 1)...)
  }

  /// Removes the child with a key, wherever it is, unless it is the only one; does nothing if there is no such child.
  ///
  /// The key is the one that the `build` of the stack's route is given.
  public mutating func remove(_ key: Int) {
    guard items.count > 1 else { return }
    items.removeAll { $0.key == key }
  }

  /// Replaces the child in front with a new one.
  public mutating func replaceTop(with config: Config) {
    items.removeLast()
    push(config)
  }

  /// Replaces all children with a new one.
  public mutating func replaceAll(with config: Config) {
    items.removeAll()
    push(config)
  }

  /// Moves the topmost child with this configuration to the front; pushes a new child if there is none.
  public mutating func bringToFront(_ config: Config) {
    guard let index = items.lastIndex(where: { $0.config == config }) else { return push(config) }
    items.append(items.remove(at: index))
  }
}

extension Stack: Codable where Config: Codable {
  /// Reads a stack.
  ///
  /// - Throws: `DecodingError`, also if the stack is empty.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    items = try container.decode([RouteEntry<Config>].self, forKey: .items)
    lastKey = try container.decode(Int.self, forKey: .lastKey)
    guard !items.isEmpty else {
      throw DecodingError.dataCorruptedError(forKey: .items, in: container, debugDescription: "A stack is never empty.")
    }
  }
}

extension Stack: RouteContainer {
  /// The children, from the lowest to the one in front.
  public var contents: RouteContents<Config> {
    RouteContents(kind: "stack", entries: items, front: items.count - 1)
  }

  /// Removes a child and all above it, unless it is the lowest.
  ///
  /// - Returns: false if the child is the lowest, or there is no child with this key.
  public mutating func dismiss(_ key: Int) -> Bool {
    guard let index = items.firstIndex(where: { $0.key == key }), index > 0 else { return false }
    items.removeSubrange(index...)
    return true
  }
}
