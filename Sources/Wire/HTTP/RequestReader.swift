/// Reads the heads of requests, one after the other, as a server (RFC 9112).
///
/// It is strict: what two implementations could read in two ways is refused. After a refusal the connection is answered
/// with the error's status and closed; asking again throws the same error.
public struct RequestReader: Sendable {
  private var parser: HeadParser<RequestHead>

  /// A reader for one connection.
  ///
  /// - Parameter limits: how large a head may be.
  public init(limits: HTTPLimits = .init()) {
    parser = HeadParser(limits: limits)
  }

  /// The next request's head, as soon as its last byte is there.
  ///
  /// Then exactly the head is consumed: its body and what follows stay in the buffer. Until then nothing is consumed,
  /// so a buffer that is not empty at the end of the connection holds a request that was cut off.
  ///
  /// - Parameter buffer: what the peer sent, the same buffer each time. While a head is
  ///   incomplete, nobody else may consume from it.
  /// - Returns: the head, or nil if more bytes are needed.
  /// - Throws: ``HTTPError``: 400 for what is malformed, 413 for a Content-Length beyond `Int`, 414 and 431 for what
  ///   is beyond the limits (at the limit, not at its end), 501 for a Transfer-Encoding other than chunked, 505 for
  ///   another version.
  public mutating func nextHead(from buffer: inout ReceiveBuffer) throws(HTTPError) -> RequestHead? {
    try parser.nextHead(from: &buffer)
  }
}
