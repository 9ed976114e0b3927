/// Makes an action from its JSON: Swift's synthesized coding of an enum case, and the short forms that the wire allows.
///
/// - `"x"` and `{"x":{}}` mean the same for a case without payload, for enums with `String` raw values too;
/// - `{"select":1}` means `{"select":{"_0":1}}`, for a case with a single unlabelled payload;
/// - an object with more than one key is refused (the synthesized coding would overlook keys that it does not know).
///   That is for the action itself: in the objects within it unknown keys are overlooked, and of equal ones the last counts.
///
/// Types stay plain `Decodable`; the short forms are found by how a synthesized `init(from:)` asks.
package enum ActionDecoder {
  /// Decodes an action.
  ///
  /// - Parameters:
  ///   - type: the action's type.
  ///   - element: its JSON.
  /// - Returns: the action.
  /// - Throws: `DecodingError` with the path, counted from the action, and the reason; or what an `init(from:)` written
  ///   by hand throws.
  package static func decode<T: Decodable>(_ type: T.Type = T.self, from element: JSONElement) throws -> T {
    if element.kind == .object, element.count != 1 {
      let reason = "An action is an object with one key, its case; this one has \(element.count)."
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: reason))
    }
    return try decodeValue(type, from: element)
  }

  /// Decodes a value that is no action, such as the parameters of a session; the short forms hold here too.
  ///
  /// - Parameters:
  ///   - type: the value's type.
  ///   - element: its JSON.
  /// - Returns: the value.
  /// - Throws: `DecodingError` with the path, counted from `element`, and the reason.
  package static func decodeValue<T: Decodable>(_ type: T.Type = T.self, from element: JSONElement) throws -> T {
    try ElementDecoder(element: element, root: DecodingRoot(index: element.index, form: .wire), type: type).decode(type)
  }
}
