/// The `Decoder` that notes what it is asked for, and answers with examples.
struct ShapeDecoder: Decoder {
  let finder: ShapeFinder
  let shape: Shape

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    shape.noteObject(keyedBy: type)
    return KeyedDecodingContainer(ShapeKeyedContainer(finder: finder, shape: shape))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer {
    shape.noteArray()
    return ShapeUnkeyedContainer(finder: finder, shape: shape)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension ShapeDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let found = finder.shape(of: type)
    shape.noteSingle(found.schema)
    return try found.example()
  }
}

private struct ShapeKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let finder: ShapeFinder
  let shape: Shape

  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { shape.onlyKey.flatMap { Key(stringValue: $0) }.map { [$0] } ?? [] }

  func contains(_ key: Key) -> Bool { !shape.isFull }
  func decodeNil(forKey key: Key) -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let found = finder.shape(of: type)
    shape.note(key.stringValue, found.schema, isRequired: true)
    guard !shape.isFull else { throw NoExample(type: type) }
    return try found.example()
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) -> Value? {
    optional(type, key)
  }

  // Without these, the library would ask for each whether it is nil, and then for its value.
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) -> Bool? { optional(type, key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) -> String? { optional(type, key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) -> Double? { optional(type, key) }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) -> Float? { optional(type, key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) -> Int? { optional(type, key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) -> Int8? { optional(type, key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) -> Int16? { optional(type, key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) -> Int32? { optional(type, key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) -> Int64? { optional(type, key) }
  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) -> Int128? { optional(type, key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) -> UInt? { optional(type, key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) -> UInt8? { optional(type, key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) -> UInt16? { optional(type, key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) -> UInt32? { optional(type, key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) -> UInt64? { optional(type, key) }
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) -> UInt128? { optional(type, key) }

  private func optional<Value: Decodable>(_ type: Value.Type, _ key: Key) -> Value? {
    shape.note(key.stringValue, finder.shape(of: type).schema, isRequired: false)
    return nil
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedDecodingContainer<NestedKey> {
    // The compiler's coding of an enum asks for the case's payload so.
    let nested = ShapeDecoder(finder: finder, shape: shape.notePayload()).container(keyedBy: type)
    shape.note(key.stringValue, .unknown("It is decoded by hand."), isRequired: true)
    return nested
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
    shape.note(key.stringValue, .array(.unknown("It is decoded by hand.")), isRequired: true)
    return ShapeUnkeyedContainer(finder: finder, shape: Shape())
  }

  func superDecoder() throws -> any Decoder {
    try finder.nest()
    return ShapeDecoder(finder: finder, shape: Shape())
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder() }
}

/// An array without elements: whoever decodes one by hand is told that there are none.
private struct ShapeUnkeyedContainer: UnkeyedDecodingContainer {
  let finder: ShapeFinder
  let shape: Shape

  var codingPath: [any CodingKey] { [] }
  var count: Int? { 0 }
  var isAtEnd: Bool { true }
  var currentIndex: Int { 0 }

  func decodeNil() -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let found = finder.shape(of: type)
    shape.noteElement(found.schema)
    guard !shape.isFull else { throw NoExample(type: type) }
    return try found.example()
  }

  func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try finder.nest()
    return ShapeDecoder(finder: finder, shape: Shape()).container(keyedBy: type)
  }

  func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try finder.nest()
    return ShapeUnkeyedContainer(finder: finder, shape: Shape())
  }

  func superDecoder() throws -> any Decoder {
    try finder.nest()
    return ShapeDecoder(finder: finder, shape: Shape())
  }
}

extension ShapeFinder.Found {
  func example() throws -> Value {
    guard let value else { throw NoExample(type: Value.self) }
    return value
  }
}
