/// Codes values that only this program reads again, such as the state of a riblet.
///
/// What comes back is what there was: dates keep all their digits, numbers need not be finite, and dictionaries may have
/// any keys. Only an optional that holds an empty optional comes back empty, as JSON has one `null`.
package enum StateCoder {
  /// Encodes a value.
  ///
  /// - Parameter value: the value.
  /// - Returns: its JSON.
  /// - Throws: ``RecordingError`` if the value's own coding fails.
  package static func encode<Value: Encodable>(_ value: Value) throws(RecordingError) -> [UInt8] {
    var json = JSONWriter()
    try makeEncoder().write(value, into: &json)
    return json.bytes
  }

  /// An encoder that keeps its memory from one value to the next.
  ///
  /// - Returns: one that writes as ``encode(_:)`` does.
  package static func makeEncoder() -> ViewEncoder { ViewEncoder(prefersShorter: false, form: .state) }

  /// Decodes a value.
  ///
  /// - Parameters:
  ///   - type: its type.
  ///   - json: what was encoded.
  /// - Returns: the value.
  /// - Throws: `DecodingError`.
  package static func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, from json: JSONElement
  ) throws -> Value {
    let root = DecodingRoot(index: json.index, form: .state)
    return try ElementDecoder(element: json, root: root, type: type).decode(type)
  }

  /// How deep a state may be that is read.
  static let readingDepth = 512

  /// Reads what was encoded.
  ///
  /// - Parameter text: the JSON.
  /// - Returns: its value.
  /// - Throws: ``JSONError`` if the text is damaged.
  package static func read(_ text: String) throws(JSONError) -> JSONElement {
    var reader = JSONReader(limits: JSONLimits(depth: readingDepth, bytes: Int(UInt32.max)))
    return try reader.read(text).root
  }
}
