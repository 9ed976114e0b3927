import RibCore
import Wire

/// A value after a round trip through JSON, as a snapshot makes it.
func coded<Value: Codable & Equatable & Sendable>(_ value: Value) throws -> Value {
  var json = JSONWriter()
  try ViewEncoder().write(value, into: &json)
  var reader = JSONReader()
  return try ActionDecoder.decodeValue(from: reader.read(json.bytes.span).root)
}

/// A value of JSON.
func decoded<Value: Decodable>(_ type: Value.Type, from json: String) throws -> Value {
  var reader = JSONReader()
  return try ActionDecoder.decodeValue(from: reader.read(json).root)
}
