/// A request without its body.
package struct RequestHead: Equatable, Sendable {
  /// The method, whose case matters.
  package let method: String
  /// The request target as sent.
  package let target: String
  /// The target's path, still percent-encoded; `*` for a request about the server as a whole.
  package let path: String
  /// What follows the target's `?`, still encoded; nil without a `?`.
  package let query: String?
  /// The minor version of HTTP/1, 0 or 1.
  package let minorVersion: Int
  /// The header fields; where the target names a host, that one is `Host` (RFC 9112 §3.2.2).
  package let headers: HeaderFields
  /// The size of the body in bytes as announced, nil if it is not: there is no body then, unless it comes in chunks.
  package let contentLength: Int?

  /// Whether the connection may serve another request after this one (RFC 9112 §9.3).
  ///
  /// A client that speaks HTTP/1.0 expects `Connection: keep-alive` in the response, too.
  package var keepsAlive: Bool {
    if headers.contains(token: "close", in: "Connection") { return false }
    return minorVersion > 0 || headers.contains(token: "keep-alive", in: "Connection")
  }

  /// Whether a body follows: a Content-Length other than 0, or any Transfer-Encoding.
  package var hasBody: Bool {
    (contentLength ?? 0) > 0 || headers["Transfer-Encoding"] != nil
  }

  /// Whether the client waits with the body until it is told to go on (RFC 9110 §10.1.1).
  package var expectsContinue: Bool {
    minorVersion > 0 && hasBody && headers.contains(token: "100-continue", in: "Expect")
  }
}

extension RequestHead: MessageHead {
  static var mayFollowEmptyLine: Bool { true }

  static var startLineTooLong: HTTPError {
    HTTPError(status: .uriTooLong, reason: "The request line is too long.")
  }

  static func parseStartLine(_ line: Span<UInt8>) throws(HTTPError) -> RequestLine {
    try RequestLine(parsing: line)
  }

  init(startLine: RequestLine, headers: HeaderFields) throws(HTTPError) {
    try Self.checkHost(in: headers, minorVersion: startLine.version.minor)
    contentLength = try headers.contentLength()
    try headers.checkTransferEncoding(minorVersion: startLine.version.minor)
    try headers.checkExpectations()
    var headers = headers
    if let authority = startLine.target.authority { headers.replace(name: "Host", value: authority) }
    method = startLine.method
    target = startLine.target.text
    path = startLine.target.path
    query = startLine.target.query
    minorVersion = startLine.version.minor
    self.headers = headers
  }

  /// Makes sure that Host is given once, and is a host.
  ///
  /// - Parameters:
  ///   - headers: the request's fields.
  ///   - minorVersion: of its HTTP/1; HTTP/1.0 may do without.
  /// - Throws: ``HTTPError`` with 400 (RFC 9112 §3.2).
  private static func checkHost(in headers: HeaderFields, minorVersion: Int) throws(HTTPError) {
    let hosts = headers.values(for: "Host")
    guard hosts.count == 1 || (hosts.isEmpty && minorVersion == 0) else {
      throw .badRequest("Host must be given exactly once (RFC 9112 §3.2).")
    }
    guard hosts.allSatisfy(HTTPGrammar.isHost) else {
      throw .badRequest("Host is not a host with an optional port (RFC 9112 §3.2).")
    }
  }
}
