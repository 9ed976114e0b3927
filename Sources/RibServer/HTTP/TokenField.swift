import WireHTTP

/// The header field `Riblet-Token`, with the token of a session's client (PROTOCOL.md, "http-token").
enum TokenField {
  static let name = "Riblet-Token"

  /// The token in a request's header.
  ///
  /// - Parameter headers: the request's.
  /// - Returns: the token.
  /// - Throws: ``HTTPError`` with 401 without one, 400 with two.
  static func token(in headers: HeaderFields) throws(HTTPError) -> String {
    let values = headers.values(for: name)
    guard values.count < 2 else { throw HTTPError(status: .badRequest, reason: "\(name) is one field with one token.") }
    guard let token = values.first, !token.isEmpty else {
      throw unauthorized("The client's token, from the answer that began its session, is to be in \(name).")
    }
    return token
  }

  /// The client has not shown that it may ask.
  ///
  /// - Parameters:
  ///   - reason: what is missing.
  ///   - code: which problem it is, for a program; nil for nothing.
  /// - Returns: a 401 with the challenge that a 401 must have (RFC 9110 §11.6.1).
  static func unauthorized(_ reason: String, code: String? = nil) -> HTTPError {
    HTTPError(status: .unauthorized, reason: reason, code: code, headers: ["WWW-Authenticate": name])
  }
}
