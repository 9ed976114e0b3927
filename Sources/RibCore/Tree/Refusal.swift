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

  /// The refusal of an action that ``Interactor/authorize(_:by:in:)`` does not allow.
  package static let notAuthorized = Refusal(.forbidden, "This client may not do this.")

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
  /// Of an action that may hold a ``Secret`` only the place of the error is repeated: the refusal is stored, recorded and logged,
  /// and the secret may be in a wrong place. If it is not known whether the action may hold one, only the name of an unknown case is
  /// left out.
  ///
  /// - Parameters:
  ///   - error: what decoding has thrown.
  ///   - type: what was to be decoded.
  ///   - action: what from.
  ///   - typeName: the riblet's.
  ///   - secret: whether the action may hold a secret.
  init<Action: Decodable>(
    _ error: any Error, decoding type: Action.Type, from action: JSONElement, of typeName: String,
    _ secret: SecretFinder.Finding
  ) {
    if let unknown = ActionDecoder.unknownCase(of: type, in: action) {
      let name = secret == .absent ? "action \"\(unknown.name)\"" : "such action"
      let there = unknown.known.count == 1 ? "there is" : "there are"
      let known = unknown.known.joined(separator: ", ")
      self.init(.badAction, "There is no \(name) of \(typeName); \(there): \(known).")
      return
    }
    let context = (error as? DecodingError)?.context
    let message = "Not a view action of \(typeName)\((error as? DecodingError)?.place ?? "")"
    let reason: String
    switch (error, context) {
    case (_, let context?) where secret != .present: reason = context.debugDescription
    case (DecodingError.keyNotFound(let key, _), _): reason = "there is no \"\(key.stringValue)\"."
    default: reason = "its type does not accept it."
    }
    // The text of an app's own error may repeat the secret: for a type that takes one, only the error's type is kept.
    var cause = context.map { $0.underlyingError.map { "\($0)" } } ?? "\(error)"
    if secret == .present { cause = cause.map { _ in "\(Swift.type(of: context?.underlyingError ?? error))" } }
    self.init(.badAction, "\(message): \(reason)", cause: cause)
  }
}

extension DecodingError {
  /// Where the value is that does not fit, to be put behind what does not fit; empty for the whole.
  package var place: String {
    let path = context?.codingPath ?? []
    return path.isEmpty ? "" : " at \"\(path.map(\.stringValue).joined(separator: "."))\""
  }

  /// The decoder's complaint about the value, in a sentence.
  package var fault: String { context?.debugDescription ?? "its type does not accept it." }

  fileprivate var context: Context? {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
      .dataCorrupted(let context):
      context
    @unknown default: nil
    }
  }
}
