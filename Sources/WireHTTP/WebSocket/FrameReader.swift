import Wire

/// Turns the bytes of one direction of a WebSocket into messages (RFC 6455 §5, RFC 7692 §6).
///
/// A frame that is there whole is looked at where it was received and unmasked in place. Of a data frame that arrives in
/// parts each is unmasked, checked and kept as it comes, so that the work is the same however it is cut. Text is refused
/// at the first byte that cannot be UTF-8, a frame at the first byte of its header that shows a fault or a message above
/// the limit.
///
/// A compressed message is kept as it came until its last byte is there, and inflated then: between two messages, and
/// while one arrives, no zlib state is held for it.
///
/// | state           | whole data frame           | part of a data frame | the rest of it | control | close    |
/// |-----------------|----------------------------|----------------------|----------------|---------|----------|
/// | `idle`          | message, or → between      | → in a frame         |                | event   | → closed |
/// | `betweenFrames` | message → idle, or between | → in a frame         |                | event   | → closed |
/// | `inFrame`       |                            | stays                | as if whole    |         |          |
/// | `closed`        | the rest is not looked at                                                           |
package struct FrameReader {
  /// Which end reads.
  package enum Role: Sendable {
    /// Frames of a client: every one is masked.
    case server
    /// Frames of a server: none is masked.
    case client
  }

  private enum State {
    /// Between messages.
    case idle
    /// In a message, between two of its frames.
    case betweenFrames(PartialMessage)
    /// In a frame of which a part has come.
    case inFrame(PartialMessage, PartialFrame)
    /// The peer has sent a close frame, or something that failed the connection.
    case closed
  }

  /// How many frames have begun.
  package private(set) var frameCount = 0
  private let role: Role
  private let messageLimit: Int
  private var inflater: Inflater?
  /// Whether messages may come compressed.
  package var inflates: Bool { inflater != nil }
  /// Whether the last message came compressed.
  package private(set) var wasCompressed = false
  private var state = State.idle

  /// A reader at the beginning of a connection.
  ///
  /// - Parameters:
  ///   - role: which end reads.
  ///   - messageLimit: bytes that a message may have, inflated.
  ///   - inflater: for the peer's direction, if compression was agreed on.
  package init(role: Role, messageLimit: Int, inflater: Inflater? = nil) {
    self.role = role
    self.messageLimit = messageLimit
    self.inflater = inflater
  }

  /// Has messages inflated with the streams of another thread, unless the peer's direction has one of its own.
  ///
  /// - Parameter streams: that thread's.
  package mutating func move(to streams: DeflateStreams) {
    if let inflater { self.inflater = streams.counterpart(of: inflater) }
  }

  /// Takes note of a message that the peer has compressed and somebody else has read: later ones may refer to it.
  ///
  /// - Parameter message: as it was before it was compressed.
  package func noteContext(_ message: Span<UInt8>) { inflater?.noteContext(message) }

  /// Reads the next event.
  ///
  /// - Parameter buffer: what was received; frames are consumed, of a data frame also a part of it.
  /// - Returns: the event; nil if the bytes that are there complete none.
  /// - Throws: ``WebSocketError`` with the code to fail the connection with. Nothing may be read after it.
  package mutating func nextEvent(from buffer: inout ReceiveBuffer) throws(WebSocketError) -> WebSocketEvent? {
    while true {
      switch state {
      case .closed: return nil
      case .inFrame:
        if let event = try continueFrame(from: &buffer) { return event }
        if case .inFrame = state { return nil }
      case .idle, .betweenFrames:
        guard let header = try nextHeader(in: buffer) else { return nil }
        if let event = try begin(header, in: &buffer) { return event }
      }
    }
  }

  // MARK: Frames

  /// The header of the next frame, if it has come whole and, of a control frame, the payload with it.
  private func nextHeader(in buffer: ReceiveBuffer) throws(WebSocketError) -> FrameHeader? {
    var rules = FrameHeader.Rules(
      isMasked: role == .server, allowsCompression: inflater != nil, messageLimit: messageLimit)
    if case .betweenFrames(let message) = state { rules.begun = (message.bytes.count, message.isCompressed) }
    let header = try buffer.withUnread { bytes throws(WebSocketError) in try FrameHeader.parse(bytes, rules) }
    guard let header, !header.opcode.isControl || buffer.count >= header.size + header.length else { return nil }
    return header
  }

  /// Handles a frame whose header has come.
  ///
  /// - Returns: the event that the frame is, if it is one and there whole.
  private mutating func begin(
    _ header: FrameHeader, in buffer: inout ReceiveBuffer
  ) throws(WebSocketError) -> WebSocketEvent? {
    buffer.consume(header.size)
    frameCount += 1
    let message: PartialMessage
    switch state {
    case .idle:
      if buffer.count >= header.length, header.isFinal || header.opcode.isControl {
        return try event(header, in: &buffer)
      }
      message = PartialMessage(isText: header.opcode == .text, isCompressed: header.isCompressed)
    case .betweenFrames(let begun):
      if header.opcode.isControl { return try event(header, in: &buffer) }
      message = begun
    case .inFrame, .closed: return nil
    }
    state = .inFrame(message, PartialFrame(header))
    return nil
  }

  /// The event that a whole frame is by itself.
  private mutating func event(
    _ header: FrameHeader, in buffer: inout ReceiveBuffer
  ) throws(WebSocketError) -> WebSocketEvent {
    let range = buffer.readIndex..<buffer.readIndex + header.length
    if let mask = header.mask { buffer.withMutableBytes(range) { Masking.apply(mask, to: $0) } }
    buffer.consume(header.length)
    switch header.opcode {
    case .ping: return .ping(.received(range))
    case .pong: return .pong(.received(range))
    case .close:
      state = .closed
      return try buffer.withBytes(range) { bytes throws(WebSocketError) in try Self.close(bytes) }
    case .text, .binary, .continuation:
      let isText = header.opcode == .text
      wasCompressed = header.isCompressed
      if header.isCompressed {
        let bytes = try buffer.withBytes(range) { bytes throws(WebSocketError) in try inflate(bytes, isText: isText) }
        return isText ? .text(.assembled(bytes)) : .binary(.assembled(bytes))
      }
      // §8.1: text that is not UTF-8 fails the connection.
      if isText, !buffer.withBytes(range, UTF8Validator.isValid) { throw .notUTF8 }
      return isText ? .text(.received(range)) : .binary(.received(range))
    }
  }

  /// Takes what has come of a frame's payload.
  ///
  /// - Returns: the message, if this was the last of it.
  private mutating func continueFrame(from buffer: inout ReceiveBuffer) throws(WebSocketError) -> WebSocketEvent? {
    guard case .inFrame(var message, var frame) = state else { return nil }
    // If the state held the message as well, adding to it would copy it.
    state = .closed
    let range = buffer.readIndex..<buffer.readIndex + min(buffer.count, frame.missing)
    if let mask = frame.mask { buffer.withMutableBytes(range) { Masking.apply(mask, to: $0) } }
    try buffer.withBytes(range) { part throws(WebSocketError) in try message.append(part, of: frame.missing) }
    buffer.consume(range.count)
    frame.advance(by: range.count)
    guard frame.missing == 0 else {
      state = .inFrame(message, frame)
      return nil
    }
    guard frame.isFinal else {
      state = .betweenFrames(message)
      return nil
    }
    state = .idle
    return try event(message)
  }

  /// The event that a message is whose last byte has come.
  private mutating func event(_ message: PartialMessage) throws(WebSocketError) -> WebSocketEvent {
    var bytes = message.bytes
    wasCompressed = message.isCompressed
    if message.isCompressed {
      bytes = try inflate(bytes.span, isText: message.isText)
    } else if !message.utf8.isComplete {
      throw .notUTF8
    }
    return message.isText ? .text(.assembled(bytes)) : .binary(.assembled(bytes))
  }

  private func inflate(_ bytes: Span<UInt8>, isText: Bool) throws(WebSocketError) -> [UInt8] {
    guard let inflater else { preconditionFailure("RSV1 is refused without an inflater") }
    return try inflater.inflate(bytes, limit: messageLimit, isText: isText)
  }

  private static func close(_ payload: Span<UInt8>) throws(WebSocketError) -> WebSocketEvent {
    if payload.isEmpty { return .close(nil, reason: "") }
    // §5.5.1: a code of two bytes, then text.
    guard payload.count >= 2 else { throw WebSocketError("A close frame of one byte. (RFC 6455 §5.5.1)") }
    let code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
    guard code.maySend else { throw WebSocketError("\(code.rawValue) is no close code. (RFC 6455 §7.4)") }
    let reason = payload.extracting(2...)
    guard UTF8Validator.isValid(reason) else {
      throw WebSocketError(.invalidData, "A close reason is not UTF-8. (RFC 6455 §8.1)")
    }
    return .close(code, reason: String(decoding: Array(copying: reason), as: UTF8.self))
  }
}

