/// Reads the heads of responses, one after the other, as a client (RFC 9112).
///
/// It is as strict as ``RequestReader`` and shares its limits. An interim response (1xx) is a head like any other.
package struct ResponseReader: Sendable {
  private var parser: HeadParser<ResponseHead>

  /// A reader for one connection.
  ///
  /// - Parameter limits: how large a head may be; the status line has the request line's limit.
  package init(limits: HTTPLimits = .init()) {
    parser = HeadParser(limits: limits)
  }

  /// The next response's head, as soon as its last byte is there.
  ///
  /// Then exactly the head is consumed: what follows, a body or WebSocket frames, stays in the buffer. Until then
  /// nothing is consumed.
  ///
  /// - Parameter buffer: what the server sent, the same buffer each time. While a head is
  ///   incomplete, nobody else may consume from it.
  /// - Returns: the head, or nil if more bytes are needed.
  /// - Throws: ``HTTPError`` if it is malformed or beyond the limits; close the connection. Its status says which, and
  ///   there is nobody to send it to.
  package mutating func nextHead(from buffer: inout ReceiveBuffer) throws(HTTPError) -> ResponseHead? {
    try parser.nextHead(from: &buffer)
  }
}
