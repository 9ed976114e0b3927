/// Turns the bytes of one direction of a WebSocket into messages (RFC 6455 §5).
///
/// A frame is looked at where it was received and unmasked in place; only the fragments of a message are copied, to join
/// them. A frame that would make its message longer than the limit is refused when its header arrives, before any of it
/// is kept.
///
/// | state        | final data frame | first fragment | continuation            | control | close    |
/// |--------------|------------------|----------------|-------------------------|---------|----------|
/// | `idle`       | message          | → `fragmented` | error                   | event   | → closed |
/// | `fragmented` | error            | error          | kept, or message → idle | event   | → closed |
/// | `closed`     | the rest is not looked at                                                             |
public struct FrameReader: Sendable {
  /// Which end reads.
  public enum Role: Sendable {
    /// Frames of a client: every one is masked.
    case server
    /// Frames of a server: none is masked.
    case client
  }

  private enum State {
    /// Between messages.
    case idle
    /// In a message of which these bytes have come.
    case fragmented(FrameHeader.Opcode, [UInt8])
    /// The peer has sent a close frame.
    case closed
  }

  private let role: Role
  private let messageLimit: Int
  private var state = State.idle

  /// A reader at the beginning of a connection.
  ///
  /// - Parameters:
  ///   - role: which end reads.
  ///   - messageLimit: bytes that a message may have.
  public init(role: Role, messageLimit: Int) {
    self.role = role
    self.messageLimit = messageLimit
  }

  /// Reads the next event.
  ///
  /// - Parameter buffer: what was received; a whole frame is consumed.
  /// - Returns: the event; nil if the bytes that are there complete none.
  /// - Throws: ``WebSocketError`` with the code to fail the connection with. Nothing may be read after it.
  public mutating func nextEvent(from buffer: inout ReceiveBuffer) throws(WebSocketError) -> WebSocketEvent? {
    while true {
      if case .closed = state { return nil }
      guard let header = try nextHeader(in: buffer) else { return nil }
      let start = buffer.readIndex + header.size
      let range = start..<start + header.length
      if let mask = header.mask { buffer.withMutableBytes(range) { Masking.apply(mask, to: $0) } }
      buffer.consume(header.size + header.length)
      if let event = try event(header, range, buffer) { return event }
    }
  }

  /// The header of a frame that is there whole, or nil.
  private func nextHeader(in buffer: ReceiveBuffer) throws(WebSocketError) -> FrameHeader? {
    let isMasked = role == .server
    let header = try buffer.withUnread { bytes throws(WebSocketError) in
      try FrameHeader.parse(bytes, isMasked: isMasked)
    }
    guard let header else { return nil }
    try check(header)
    let (needed, overflow) = header.size.addingReportingOverflow(header.length)
    return !overflow && buffer.count >= needed ? header : nil
  }

  private func check(_ header: FrameHeader) throws(WebSocketError) {
    if header.opcode.isControl { return }
    switch (state, header.opcode) {
    case (.idle, .continuation):
      throw WebSocketError("A continuation without a message to continue. (RFC 6455 §5.4)")
    case (.fragmented, .text), (.fragmented, .binary):
      throw WebSocketError("A new message before the last one ended. (RFC 6455 §5.4)")
    default: break
    }
    var before = 0
    if case .fragmented(_, let bytes) = state { before = bytes.count }
    guard header.length <= messageLimit - before else {
      throw WebSocketError(.messageTooBig, "A message may have \(messageLimit) bytes.")
    }
  }

  private mutating func event(
    _ header: FrameHeader, _ range: Range<Int>, _ buffer: ReceiveBuffer
  ) throws(WebSocketError) -> WebSocketEvent? {
    switch header.opcode {
    case .ping: return .ping(.received(range))
    case .pong: return .pong(.received(range))
    case .close: return try close(range, buffer)
    case .text, .binary:
      if header.isFinal { return try message(header.opcode, .received(range), buffer) }
      state = .fragmented(header.opcode, buffer.withBytes(range) { Array(copying: $0) })
      return nil
    case .continuation:
      guard case .fragmented(let opcode, var bytes) = state else { return nil }
      state = .idle
      buffer.withBytes(range) { fragment in fragment.withUnsafeBufferPointer { bytes.append(contentsOf: $0) } }
      if header.isFinal { return try message(opcode, .assembled(bytes), buffer) }
      state = .fragmented(opcode, bytes)
      return nil
    }
  }

  private func message(
    _ opcode: FrameHeader.Opcode, _ payload: WebSocketPayload, _ buffer: ReceiveBuffer
  ) throws(WebSocketError) -> WebSocketEvent {
    guard opcode == .text else { return .binary(payload) }
    // §8.1: text that is not UTF-8 fails the connection.
    guard buffer.withPayload(payload, { isUTF8($0) }) else {
      throw WebSocketError(.invalidData, "A text message is not UTF-8. (RFC 6455 §8.1)")
    }
    return .text(payload)
  }

  private mutating func close(_ range: Range<Int>, _ buffer: ReceiveBuffer) throws(WebSocketError) -> WebSocketEvent {
    state = .closed
    if range.isEmpty { return .close(nil, reason: "") }
    // §5.5.1: a code of two bytes, then text.
    guard range.count >= 2 else { throw WebSocketError("A close frame of one byte. (RFC 6455 §5.5.1)") }
    return try buffer.withBytes(range) { bytes throws(WebSocketError) in
      let code = CloseCode(rawValue: UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
      guard code.maySend else { throw WebSocketError("\(code.rawValue) is no close code. (RFC 6455 §7.4)") }
      let reason = bytes.extracting(2...)
      guard isUTF8(reason) else { throw WebSocketError(.invalidData, "A close reason is not UTF-8. (RFC 6455 §8.1)") }
      return .close(code, reason: String(decoding: Array(copying: reason), as: UTF8.self))
    }
  }
}

/// Whether bytes are UTF-8.
private func isUTF8(_ bytes: Span<UInt8>) -> Bool { (try? UTF8Span(validating: bytes)) != nil }

extension Array where Element == UInt8 {
  /// An array of the span's bytes.
  init(copying bytes: Span<UInt8>) {
    self = bytes.withUnsafeBufferPointer { Array($0) }
  }
}
