import RibCore

extension Secret: ShapedContainer {
  /// The schema of the value, which a client sends and the server never shows.
  static func schema(by finder: ShapeFinder) -> JSONSchema { .secret(finder.shape(of: Value.self).schema) }
  static func example(by finder: ShapeFinder) -> Secret? { Secret() }
}
