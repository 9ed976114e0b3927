/// What a request is for (RFC 9112 §3.2): in origin-form, in absolute-form, or `*`.
struct RequestTarget: Equatable, Sendable {
  /// The target as sent.
  let text: String
  /// The host and port of an absolute-form, nil in the other forms.
  let authority: String?
  /// The path, percent-encoded as sent; `/` where an absolute-form has none.
  let path: String
  /// What follows the `?`, nil without one.
  let query: String?

  /// Reads a request target.
  ///
  /// - Parameters:
  ///   - bytes: what stands in its place.
  ///   - method: the request's method; `*` is for OPTIONS only.
  /// - Throws: ``HTTPError`` with 400 if it is none of the forms that the method may have, 501 for the method CONNECT.
  init(parsing bytes: Span<UInt8>, method: String) throws(HTTPError) {
    guard HTTPGrammar.all(bytes, HTTPGrammar.isTargetByte) else {
      throw .badRequest("The request target has a character that must be encoded (RFC 9112 §3.2).")
    }
    // RFC 9112 §3.2.3: CONNECT has a form of its own, for proxies.
    guard method != "CONNECT" else {
      throw HTTPError(status: .notImplemented, reason: "CONNECT is for proxies; this is none.")
    }
    text = HTTPGrammar.text(bytes)
    if text == "*", method == "OPTIONS" {
      (authority, path, query) = (nil, text, nil)
      return
    }
    var rest = text.utf8[...]
    authority = rest.first == UInt8(ascii: "/") ? nil : try Self.takeAuthority(from: &rest)
    let pathBytes = rest.prefix { $0 != UInt8(ascii: "?") }
    path = pathBytes.isEmpty ? "/" : String(Substring(pathBytes))
    query = pathBytes.endIndex == rest.endIndex ? nil : String(Substring(rest[pathBytes.endIndex...].dropFirst()))
  }

  /// Removes scheme and authority from the front of an absolute-form (RFC 9112 §3.2.2).
  ///
  /// - Parameter rest: the target; what is left of it begins with the path.
  /// - Returns: the authority.
  /// - Throws: ``HTTPError`` with 400 if this is no absolute-form of http or https with a host.
  private static func takeAuthority(from rest: inout Substring.UTF8View) throws(HTTPError) -> String {
    let scheme = ["http://", "https://"].first { HTTPGrammar.matches(Substring(rest.prefix($0.utf8.count)), $0) }
    guard let scheme else { throw .badRequest("The request target is neither a path nor an http URL (RFC 9112 §3.2).") }
    let afterScheme = rest.dropFirst(scheme.utf8.count)
    let authority = String(Substring(afterScheme.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }))
    // RFC 9110 §4.2.1 and §4.2.4: a host is required, and user information is an error.
    guard !authority.isEmpty, authority.utf8.first != UInt8(ascii: ":"), HTTPGrammar.isHost(authority) else {
      throw .badRequest("The request target's URL has no proper host (RFC 9110 §4.2).")
    }
    rest = afterScheme.dropFirst(authority.utf8.count)
    return authority
  }
}
