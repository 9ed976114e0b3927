/// Children on top of each other, of which the last is in front: a navigation stack.
///
/// It is never empty. Equal configurations may be on it at once: each push is a child of its own.
public struct Stack<Config: Hashable & Sendable>: Equatable, Sendable {
  private var items: [RouteEntry<Config>]
  private var lastKey = 0

  /// A stack with one child.
  ///
  /// - Parameter root: what the lowest child is built with.
  public init(_ root: Config) { items = [RouteEntry(key: 0, config: root)] }

  /// A stack with several children.
  ///
  /// - Parameter configs: what they are built with, the lowest first; there is at least one.
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

  /// Puts a child in front.
  ///
  /// - Parameter config: what to build it with.
  public mutating func push(_ config: Config) {
    lastKey += 1
    items.append(RouteEntry(key: lastKey, config: config))
  }

  /// Takes away the child in front, unless it is the only one.
  public mutating func pop() {
    if items.count > 1 { items.removeLast() }
  }

  /// Takes away all children but the lowest.
  public mutating func popToRoot() { items.removeSubrange(1...) }

  /// Takes away all children above the topmost one with this configuration; none if there is none.
  ///
  /// - Parameter config: what the child was built with.
  public mutating func pop(to config: Config) {
    guard let index = items.lastIndex(where: { $0.config == config }) else { return }
    items.removeSubrange((index + 1)...)
  }

  /// Takes one child away, wherever it is, unless it is the only one.
  ///
  /// - Parameter key: of its entry, as its route's `build` is told; nothing happens if there is none.
  public mutating func remove(_ key: Int) {
    guard items.count > 1 else { return }
    items.removeAll { $0.key == key }
  }

  /// Puts a child in the place of the one in front.
  ///
  /// - Parameter config: what to build it with.
  public mutating func replaceTop(with config: Config) {
    items.removeLast()
    push(config)
  }

  /// Puts one child in the place of all.
  ///
  /// - Parameter config: what to build it with.
  public mutating func replaceAll(with config: Config) {
    items.removeAll()
    push(config)
  }

  /// Moves the topmost child with this configuration to the front, as it is; pushes one if there is none.
  ///
  /// - Parameter config: what the child was, or is to be, built with.
  public mutating func bringToFront(_ config: Config) {
    guard let index = items.lastIndex(where: { $0.config == config }) else { return push(config) }
    items.append(items.remove(at: index))
  }
}

extension Stack: Codable where Config: Codable {
  /// Reads a stack.
  ///
  /// - Parameter decoder: where it is.
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
  /// The container's kind in the view document.
  public static var kind: String { "stack" }
  /// What is on the stack, the lowest first.
  public var entries: [RouteEntry<Config>] { items }
  /// The last entry.
  public var front: Int? { items.count - 1 }

  /// Takes away a child and what is on top of it, unless it is the lowest.
  ///
  /// - Parameter key: of its entry.
  /// - Returns: whether it was taken away.
  public mutating func dismiss(_ key: Int) -> Bool {
    guard let index = items.firstIndex(where: { $0.key == key }), index > 0 else { return false }
    items.removeSubrange(index...)
    return true
  }
}