/// A message of which a part has come.
private struct PartialMessage {
  let isText: Bool
  let isCompressed: Bool
  /// What has come, unmasked.
  var bytes: [UInt8] = []
  var utf8 = UTF8Validator()

  init(isText: Bool, isCompressed: Bool) {
    self.isText = isText
    self.isCompressed = isCompressed
  }

  /// Keeps a part of a frame.
  ///
  /// - Parameters:
  ///   - part: the bytes.
  ///   - missing: bytes that the frame still has, these among them.
  /// - Throws: ``WebSocketError`` if it makes a text that cannot be UTF-8.
  mutating func append(_ part: Span<UInt8>, of missing: Int) throws(WebSocketError) {
    if isText, !isCompressed, !utf8.accept(part) { throw .notUTF8 }
    bytes.grow(by: part.count, atMost: bytes.count + missing)
    part.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
  }
}

/// The rest of a frame of which a part has come.
private struct PartialFrame {
  let isFinal: Bool
  /// Bytes of the payload that have not come.
  private(set) var missing: Int
  /// The key for them.
  private(set) var mask: UInt32?

  init(_ header: FrameHeader) {
    isFinal = header.isFinal
    missing = header.length
    mask = header.mask
  }

  mutating func advance(by count: Int) {
    missing -= count
    mask = mask.map { Masking.turn($0, by: count) }
  }
}

extension WebSocketError {
  /// RFC 6455 §8.1.
  static let notUTF8 = WebSocketError(.invalidData, "A text message is not UTF-8. (RFC 6455 §8.1)")
}

extension Array where Element == UInt8 {
  /// An array of the span's bytes.
  package init(copying bytes: Span<UInt8>) {
    self = bytes.withUnsafeBufferPointer { Array($0) }
  }

  /// Makes room for more bytes: twice what there was, so that growing is cheap, but no more than there will ever be.
  mutating func grow(by more: Int, atMost limit: Int) {
    let needed = count + more
    guard needed > capacity else { return }
    reserveCapacity(Swift.max(needed, Swift.min(2 * capacity, limit)))
  }
}
