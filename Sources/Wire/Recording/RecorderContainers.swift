struct RecorderKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  /// Unowned: the recorder keeps this container, and outlives the `encode(to:)` that uses it.
  unowned let recorder: Recorder
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
  func encode<T: Encodable>(_ value: T, forKey key: Key) { append(Recorded(value), key) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    nest(key).container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { nest(key).unkeyedContainer() }
  func superEncoder() -> any Encoder { recorder.nest("super") }
  func superEncoder(forKey key: Key) -> any Encoder { nest(key) }

  private func append(_ value: Recorded, _ key: Key) { recorder.append(value, key: key.stringValue) }
  private func nest(_ key: Key) -> Recorder { recorder.nest(key.stringValue) }
}

struct RecorderUnkeyedContainer: UnkeyedEncodingContainer {
  let recorder: Recorder
  var codingPath: [any CodingKey] { [] }
  var count: Int { recorder.fields.count }

  func encodeNil() { recorder.append(.null) }
  func encode(_ value: Bool) { recorder.append(.bool(value)) }
  func encode(_ value: String) { recorder.append(.string(value)) }
  func encode(_ value: Double) { recorder.append(.double(value)) }
  func encode(_ value: Float) { recorder.append(.float(value)) }
  func encode(_ value: Int) { recorder.append(.signed(Int64(value))) }
  func encode(_ value: Int8) { recorder.append(.signed(Int64(value))) }
  func encode(_ value: Int16) { recorder.append(.signed(Int64(value))) }
  func encode(_ value: Int32) { recorder.append(.signed(Int64(value))) }
  func encode(_ value: Int64) { recorder.append(.signed(value)) }
  func encode(_ value: Int128) { recorder.append(.wide("\(value)")) }
  func encode(_ value: UInt) { recorder.append(.unsigned(UInt64(value))) }
  func encode(_ value: UInt8) { recorder.append(.unsigned(UInt64(value))) }
  func encode(_ value: UInt16) { recorder.append(.unsigned(UInt64(value))) }
  func encode(_ value: UInt32) { recorder.append(.unsigned(UInt64(value))) }
  func encode(_ value: UInt64) { recorder.append(.unsigned(value)) }
  func encode(_ value: UInt128) { recorder.append(.wide("\(value)")) }
  func encode<T: Encodable>(_ value: T) { recorder.append(Recorded(value)) }

  func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
    nest().container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nest().unkeyedContainer() }
  func superEncoder() -> any Encoder { nest() }

  private func nest() -> Recorder {
    let nested = Recorder(recorder.form)
    recorder.append(.nested(nested))
    return nested
  }
}

struct RecorderSingleContainer: SingleValueEncodingContainer {
  let recorder: Recorder
  var codingPath: [any CodingKey] { [] }

  func encodeNil() { recorder.append(.null) }
  func encode(_ value: Bool) { recorder.append(.bool(value)) }
  func encode(_ value: String) { recorder.append(.string(value)) }
  func encode(_ value: Double) { recorder.append(.double(value)) }
  func encode(_ value: Float) { recorder.append(.float(value)) }
  func encode(_ value: Int) { recorder.append(.signed(Int64(value))) }
  func encode(_ value: Int8) { recorder.append(.signed(Int64(value))) }
  func encode(_ value: Int16) { recorder.append(.signed(Int64(value))) }
  func encode(_ value: Int32) { recorder.append(.signed(Int64(value))) }
  func encode(_ value: Int64) { recorder.append(.signed(value)) }
  func encode(_ value: Int128) { recorder.append(.wide("\(value)")) }
  func encode(_ value: UInt) { recorder.append(.unsigned(UInt64(value))) }
  func encode(_ value: UInt8) { recorder.append(.unsigned(UInt64(value))) }
  func encode(_ value: UInt16) { recorder.append(.unsigned(UInt64(value))) }
  func encode(_ value: UInt32) { recorder.append(.unsigned(UInt64(value))) }
  func encode(_ value: UInt64) { recorder.append(.unsigned(value)) }
  func encode(_ value: UInt128) { recorder.append(.wide("\(value)")) }
  func encode<T: Encodable>(_ value: T) { recorder.append(Recorded(value)) }
}
