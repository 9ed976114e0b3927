public import Wire

/// What a peer said, frames put together.
@usableFromInline
package enum WebSocketEvent: Equatable, Sendable {
  /// A whole text message; its bytes are UTF-8.
  case text(WebSocketPayload)
  /// A whole binary message.
  case binary(WebSocketPayload)
  /// A ping, to be answered by a pong with the same bytes.
  case ping(WebSocketPayload)
  /// A pong.
  case pong(WebSocketPayload)
  /// The peer closes, with the code and the reason it gave. Nothing comes after it.
  case close(CloseCode?, reason: String)

  /// Bytes of the payload, inflated; 0 for a close, which is the last.
  @inlinable
  package var payloadCount: Int {
    switch self {
    case .text(let payload), .binary(let payload), .ping(let payload), .pong(let payload): payload.count
    case .close: 0
    }
  }
}

/// The bytes of a message: where they were received or, if it came in parts or compressed, on their own.
@usableFromInline
package enum WebSocketPayload: Equatable, Sendable {
  /// Positions in the ``ReceiveBuffer``, valid until it makes room again.
  case received(Range<Int>)
  /// The joined parts, or what was inflated.
  case assembled([UInt8])

  /// The number of bytes.
  @inlinable
  package var count: Int {
    switch self {
    case .received(let range): range.count
    case .assembled(let bytes): bytes.count
    }
  }
}

extension ReceiveBuffer {
  /// Lets `body` look at a message's bytes.
  ///
  /// - Parameters:
  ///   - payload: from an event that was read from this buffer last.
  ///   - body: receives the bytes.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  @inlinable
  package func withPayload<Result, Failure: Error>(
    _ payload: WebSocketPayload, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch payload {
    case .received(let range): try withBytes(range, body)
    case .assembled(let bytes): try body(bytes.span)
    }
  }
}

/// A peer broke RFC 6455 or a limit; the connection must be failed with this code (§7.1.7).
package struct WebSocketError: Error, Equatable, Sendable {
  /// What to close with.
  package let code: CloseCode
  /// Why, for the close frame and the log; at most 123 bytes.
  package let reason: String

  init(_ code: CloseCode, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  init(_ reason: String) { self.init(.protocolError, reason) }
}
