extension JSONValue: Codable {
  /// Decodes any JSON value; an integer beyond `Int64` is read as the nearest double.
  ///
  /// - Throws: `DecodingError` if the decoder's value is no JSON value.
  public init(from decoder: any Decoder) throws {
    // Each attempt below costs an error, of which a text of 64 KiB has tens of thousands.
    if let decoder = decoder as? ElementDecoder {
      self = try Self.value(of: decoder.element, decoder.root)
      return
    }
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

  /// The value that a text holds, as the containers of its decoder would read it.
  private static func value(of element: JSONElement, _ root: DecodingRoot) throws -> JSONValue {
    switch element.kind {
    case .null: return .null
    case .bool: return .bool(element.bool == true)
    case .string: return .string(element.string ?? "")
    case .number:
      if let integer = element.integer(Int64.self) { return .integer(integer) }
      return .number(try ElementDecoder(element: element, root: root, type: Double.self).decode(Double.self))
    case .array:
      var elements: [JSONValue] = []
      elements.reserveCapacity(element.count)
      for element in element.elements { elements.append(try part(element, root)) }
      return .array(elements)
    case .object:
      var members = JSONObject()
      try element.forEachMember { key, value in members[key.string ?? ""] = try part(value, root) }
      return .object(members)
    }
  }

  private static func part(_ element: JSONElement, _ root: DecodingRoot) throws -> JSONValue {
    element.document.trace?.noteRead(element)
    return try value(of: element, root)
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
  /// - Throws: what the encoder throws; `EncodingError` for an infinity or NaN, which JSON does not have.
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
    case .number(let value):
      guard value.isFinite else {
        let context = EncodingError.Context(
          codingPath: encoder.codingPath, debugDescription: "\(value) is no JSON number")
        throw EncodingError.invalidValue(value, context)
      }
      try encode(value, to: encoder)
    case .digits(let digits): try encode(Double(digits) ?? 0, to: encoder)
    case .string(let value): try encode(value, to: encoder)
    }
  }

  private func encode(_ value: some Encodable, to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}
