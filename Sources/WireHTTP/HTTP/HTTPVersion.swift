/// The version of HTTP/1 that a start line names.
struct HTTPVersion: Equatable, Sendable {
  /// 0 or 1.
  let minor: Int

  /// Reads `HTTP-version` (RFC 9112 §2.3), whose case matters.
  ///
  /// - Parameter bytes: what stands in its place.
  /// - Throws: ``HTTPError`` with 400 if it is no version, 505 if it is neither 1.0 nor 1.1.
  init(parsing bytes: Span<UInt8>) throws(HTTPError) {
    let text = HTTPGrammar.text(bytes)
    switch text {
    case "HTTP/1.1": minor = 1
    case "HTTP/1.0": minor = 0
    default:
      let shape = text.utf8.map { HTTPGrammar.isDigit($0) ? UInt8(ascii: "0") : $0 }
      guard shape.elementsEqual("HTTP/0.0".utf8) else {
        throw .badRequest("The HTTP version is malformed (RFC 9112 §2.3).")
      }
      throw HTTPError(status: .httpVersionNotSupported, reason: "Only HTTP/1.1 and HTTP/1.0 are spoken here.")
    }
  }
}
