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

  let isFinal: Bool
  let opcode: Opcode
  /// Bytes of the payload.
  let length: Int
  /// The four bytes of the key in the order in which they came, the first one lowest; nil if there is none, or not yet.
  let mask: UInt32?
  /// Bytes of the header itself.
  let size: Int

  /// Reads a header.
  ///
  /// - Returns: nil if the length has not arrived whole. The key may be missing still: a message that is too long can be
  ///   refused without it.
  /// - Throws: ``WebSocketError`` as soon as the bytes that did arrive show a fault.
  static func parse(_ bytes: Span<UInt8>, isMasked: Bool) throws(WebSocketError) -> FrameHeader? {
    guard bytes.count >= 2 else { return nil }
    let first = bytes[0]
    let second = bytes[1]
    // §5.2: RSV bits belong to extensions, and none was negotiated.
    guard first & 0x70 == 0 else { throw WebSocketError("A reserved bit is set. (RFC 6455 §5.2)") }
    guard let opcode = Opcode(rawValue: first & 0x0F) else {
      throw WebSocketError("Unknown opcode \(first & 0x0F). (RFC 6455 §5.2)")
    }
    // §5.1: a client masks every frame, a server none.
    guard (second & 0x80 != 0) == isMasked else {
      throw WebSocketError(isMasked ? "A frame is not masked. (RFC 6455 §5.1)" : "A frame is masked. (RFC 6455 §5.1)")
    }
    let isFinal = first & 0x80 != 0
    if opcode.isControl {
      guard isFinal else { throw WebSocketError("A control frame is fragmented. (RFC 6455 §5.5)") }
      guard second & 0x7F <= 125 else { throw WebSocketError("A control frame is too long. (RFC 6455 §5.5)") }
    }
    guard let (length, lengthSize) = try length(bytes, short: Int(second & 0x7F)) else { return nil }
    let size = 2 + lengthSize + (isMasked ? 4 : 0)
    var mask: UInt32?
    if isMasked, bytes.count >= size {
      mask = (0..<4).reduce(0) { $0 | UInt32(bytes[size - 4 + $1]) << UInt32(8 * $1) }
    }
    return FrameHeader(isFinal: isFinal, opcode: opcode, length: length, mask: mask, size: size)
  }

  /// The payload's length and the number of extra bytes that say it.
  private static func length(_ bytes: Span<UInt8>, short: Int) throws(WebSocketError) -> (Int, size: Int)? {
    guard short > 125 else { return (short, 0) }
    let size = short == 126 ? 2 : 8
    guard bytes.count >= 2 + size else { return nil }
    let length = (2..<2 + size).reduce(UInt64(0)) { $0 << 8 | UInt64(bytes[$1]) }
    // §5.2: the shortest form, and the highest bit of 64 is 0.
    guard length > (short == 126 ? 125 : 65_535), let length = Int(exactly: length) else {
      throw WebSocketError("A malformed payload length. (RFC 6455 §5.2)")
    }
    return (length, size)
  }
}
