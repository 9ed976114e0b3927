/// Writes frames (RFC 6455 §5.2), each a whole message.
public struct FrameWriter: Sendable {
  private let maskingKeys: (@Sendable () -> UInt32)?

  /// A server's writer: its frames are not masked.
  public static let server = FrameWriter(maskingKeys: nil)

  /// A client's writer.
  ///
  /// - Parameter maskingKeys: gives an unpredictable key for each frame (§5.3).
  /// - Returns: a writer that masks its frames.
  public static func client(maskingKeys: @escaping @Sendable () -> UInt32) -> FrameWriter {
    FrameWriter(maskingKeys: maskingKeys)
  }

  /// Writes a text message.
  ///
  /// - Parameters:
  ///   - text: the message, in UTF-8.
  ///   - bytes: where to.
  public func text(_ text: Span<UInt8>, into bytes: inout [UInt8]) { frame(.text, text, into: &bytes) }

  /// Writes a binary message.
  ///
  /// - Parameters:
  ///   - data: the message.
  ///   - bytes: where to.
  public func binary(_ data: Span<UInt8>, into bytes: inout [UInt8]) { frame(.binary, data, into: &bytes) }

  /// Writes a ping.
  ///
  /// - Parameters:
  ///   - data: at most 125 bytes that the pong repeats.
  ///   - bytes: where to.
  public func ping(_ data: Span<UInt8>, into bytes: inout [UInt8]) { control(.ping, data, into: &bytes) }

  /// Writes the answer to a ping.
  ///
  /// - Parameters:
  ///   - data: the ping's bytes.
  ///   - bytes: where to.
  public func pong(_ data: Span<UInt8>, into bytes: inout [UInt8]) { control(.pong, data, into: &bytes) }

  /// Writes a close frame.
  ///
  /// - Parameters:
  ///   - code: why; nil says nothing.
  ///   - reason: for the peer's log; cut to the 123 bytes that a frame holds, between two characters.
  ///   - bytes: where to.
  public func close(_ code: CloseCode?, reason: String = "", into bytes: inout [UInt8]) {
    guard let code else { return control(.close, [UInt8]().span, into: &bytes) }
    var payload = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]
    for character in reason {
      guard payload.count + character.utf8.count <= 125 else { break }
      payload.append(contentsOf: character.utf8)
    }
    control(.close, payload.span, into: &bytes)
  }

  private func control(_ opcode: FrameHeader.Opcode, _ data: Span<UInt8>, into bytes: inout [UInt8]) {
    precondition(data.count <= 125, "a control frame holds 125 bytes (RFC 6455 §5.5)")
    frame(opcode, data, into: &bytes)
  }

  private func frame(_ opcode: FrameHeader.Opcode, _ data: Span<UInt8>, into bytes: inout [UInt8]) {
    let maskBit: UInt8 = maskingKeys == nil ? 0 : 0x80
    bytes.append(0x80 | opcode.rawValue)
    switch data.count {
    case ...125:
      bytes.append(maskBit | UInt8(data.count))
    case ...65_535:
      bytes.append(maskBit | 126)
      bytes.append(UInt8(data.count >> 8))
      bytes.append(UInt8(data.count & 0xFF))
    default:
      bytes.append(maskBit | 127)
      for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(data.count >> shift & 0xFF)) }
    }
    let mask = maskingKeys?()
    if let mask {
      for shift: UInt32 in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: mask >> shift)) }
    }
    let start = bytes.count
    data.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    if let mask {
      bytes.withUnsafeMutableBytes { Masking.apply(mask, to: UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
    }
  }
}

/// The exclusive-or of a payload with its key (RFC 6455 §5.3), its own inverse.
enum Masking {
  /// Masks or unmasks in place, eight bytes at a time.
  ///
  /// - Parameters:
  ///   - key: the four bytes of the key, the first one lowest.
  ///   - bytes: the payload from its start.
  static func apply(_ key: UInt32, to bytes: UnsafeMutableRawBufferPointer) {
    let wide = UInt64(key) << 32 | UInt64(key)
    let words = bytes.count & ~7
    var offset = 0
    while offset < words {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      bytes.storeBytes(of: (word ^ wide).littleEndian, toByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    while offset < bytes.count {
      bytes[offset] ^= UInt8(truncatingIfNeeded: key >> UInt32(8 * (offset & 3)))
      offset += 1
    }
  }
}
