extension JSONValue: Codable {
  /// Decodes any JSON value; an integer beyond `Int64` is read as the nearest double.
  ///
  /// - Throws: `DecodingError` if the decoder's value is no JSON value.
  public init(from decoder: any Decoder) throws {
    // A single value first: a string can also be the short form of an enum's case, which has a keyed container.
    if let scalar = try Self.scalar(in: try? decoder.singleValueContainer()) {
      self = scalar
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [JSONValue] = []
      while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
      self = .array(elements)
    } else {
      let container = try decoder.container(keyedBy: WireKey.self)
      var members = JSONObject()
      for key in container.allKeys { members[key.stringValue] = try container.decode(JSONValue.self, forKey: key) }
      self = .object(members)
    }
  }

  /// A value without elements or members; nil for an array and an object.
  private static func scalar(in container: (any SingleValueDecodingContainer)?) throws -> JSONValue? {
    guard let container else { return nil }
    if container.decodeNil() { return .null }
    if let value = try? container.decode(Bool.self) { return .bool(value) }
    if let value = try? container.decode(Int64.self) { return .integer(value) }
    if let value = try? container.decode(Double.self) { return .number(value) }
    return (try? container.decode(String.self)).map { .string($0) }
  }

  /// Encodes the value; ``digits(_:)`` as the nearest double.
  ///
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let members):
      var container = encoder.container(keyedBy: WireKey.self)
      for (key, value) in members { try container.encode(value, forKey: WireKey(key)) }
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value): try encode(value, to: encoder)
    case .integer(let value): try encode(value, to: encoder)
    case .number(let value): try encode(value, to: encoder)
    case .digits(let digits): try encode(Double(digits) ?? 0, to: encoder)
    case .string(let value): try encode(value, to: encoder)
    }
  }

  private func encode(_ value: some Encodable, to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}
