/// Children side by side, one of which is selected.
public struct Tabs<Config: Hashable & Sendable>: Equatable, Sendable {
  /// The configurations of the children, in order.
  public let configs: [Config]
  /// The index of the selected child.
  public private(set) var index: Int

  /// Tabs with these configurations.
  ///
  /// - Parameters:
  ///   - first: the configuration of the first child.
  ///   - rest: those of the others.
  ///   - index: the index of the child that is selected at first.
  public init(_ first: Config, _ rest: Config..., selected index: Int = 0) {
    self.init(configs: [first] + rest, selected: index)
  }

  /// Tabs with the configurations of an array.
  ///
  /// - Parameters:
  ///   - configs: at least one, in order.
  ///   - index: the index of the child that is selected at first; there has to be such a child.
  public init(configs: [Config], selected index: Int = 0) {
    precondition(configs.indices.contains(index), "there is no tab \(index) of \(configs.count)")
    self.configs = configs
    self.index = index
  }

  /// The configuration of the selected child.
  public var current: Config { configs[index] }

  /// Selects the child at an index; does nothing if there is none.
  public mutating func select(at index: Int) {
    if configs.indices.contains(index) { self.index = index }
  }

  /// Selects the first child with this configuration; does nothing if there is none.
  public mutating func select(_ config: Config) {
    if let index = configs.firstIndex(of: config) { self.index = index }
  }
}

extension Tabs: Codable where Config: Codable {
  /// Reads tabs.
  ///
  /// - Throws: `DecodingError`, also if there is no tab at the selected index.
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
  /// One child for each tab.
  public var contents: RouteContents<Config> {
    RouteContents(
      kind: "tabs", entries: configs.enumerated().map { RouteEntry(key: $0, config: $1) }, selected: index)
  }
}
