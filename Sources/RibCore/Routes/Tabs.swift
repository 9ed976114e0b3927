/// Children side by side, of which one is selected.
public struct Tabs<Config: Hashable & Sendable>: Equatable, Sendable {
  /// What the children are built with, in order.
  public let configs: [Config]
  /// The index of the selected child.
  public private(set) var index: Int

  /// Tabs.
  ///
  /// - Parameters:
  ///   - first: what the first child is built with.
  ///   - rest: what the others are built with.
  ///   - index: of the child that is selected at first.
  public init(_ first: Config, _ rest: Config..., selected index: Int = 0) {
    self.init(configs: [first] + rest, selected: index)
  }

  /// Tabs, as many as an array has.
  ///
  /// - Parameters:
  ///   - configs: what the children are built with, in order; there is at least one.
  ///   - index: of the child that is selected at first.
  public init(configs: [Config], selected index: Int = 0) {
    precondition(configs.indices.contains(index), "there is no tab \(index) of \(configs.count)")
    self.configs = configs
    self.index = index
  }

  /// The configuration of the selected child.
  public var current: Config { configs[index] }

  /// Selects a child.
  ///
  /// - Parameter index: which; nothing happens if there is none.
  public mutating func select(_ index: Int) {
    if configs.indices.contains(index) { self.index = index }
  }

  /// Selects the first child with this configuration.
  ///
  /// - Parameter config: what it was built with; nothing happens if there is none.
  public mutating func select(_ config: Config) {
    if let index = configs.firstIndex(of: config) { self.index = index }
  }
}

extension Tabs: Codable where Config: Codable {
  /// Reads tabs.
  ///
  /// - Parameter decoder: where they are.
  /// - Throws: `DecodingError`, also if there is no tab at the index.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    configs = try container.decode([Config].self, forKey: .configs)
    index = try container.decode(Int.self, forKey: .index)
    guard configs.indices.contains(index) else {
      throw DecodingError.dataCorruptedError(
        forKey: .index, in: container, debugDescription: "There is no tab \(index) of \(configs.count).")
    }
  }
}

extension Tabs: RouteContainer {
  /// The container's kind in the view document.
  public static var kind: String { "tabs" }
  /// One entry a tab.
  public var entries: [RouteEntry<Config>] {
    configs.enumerated().map { RouteEntry(key: $0, config: $1) }
  }
  /// The selected tab.
  public var selected: Int? { index }
}
