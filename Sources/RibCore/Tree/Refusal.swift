public import Wire

/// Why an action was not applied.
///
/// The tree is then as it was before the action.
public struct Refusal: Error, Equatable, Sendable {
  /// The kind of refusal: the code of the client's `nack`.
  public let code: Nack.Code
  /// The reason in a sentence: what, which riblet, and what to do about it.
  public let message: String

  /// The error that the app's own code has thrown, for logs; no client is told.
  public let cause: String?

  package init(_ code: Nack.Code, _ message: String, cause: String? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// The refusal of an action that did not decode.
  ///
  /// A `DecodingError` describes what is wrong with the client's bytes, and the client is told. Any other error may
  /// reveal the app's internals, and goes to ``cause`` alone.
  init(_ error: any Error, decoding typeName: String) {
    var path: [any CodingKey] = []
    var reason = "its type does not accept it."
    var cause: String?
    switch error {
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context):
      path = context.codingPath
      reason = context.debugDescription
      cause = context.underlyingError.map { "\($0)" }
    default: cause = "\(error)"
    }
    let place = path.isEmpty ? "" : " at \"\(path.map(\.stringValue).joined(separator: "."))\""
    self.init(.badAction, "Not a view action of \(typeName)\(place): \(reason)", cause: cause)
  }
}
