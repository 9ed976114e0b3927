struct CapturerKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  /// Unowned: the capturer keeps this container, and outlives the `encode(to:)` that uses it.
  unowned let capturer: Capturer
  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { append(.null, key) }
  func encode(_ value: Bool, forKey key: Key) { append(.bool(value), key) }
  func encode(_ value: String, forKey key: Key) { append(.string(value), key) }
  func encode(_ value: Double, forKey key: Key) { append(.double(value), key) }
  func encode(_ value: Float, forKey key: Key) { append(.float(value), key) }
  func encode(_ value: Int, forKey key: Key) { append(.signed(Int64(value)), key) }
  func encode(_ value: Int8, forKey key: Key) { append(.signed(Int64(value)), key) }
  func encode(_ value: Int16, forKey key: Key) { append(.signed(Int64(value)), key) }
  func encode(_ value: Int32, forKey key: Key) { append(.signed(Int64(value)), key) }
  func encode(_ value: Int64, forKey key: Key) { append(.signed(value), key) }
  func encode(_ value: Int128, forKey key: Key) { append(.wide("\(value)"), key) }
  func encode(_ value: UInt, forKey key: Key) { append(.unsigned(UInt64(value)), key) }
  func encode(_ value: UInt8, forKey key: Key) { append(.unsigned(UInt64(value)), key) }
  func encode(_ value: UInt16, forKey key: Key) { append(.unsigned(UInt64(value)), key) }
  func encode(_ value: UInt32, forKey key: Key) { append(.unsigned(UInt64(value)), key) }
  func encode(_ value: UInt64, forKey key: Key) { append(.unsigned(value), key) }
  func encode(_ value: UInt128, forKey key: Key) { append(.wide("\(value)"), key) }
  func encode<T: Encodable>(_ value: T, forKey key: Key) { append(Captured(value), key) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    nest(key).container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { nest(key).unkeyedContainer() }
  func superEncoder() -> any Encoder { capturer.nest("super") }
  func superEncoder(forKey key: Key) -> any Encoder { nest(key) }

  private func append(_ value: Captured, _ key: Key) { capturer.append(value, key: key.stringValue) }
  private func nest(_ key: Key) -> Capturer { capturer.nest(key.stringValue) }
}

struct CapturerUnkeyedContainer: UnkeyedEncodingContainer {
  let capturer: Capturer
  var codingPath: [any CodingKey] { [] }
  var count: Int { capturer.fields.count }

  func encodeNil() { capturer.append(.null) }
  func encode(_ value: Bool) { capturer.append(.bool(value)) }
  func encode(_ value: String) { capturer.append(.string(value)) }
  func encode(_ value: Double) { capturer.append(.double(value)) }
  func encode(_ value: Float) { capturer.append(.float(value)) }
  func encode(_ value: Int) { capturer.append(.signed(Int64(value))) }
  func encode(_ value: Int8) { capturer.append(.signed(Int64(value))) }
  func encode(_ value: Int16) { capturer.append(.signed(Int64(value))) }
  func encode(_ value: Int32) { capturer.append(.signed(Int64(value))) }
  func encode(_ value: Int64) { capturer.append(.signed(value)) }
  func encode(_ value: Int128) { capturer.append(.wide("\(value)")) }
  func encode(_ value: UInt) { capturer.append(.unsigned(UInt64(value))) }
  func encode(_ value: UInt8) { capturer.append(.unsigned(UInt64(value))) }
  func encode(_ value: UInt16) { capturer.append(.unsigned(UInt64(value))) }
  func encode(_ value: UInt32) { capturer.append(.unsigned(UInt64(value))) }
  func encode(_ value: UInt64) { capturer.append(.unsigned(value)) }
  func encode(_ value: UInt128) { capturer.append(.wide("\(value)")) }
  func encode<T: Encodable>(_ value: T) { capturer.append(Captured(value)) }

  func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
    nest().container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nest().unkeyedContainer() }
  func superEncoder() -> any Encoder { nest() }

  private func nest() -> Capturer { capturer.nest() }
}

struct CapturerSingleContainer: SingleValueEncodingContainer {
  let capturer: Capturer
  var codingPath: [any CodingKey] { [] }

  func encodeNil() { capturer.append(.null) }
  func encode(_ value: Bool) { capturer.append(.bool(value)) }
  func encode(_ value: String) { capturer.append(.string(value)) }
  func encode(_ value: Double) { capturer.append(.double(value)) }
  func encode(_ value: Float) { capturer.append(.float(value)) }
  func encode(_ value: Int) { capturer.append(.signed(Int64(value))) }
  func encode(_ value: Int8) { capturer.append(.signed(Int64(value))) }
  func encode(_ value: Int16) { capturer.append(.signed(Int64(value))) }
  func encode(_ value: Int32) { capturer.append(.signed(Int64(value))) }
  func encode(_ value: Int64) { capturer.append(.signed(value)) }
  func encode(_ value: Int128) { capturer.append(.wide("\(value)")) }
  func encode(_ value: UInt) { capturer.append(.unsigned(UInt64(value))) }
  func encode(_ value: UInt8) { capturer.append(.unsigned(UInt64(value))) }
  func encode(_ value: UInt16) { capturer.append(.unsigned(UInt64(value))) }
  func encode(_ value: UInt32) { capturer.append(.unsigned(UInt64(value))) }
  func encode(_ value: UInt64) { capturer.append(.unsigned(value)) }
  func encode(_ value: UInt128) { capturer.append(.wide("\(value)")) }
  func encode<T: Encodable>(_ value: T) { capturer.append(Captured(value)) }
}
