package import RibClient
package import Wire
package import WireHTTP

/// A client's WebSocket on a ``CurlSocket``: libcurl before 7.86 has none of its own, and Debian 12 ships 7.88 without it.
package final class CurlWebSocket {
  /// The connection below.
  package let socket: CurlSocket
  private var buffer = ReceiveBuffer()
  private var frames: FrameReader
  private var writer = FrameWriter.client { UInt32.random(in: .min ... .max) }
  /// What was agreed on about compression; nil for none.
  package let compression: PerMessageDeflate?

  /// Connects and upgrades.
  ///
  /// - Parameters:
  ///   - url: of the server.
  ///   - path: of its socket.
  ///   - query: names the session that the connection resumes or joins; nil for a new session.
  ///   - subprotocols: to offer.
  ///   - offer: what to offer about compression; nil for none.
  ///   - threshold: bytes from which a message is compressed.
  ///   - messageLimit: bytes that a message of the server may have.
  ///   - headers: further fields of the request.
  /// - Throws: ``CurlError`` or, if the server does not upgrade, ``HTTPError``.
  package init(
    url: String, path: String = "/v1/socket", query: SessionQuery? = nil, subprotocols: [String] = [subprotocol],
    compression offer: PerMessageDeflate.Offer? = nil, threshold: Int = FrameWriter.defaultThreshold,
    messageLimit: Int = 16 << 20, headers: HeaderFields = [:]
  ) throws {
    socket = try CurlSocket(url: url)
    let random = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    let key = Base64.encode(random.span)
    let host = url.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).first.map(String.init) ?? ""
    try socket.send(
      WebSocketHandshake.request(
        host: host, path: query?.added(to: path) ?? path, key: key, subprotocols: subprotocols, compression: offer,
        headers: headers))
    let answer = try Self.answer(from: socket, &buffer)
    let (_, compression) = try WebSocketHandshake.check(
      answer, key: key, subprotocols: subprotocols, compression: offer)
    let streams = DeflateStreams()
    let inflater = compression.map { streams.inflater(for: $0.server) }
    frames = FrameReader(role: .client, messageLimit: messageLimit, inflater: inflater)
    self.compression = compression
    if let compression { writer = writer.compressing(streams.deflater(for: compression.client), threshold: threshold) }
  }

  /// Waits for the answer to the request.
  private static func answer(from socket: CurlSocket, _ buffer: inout ReceiveBuffer) throws -> ResponseHead {
    var responses = ResponseReader()
    while true {
      if let head = try responses.nextHead(from: &buffer) { return head }
      guard try socket.receive(into: &buffer) else {
        throw HTTPError(status: .badRequest, reason: "The server closed the connection without an answer.")
      }
    }
  }

  /// Sends a text message.
  ///
  /// - Parameter text: the message, in UTF-8.
  /// - Throws: ``CurlError``.
  package func send(_ text: [UInt8]) throws(CurlError) {
    var frame: [UInt8] = []
    writer.text(text.span, into: &frame)
    try socket.send(frame)
  }

  /// Sends a binary message.
  ///
  /// - Parameter data: the message.
  /// - Throws: ``CurlError``.
  package func send(binary data: [UInt8]) throws(CurlError) {
    var frame: [UInt8] = []
    writer.binary(data.span, into: &frame)
    try socket.send(frame)
  }

  /// Sends a close frame.
  ///
  /// - Parameter code: why.
  /// - Throws: ``CurlError``.
  package func close(_ code: CloseCode = .normal) throws(CurlError) {
    var frame: [UInt8] = []
    writer.close(code, into: &frame)
    try socket.send(frame)
  }

  /// Takes the next thing that the server says, if it has been received or comes in time.
  ///
  /// Pings are answered on the way.
  ///
  /// - Parameter timeout: milliseconds; 0 takes only what is there.
  /// - Returns: what was said.
  /// - Throws: ``CurlError``, with ``CurlError/timedOut`` if nothing came; ``WebSocketError`` if it is no WebSocket's.
  package func receive(timeout: Int = CurlSocket.defaultTimeout) throws -> Incoming {
    while true {
      switch try frames.nextEvent(from: &buffer) {
      case .text(let payload)?, .binary(let payload)?:
        return .message(buffer.withPayload(payload) { bytes in bytes.withUnsafeBufferPointer { Array($0) } })
      case .close(let code, let reason)?:
        return .closed(code, reason)
      case .ping(let payload)?:
        var pong: [UInt8] = []
        buffer.withPayload(payload) { writer.pong($0, into: &pong) }
        try socket.send(pong)
      case .pong?: break
      case nil:
        guard try socket.receive(into: &buffer, timeout: timeout) else { return .closed(nil, "") }
      }
    }
  }

  /// What a server says.
  package enum Incoming: Equatable, Sendable {
    /// A message.
    case message([UInt8])
    /// The end: the close frame's code and reason, or nil if the connection just ended.
    case closed(CloseCode?, String)
  }
}
