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
  package let cause: String?

  package init(_ code: Nack.Code, _ message: String, cause: String? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// The refusal of an action that did not decode.
  ///
  /// A name that no case has is answered with the names of all cases. Otherwise a `DecodingError` describes what is wrong
  /// with the client's bytes, and the client is told. Any other error may reveal the app's internals, and goes to
  /// ``cause`` alone.
  ///
  /// - Parameters:
  ///   - error: what decoding has thrown.
  ///   - type: what was to be decoded.
  ///   - action: what from.
  ///   - typeName: the riblet's.
  init<Action: Decodable>(_ error: any Error, decoding type: Action.Type, from action: JSONElement, of typeName: String)
  {
    if let unknown = ActionDecoder.unknownCase(of: type, in: action) {
      let there = unknown.known.count == 1 ? "there is" : "there are"
      let known = unknown.known.joined(separator: ", ")
      self.init(.badAction, "There is no action \"\(unknown.name)\" of \(typeName); \(there): \(known).")
      return
    }
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
