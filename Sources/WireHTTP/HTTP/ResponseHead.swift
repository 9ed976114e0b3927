/// A response without its body, as a client sees it.
package struct ResponseHead: Equatable, Sendable {
  /// The status.
  package let status: HTTPStatus
  /// The reason phrase as sent; it may be empty.
  package let reason: String
  /// The minor version of HTTP/1, 0 or 1.
  package let minorVersion: Int
  /// The header fields.
  package let headers: HeaderFields
  /// The size of the body in bytes as announced, nil if it is not.
  package let contentLength: Int?
}

extension ResponseHead: MessageHead {
  // RFC 9112 §2.2 lets only servers skip an empty line.
  static var mayFollowEmptyLine: Bool { false }

  static var startLineTooLong: HTTPError { .badRequest("The status line is too long.") }

  static func parseStartLine(_ line: Span<UInt8>) throws(HTTPError) -> StatusLine {
    try StatusLine(parsing: line)
  }

  init(startLine: StatusLine, headers: HeaderFields) throws(HTTPError) {
    status = startLine.status
    reason = startLine.reason
    minorVersion = startLine.version.minor
    contentLength = try headers.contentLength()
    self.headers = headers
  }
}
