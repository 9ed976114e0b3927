/// Codes values that only this program reads again, such as the state of a riblet.
///
/// Values come back exactly: dates keep all their digits, numbers may be infinite or NaN, and dictionaries may have any
/// keys. Only an optional that holds an empty optional comes back empty, as JSON has a single `null`.
package enum StateCoder {
  /// Encodes a value as JSON.
  ///
  /// - Throws: ``CaptureError`` if the value's own `encode(to:)` throws, or the value is nested too deeply to be read again.
  package static func encode<Value: Encodable>(_ value: Value) throws(CaptureError) -> [UInt8] {
    var json = JSONWriter()
    try makeEncoder().write(value, into: &json)
    return json.bytes
  }

  /// An encoder that writes as ``encode(_:)`` does, and keeps its memory from one value to the next.
  package static func makeEncoder() -> ViewEncoder { ViewEncoder(prefersShorter: false, form: .state) }

  /// Decodes a value from JSON that ``encode(_:)`` has written.
  ///
  /// - Throws: `DecodingError`.
  package static func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, from json: JSONElement
  ) throws -> Value {
    let root = DecodingRoot(index: json.index, form: .state)
    return try ElementDecoder(element: json, root: root, type: type).decode(type)
  }

  /// Parses JSON that ``encode(_:)`` has written.
  ///
  /// - Throws: ``JSONError`` if the text is damaged.
  package static func read(_ text: String) throws(JSONError) -> JSONElement {
    var reader = JSONReader(limits: JSONLimits(bytes: Int(UInt32.max)))
    return try reader.read(text).root
  }
}
