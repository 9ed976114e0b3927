/// The `Decoder` of a ``SecretFinder``: it answers with examples, and each type that it is asked for is looked into.
struct SecretProbe: Decoder {
  /// What the type has asked for.
  final class Notes {
    /// The coding keys of the last object, if they are an enum that lists them.
    var caseNames: [String]?
  }

  /// There is no example of what was asked for.
  struct NoExample: Error {}

  let finder: SecretFinder
  let notes = Notes()
  /// The only key that objects have: the case of an enum that is looked into.
  let onlyKey: String?

  init(finder: SecretFinder, case name: String? = nil) {
    self.finder = finder
    onlyKey = name
  }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    notes.caseNames = EnumCases.all(of: type)?.map(\.stringValue)
    return KeyedDecodingContainer(SecretProbeContainer(finder: finder, onlyKey: onlyKey))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { SecretProbeElements(finder: finder) }
  func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension SecretProbe: SingleValueDecodingContainer {
  func decodeNil() -> Bool { false }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try finder.require(type) }
}

extension SecretFinder {
  fileprivate func require<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard let value = example(of: type) else { throw SecretProbe.NoExample() }
    return value
  }
}

/// An object that has every key.
private struct SecretProbeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let finder: SecretFinder
  let onlyKey: String?

  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { onlyKey.flatMap { Key(stringValue: $0) }.map { [$0] } ?? [] }

  func contains(_ key: Key) -> Bool { true }
  func decodeNil(forKey key: Key) -> Bool { false }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try finder.require(type) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedDecodingContainer<NestedKey> {
    SecretProbe(finder: finder).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { SecretProbeElements(finder: finder) }
  func superDecoder() -> any Decoder { SecretProbe(finder: finder) }
  func superDecoder(forKey key: Key) -> any Decoder { SecretProbe(finder: finder) }
}

/// An array that has one element.
private struct SecretProbeElements: UnkeyedDecodingContainer {
  let finder: SecretFinder

  var codingPath: [any CodingKey] { [] }
  var count: Int? { 1 }
  private(set) var currentIndex = 0
  var isAtEnd: Bool { currentIndex > 0 }

  init(finder: SecretFinder) { self.finder = finder }

  func decodeNil() -> Bool { false }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    currentIndex += 1
    return try finder.require(type)
  }

  mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    currentIndex += 1
    return SecretProbe(finder: finder).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
    currentIndex += 1
    return SecretProbeElements(finder: finder)
  }

  mutating func superDecoder() -> any Decoder {
    currentIndex += 1
    return SecretProbe(finder: finder)
  }
}
