/// The first line of a request: `method SP request-target SP HTTP-version` (RFC 9112 §3).
struct RequestLine: Equatable, Sendable {
  let method: String
  let target: RequestTarget
  let version: HTTPVersion

  /// Reads a request line, in which each separator is exactly one space.
  ///
  /// - Parameter line: the line without its line end.
  /// - Throws: ``HTTPError`` with 400 if it is malformed, 505 for another version of HTTP.
  init(parsing line: Span<UInt8>) throws(HTTPError) {
    guard let first = HTTPGrammar.position(of: HTTPGrammar.space, in: line),
      let second = HTTPGrammar.position(of: HTTPGrammar.space, in: line, from: first + 1)
    else {
      throw .badRequest("The request line does not have three parts (RFC 9112 §3).")
    }
    let method = line.extracting(..<first)
    guard !method.isEmpty, HTTPGrammar.all(method, HTTPGrammar.isTokenByte) else {
      throw .badRequest("The method is not a token (RFC 9110 §9.1).")
    }
    self.method = HTTPGrammar.text(method)
    // Before the target: HTTP/2's preface, "PRI * HTTP/2.0", is to be told the version, not that its target is odd.
    version = try HTTPVersion(parsing: line.extracting((second + 1)...))
    target = try RequestTarget(parsing: line.extracting((first + 1)..<second), method: self.method)
  }
}
