package import Wire

/// Writes frames (RFC 6455 §5.2), each a whole message.
package struct FrameWriter {
  /// Bytes from which a message is worth compressing.
  ///
  /// Measured with zlib 1.2.13 on JSON Patch: a hundred bytes shrink by an eighth and cost 4 µs, as much as all else that
  /// is done for an action; from 240 on it is two fifths and more.
  package static let defaultThreshold = 256

  private let maskingKeys: (@Sendable () -> UInt32)?
  private var deflater: Deflater?
  private var threshold = FrameWriter.defaultThreshold

  private init(maskingKeys: (@Sendable () -> UInt32)?) { self.maskingKeys = maskingKeys }

  /// A server's writer: its frames are not masked.
  package static var server: FrameWriter { FrameWriter(maskingKeys: nil) }

  /// A client's writer.
  ///
  /// - Parameter maskingKeys: gives an unpredictable key for each frame (§5.3).
  /// - Returns: a writer that masks its frames.
  package static func client(maskingKeys: @escaping @Sendable () -> UInt32) -> FrameWriter {
    FrameWriter(maskingKeys: maskingKeys)
  }

  /// The same writer for a connection on which compression was agreed on (RFC 7692 §6).
  ///
  /// - Parameters:
  ///   - deflater: for this end's direction; nil if it compresses nothing.
  ///   - threshold: bytes from which a message is compressed.
  /// - Returns: a writer that compresses messages, unless one gets no shorter by it.
  package func compressing(_ deflater: Deflater?, threshold: Int = FrameWriter.defaultThreshold) -> FrameWriter {
    var writer = self
    writer.deflater = deflater
    writer.threshold = threshold
    return writer
  }

  /// Takes note that messages that were written may not be sent: the next ones do not refer to them.
  package func forgetContext() { deflater?.forgetContext() }

  /// Has messages deflated with the streams of another thread, unless this direction has one of its own.
  ///
  /// - Parameter streams: that thread's.
  package mutating func move(to streams: DeflateStreams) {
    if let deflater { self.deflater = streams.counterpart(of: deflater) }
  }

  /// Writes a text message.
  ///
  /// - Parameters:
  ///   - text: the message, in UTF-8.
  ///   - bytes: where to.
  package func text(_ text: Span<UInt8>, into bytes: inout [UInt8]) { message(.text, text, into: &bytes) }

  /// Writes a binary message.
  ///
  /// - Parameters:
  ///   - data: the message.
  ///   - bytes: where to.
  package func binary(_ data: Span<UInt8>, into bytes: inout [UInt8]) { message(.binary, data, into: &bytes) }

  /// Writes a ping.
  ///
  /// - Parameters:
  ///   - data: at most 125 bytes that the pong repeats.
  ///   - bytes: where to.
  package func ping(_ data: Span<UInt8>, into bytes: inout [UInt8]) { control(.ping, data, into: &bytes) }

  /// Writes the answer to a ping.
  ///
  /// - Parameters:
  ///   - data: the ping's bytes.
  ///   - bytes: where to.
  package func pong(_ data: Span<UInt8>, into bytes: inout [UInt8]) { control(.pong, data, into: &bytes) }

  /// Writes a close frame.
  ///
  /// - Parameters:
  ///   - code: why; nil says nothing.
  ///   - reason: for the peer's log; cut to the 123 bytes that a frame holds, between two characters.
  ///   - bytes: where to.
  package func close(_ code: CloseCode?, reason: String = "", into bytes: inout [UInt8]) {
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

  private func message(_ opcode: FrameHeader.Opcode, _ data: Span<UInt8>, into bytes: inout [UInt8]) {
    guard let deflater, data.count >= threshold else { return frame(opcode, data, into: &bytes) }
    deflater.withDeflated(data) { deflated in
      // A message that later ones may refer to has to be sent as it was deflated.
      if deflated.count < data.count || deflater.keepsContext {
        frame(opcode, isCompressed: true, deflated, into: &bytes)
      } else {
        frame(opcode, data, into: &bytes)
      }
    }
  }

  private func frame(
    _ opcode: FrameHeader.Opcode, isCompressed: Bool = false, _ data: Span<UInt8>, into bytes: inout [UInt8]
  ) {
    let maskBit: UInt8 = maskingKeys == nil ? 0 : 0x80
    bytes.append(0x80 | (isCompressed ? 0x40 : 0) | opcode.rawValue)
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
