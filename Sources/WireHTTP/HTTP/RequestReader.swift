/// Reads requests, one after the other, as a server (RFC 9112): the head of each, and then its body.
///
/// It is strict: what two implementations could read in two ways is refused. After a refusal the connection is answered
/// with the error's status and closed; asking again throws the same error.
package struct RequestReader: Sendable {
  private let limits: HTTPLimits
  private let keepsBody: @Sendable (RequestHead) -> Bool
  private var parser: HeadParser<RequestHead>
  /// Of the request whose head was read last; nil once its body was.
  private var body: BodyReader?
  /// Whether the request that is being read, or was refused, is a HEAD: its answer has no content (RFC 9110 §9.3.2).
  package private(set) var isHead = false
  /// What was wrong: nothing is read behind it.
  private var refusal: HTTPError?

  /// A reader for one connection.
  ///
  /// - Parameters:
  ///   - limits: how large a request may be.
  ///   - keepsBody: whether a request's body is wanted; if not, it is passed over, and costs no memory.
  package init(
    limits: HTTPLimits = .init(), keepsBody: @escaping @Sendable (RequestHead) -> Bool = { _ in true }
  ) {
    self.limits = limits
    self.keepsBody = keepsBody
    parser = HeadParser(limits: limits)
  }

  /// The next request's head, as soon as its last byte is there.
  ///
  /// Then exactly the head is consumed: its body is read with ``nextBody(from:)``, and only then the next head. Until then
  /// nothing but an empty line before it is consumed: a buffer that is not empty at the end of the connection holds a head
  /// that was cut off.
  ///
  /// - Parameter buffer: what the peer sent, the same buffer each time. While a head is
  ///   incomplete, nobody else may consume from it.
  /// - Returns: the head, or nil if more bytes are needed.
  /// - Throws: ``HTTPError``: 400 for what is malformed, 413 for a body that is announced beyond the limit, 414 and 431
  ///   for what is beyond the limits (at the limit, not at its end), 417 for an expectation other than 100-continue, 501
  ///   for a Transfer-Encoding besides chunked and for CONNECT, 505 for another version.
  package mutating func nextHead(from buffer: inout ReceiveBuffer) throws(HTTPError) -> RequestHead? {
    try refusing { (reader) throws(HTTPError) in
      reader.isHead = buffer.withUnread { HeadParser<RequestHead>.begins($0, with: "HEAD ") }
      guard let head = try reader.parser.nextHead(from: &buffer) else { return nil }
      reader.body = try BodyReader(head, limits: reader.limits, keepsBody: reader.keepsBody(head))
      return head
    }
  }

  /// The body of the request whose head was read last, as soon as its last byte is there.
  ///
  /// - Parameter buffer: what the peer sent; what there is of the body is consumed.
  /// - Returns: the body, empty if the request has none or bodies are not wanted; nil while bytes of it are missing.
  /// - Throws: ``HTTPError``: 400 for what is malformed, 413 beyond the limit, 431 for too many trailer fields.
  package mutating func nextBody(from buffer: inout ReceiveBuffer) throws(HTTPError) -> [UInt8]? {
    guard body != nil else { return [] }
    let bytes = try refusing { (reader) throws(HTTPError) in try reader.body?.read(from: &buffer) }
    if bytes != nil { body = nil }
    return bytes
  }

  private mutating func refusing<Result>(
    _ read: (inout RequestReader) throws(HTTPError) -> Result?
  ) throws(HTTPError) -> Result? {
    if let refusal { throw refusal }
    do throws(HTTPError) {
      return try read(&self)
    } catch {
      refusal = error
      throw error
    }
  }
}
