import Wire

/// The first bytes of a frame (RFC 6455 §5.2).
///
///      0               1               2..9            the last 4
///     |F|RSV|opcode   |M| length 7    | 16 or 64 bits | masking key  |
struct FrameHeader {
  enum Opcode: UInt8 {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    var isControl: Bool { rawValue >= 0x8 }
  }

  /// What a frame may be after those before it.
  struct Rules {
    /// Whether frames are masked: a client's are, a server's are not.
    var isMasked: Bool
    /// Whether a message may be compressed.
    var allowsCompression = false
    /// Bytes that a message may have.
    var messageLimit: Int
    /// The message that the next data frame continues: its bytes so far, and whether they are compressed.
    var begun: (count: Int, isCompressed: Bool)?

    /// Bytes that the next data frame may have.
    ///
    /// Compression makes what it cannot compress longer: bytes of nine bits by an eighth, and each block by a header.
    func room(isCompressed: Bool) -> Int {
      guard begun?.isCompressed ?? isCompressed else { return messageLimit - (begun?.count ?? 0) }
      let (limit, isTooLong) = messageLimit.addingReportingOverflow(messageLimit / 8 + 1024)
      return (isTooLong ? .max : limit) - (begun?.count ?? 0)
    }
  }

  let isFinal: Bool
  /// Whether RSV1 is set, which says that the message is compressed (RFC 7692 §6).
  let isCompressed: Bool
  let opcode: Opcode
  /// Bytes of the payload.
  let length: Int
  /// The four bytes of the key in the order in which they came, the first one lowest; nil if frames are not masked.
  let mask: UInt32?
  /// Bytes of the header itself.
  let size: Int

  /// Reads a header.
  ///
  /// - Parameters:
  ///   - bytes: what has come from the frame's start on.
  ///   - rules: what the frame may be.
  /// - Returns: nil if the header has not arrived whole.
  /// - Throws: ``WebSocketError`` as soon as the bytes that did arrive show a fault, or a message that is too long.
  static func parse(_ bytes: Span<UInt8>, _ rules: Rules) throws(WebSocketError) -> FrameHeader? {
    guard bytes.count >= 1 else { return nil }
    let first = bytes[0]
    let opcode = try opcode(first, rules)
    guard bytes.count >= 2 else { return nil }
    let second = bytes[1]
    // §5.1: a client masks every frame, a server none.
    guard (second & 0x80 != 0) == rules.isMasked else {
      throw WebSocketError(
        rules.isMasked ? "A frame is not masked. (RFC 6455 §5.1)" : "A frame is masked. (RFC 6455 §5.1)")
    }
    let short = Int(second & 0x7F)
    if opcode.isControl, short > 125 { throw WebSocketError("A control frame is too long. (RFC 6455 §5.5)") }
    let lengthSize = short > 125 ? (short == 126 ? 2 : 8) : 0
    let length = lengthSize == 0 ? short : try length(bytes, size: lengthSize)
    let isCompressed = first & 0x40 != 0
    guard opcode.isControl || length <= rules.room(isCompressed: isCompressed) else {
      throw WebSocketError(.messageTooBig, "A message has at most \(rules.messageLimit) bytes.")
    }
    let size = 2 + lengthSize + (rules.isMasked ? 4 : 0)
    guard bytes.count >= size else { return nil }
    return FrameHeader(
      isFinal: first & 0x80 != 0, isCompressed: isCompressed, opcode: opcode, length: length,
      mask: rules.isMasked ? key(bytes, at: size - 4) : nil, size: size)
  }

  /// What the first byte says.
  private static func opcode(_ first: UInt8, _ rules: Rules) throws(WebSocketError) -> Opcode {
    // §5.2: these two bits belong to extensions, and none that uses them was negotiated.
    guard first & 0x30 == 0 else { throw WebSocketError("A reserved bit is set. (RFC 6455 §5.2)") }
    guard let opcode = Opcode(rawValue: first & 0x0F) else {
      throw WebSocketError("Unknown opcode \(first & 0x0F). (RFC 6455 §5.2)")
    }
    if first & 0x40 != 0 {
      guard rules.allowsCompression else { throw WebSocketError("A reserved bit is set. (RFC 6455 §5.2)") }
      // RFC 7692 §6.1: the first frame says it for the whole message; control frames are never compressed.
      guard !opcode.isControl, opcode != .continuation else {
        throw WebSocketError("RSV1 is set on a frame that begins no message. (RFC 7692 §6.1)")
      }
    }
    if opcode.isControl {
      guard first & 0x80 != 0 else { throw WebSocketError("A control frame is fragmented. (RFC 6455 §5.5)") }
    } else if (opcode == .continuation) != (rules.begun != nil) {
      throw WebSocketError(
        rules.begun == nil
          ? "A continuation without a message to continue. (RFC 6455 §5.4)"
          : "A new message before the last one ended. (RFC 6455 §5.4)")
    }
    return opcode
  }

  /// The length that is written in so many bytes or, as long as some are missing, the least that it can be.
  private static func length(_ bytes: Span<UInt8>, size: Int) throws(WebSocketError) -> Int {
    var length: UInt64 = 0
    for index in 2..<2 + size { length = length << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0) }
    // §5.2: the shortest form, and the highest bit of 64 is 0. That eight bytes are too many is known after six.
    let isKnown = bytes.count >= (size == 2 ? 4 : 8)
    guard !isKnown || length > (size == 2 ? 125 : 65_535), let length = Int(exactly: length) else {
      throw WebSocketError("A malformed payload length. (RFC 6455 §5.2)")
    }
    return length
  }

  private static func key(_ bytes: Span<UInt8>, at start: Int) -> UInt32 {
    UInt32(bytes[start]) | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2]) << 16
      | UInt32(bytes[start + 3]) << 24
  }
}
