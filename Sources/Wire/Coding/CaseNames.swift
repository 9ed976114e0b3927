/// The names that the cases of an enum have in JSON, for messages to developers.
///
/// They are found by letting the enum decode from a decoder that notes what it is asked for: its coding keys are the cases.
enum CaseNames {
  /// The names, in the order of their declaration.
  ///
  /// - Parameters:
  ///   - type: the enum.
  ///   - name: the client's name for the action: the key that an enum is given which is not coded as the compiler does it.
  /// - Returns: nil for a type that is no enum, and for an enum that is not coded as the compiler does it.
  static func all<Value: Decodable>(of type: Value.Type, asking name: String) -> [String]? {
    guard EnumCases.isEnum(type) else { return nil }
    let probe = CaseProbe(name)
    _ = try? type.init(from: CaseProbeDecoder(probe: probe))
    if probe.hasAskedForText { return texts(of: type) }
    // The compiler's coding asks for the payload of each case, also of one that has none.
    return probe.hasAskedForPayload ? probe.names : nil
  }

  /// The raw values of an enum of strings.
  private static func texts<Value>(of type: Value.Type) -> [String]? {
    guard type is any RawRepresentable.Type, let cases = EnumCases.all(of: type) else { return nil }
    let texts = cases.compactMap { ($0 as? any RawRepresentable)?.text }
    return texts.count == cases.count ? texts : nil
  }
}

extension RawRepresentable {
  fileprivate var text: String? { rawValue as? String }
}

/// What an enum has asked its decoder for.
private final class CaseProbe {
  /// The key that the object has, unless its keys are the cases of an enum: then the object has the first of them.
  let name: String
  /// The names of the keys of the last container that was asked for.
  var names: [String]?
  var hasAskedForText = false
  var hasAskedForPayload = false

  init(_ name: String) { self.name = name }
}

/// Has nothing to decode but an object with one key: an `init(from:)` written by hand may count on that.
private struct CaseProbeDecoder: Decoder {
  /// There is no value: decoding ends here.
  struct NoValue: Error {}

  let probe: CaseProbe

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    probe.names = EnumCases.all(of: type)?.map(\.stringValue)
    return KeyedDecodingContainer(CaseProbeContainer(probe: probe))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NoValue() }
  func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension CaseProbeDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if type == String.self { probe.hasAskedForText = true }
    throw NoValue()
  }
}

private struct CaseProbeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let probe: CaseProbe

  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { (EnumCases.all(of: Key.self)?.first ?? Key(stringValue: probe.name)).map { [$0] } ?? [] }

  func contains(_ key: Key) -> Bool { allKeys.contains { haveSameUTF8($0.stringValue, key.stringValue) } }
  func decodeNil(forKey key: Key) -> Bool { false }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    throw CaseProbeDecoder.NoValue()
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    probe.hasAskedForPayload = true
    throw CaseProbeDecoder.NoValue()
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw CaseProbeDecoder.NoValue()
  }
  func superDecoder() throws -> any Decoder { throw CaseProbeDecoder.NoValue() }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw CaseProbeDecoder.NoValue() }
}
