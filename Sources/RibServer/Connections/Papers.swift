import RibCore
import WireHTTP

/// The credential and the origin in a request's head; a WebSocket keeps them until the client says `hello`.
final class Papers: Sendable {
  /// The credential in the request's head; nil if there is none.
  let credential: AuthenticationRequest.Credential?
  /// The origin of the page that the client runs in; nil if it runs in none.
  let origin: String?

  /// The papers of a request.
  ///
  /// - Parameters:
  ///   - head: the request's head.
  ///   - cookie: the name of the cookie that is a credential; empty for none.
  /// - Throws: ``HTTPError`` with 403 for a cookie in a request that a page of another site may have made (CSRF).
  init(_ head: RequestHead, cookie: String) throws(HTTPError) {
    origin = head.headers["Origin"]
    credential = try Self.credential(in: head, cookie)
  }

  private static func credential(
    in head: RequestHead, _ name: String
  ) throws(HTTPError) -> AuthenticationRequest.Credential? {
    if let field = head.headers["Authorization"], field.lowercased().hasPrefix("bearer ") {
      return .bearer(String(field.dropFirst(7).drop { $0 == " " }))
    }
    guard !name.isEmpty, let value = cookie(name, in: head) else { return nil }
    // The gate has checked the Origin. A form, an image or a link of another site cannot send the token's field.
    guard
      head.headers["Origin"] != nil || head.headers[TokenField.name] != nil
        || head.headers["Sec-Fetch-Site"] == "same-origin"
    else {
      throw HTTPError(status: .forbidden, reason: "A cookie needs Origin, Riblet-Token or Sec-Fetch-Site: same-origin.")
    }
    return .cookie(value)
  }

  /// The value of a cookie (RFC 6265 §4.2); of several with the same name the first, which has the longest path (§5.4).
  private static func cookie(_ name: String, in head: RequestHead) -> String? {
    for field in head.headers.values(for: "Cookie") {
      for pair in field.split(separator: ";") {
        let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, parts[0] == name { return String(parts[1]) }
      }
    }
    return nil
  }
}
