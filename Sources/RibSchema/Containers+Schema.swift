import RibCore

// Containers that are never empty: without an example of theirs, nothing that a state has behind them would be known.

extension Stack: ShapedContainer where Config: Codable {
  static func schema(by finder: ShapeFinder) -> JSONSchema {
    .object([.init("items", .array(finder.shape(of: RouteEntry<Config>.self).schema)), .init("lastKey", .integer())])
  }

  static func example(by finder: ShapeFinder) -> Stack? { finder.shape(of: Config.self).value.map { Stack($0) } }
}

extension Tabs: ShapedContainer where Config: Codable {
  static func schema(by finder: ShapeFinder) -> JSONSchema {
    .object([.init("configs", .array(finder.shape(of: Config.self).schema)), .init("index", .integer())])
  }

  static func example(by finder: ShapeFinder) -> Tabs? { finder.shape(of: Config.self).value.map { Tabs($0) } }
}
