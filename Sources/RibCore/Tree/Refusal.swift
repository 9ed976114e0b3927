public import Wire

/// Why an action was not applied.
///
/// The tree is as it was before.
public struct Refusal: Error, Equatable, Sendable {
  /// The kind of refusal, as the client is told.
  public let code: Nack.Code
  /// The reason in a sentence: what, which riblet, and what to do about it.
  public let message: String

  package init(_ code: Nack.Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The refusal of an action that did not decode.
  init(_ error: any Error, decoding typeName: String) {
    var path: [any CodingKey] = []
    var reason = "\(error)"
    switch error {
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context):
      path = context.codingPath
      reason = context.debugDescription
    default: break
    }
    let place = path.isEmpty ? "" : " at \"\(path.map(\.stringValue).joined(separator: "."))\""
    self.init(.badAction, "Not a view action of \(typeName)\(place): \(reason)")
  }
}
