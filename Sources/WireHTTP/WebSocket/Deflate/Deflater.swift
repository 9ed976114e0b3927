import CZlib

/// Compresses the messages that one end of a WebSocket sends (RFC 7692 §7.2.1), with a stream of zlib.
///
/// A deflater with context takeover belongs to one connection, as a message may refer back to earlier ones. A deflater
/// without context takeover resets its stream before each message, so that all connections of a thread can share the
/// deflater. zlib allocates its memory with the first message: 160 KB for a window of 15 bits, 32 KB for one of 12.
package final class Deflater {
  /// Whether a message may refer to earlier ones: context takeover (RFC 7692 §7.1.1).
  let keepsContext: Bool
  /// The size of the window, the most bytes that a message can refer back to, as a power of two: 9 to 15.
  let windowBits: Int32
  /// The stream of zlib, at an address of its own: zlib's internal state has a pointer to the stream.
  private let stream: UnsafeMutablePointer<z_stream>
  /// Whether the stream has its memory: false before the first message.
  private var isReady = false
  /// The buffer for compressed messages.
  private var output: [UInt8] = []

  /// zlib's compression level.
  ///
  /// On patches and snapshots, higher levels take twice as long and save a tenth more bytes.
  private static let level: Int32 = 3
  /// The greatest size, in bytes, at which the buffer is kept for the next message.
  private static let largestKept = 1 << 20
  /// The number of bytes of the empty block that ends a flush, which the sender removes (RFC 7692 §7.2.1).
  private static let tailCount = 4

  /// A deflater before its first message.
  ///
  /// - Parameter direction: the compression that the two ends have negotiated for this end's messages. The window has
  ///   at least 9 bits, as zlib supports no smaller one.
  init(_ direction: PerMessageDeflate.Direction) {
    precondition((9...15).contains(direction.windowBits), "zlib deflates with windows of 9 to 15 bits")
    keepsContext = direction.keepsContext
    windowBits = Int32(direction.windowBits)
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
  }

  deinit {
    if isReady { deflateEnd(stream) }
    stream.deallocate()
  }

  /// Compresses a message.
  ///
  /// - Parameters:
  ///   - message: the message.
  ///   - body: receives the compressed payload, which is valid during the call.
  func withDeflated(_ message: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
    prepare()
    // RFC 7692 §7.2.3.6: an empty message is an empty block. zlib writes nothing for a second flush without input.
    if message.isEmpty { return body([0x00].span) }
    if output.count < message.count / 2 + 64 { output.appendZeros(message.count / 2 + 64 - output.count) }
    let count = message.withUnsafeBufferPointer { deflate($0) } - Self.tailCount
    body(output.span.extracting(..<count))
    // A deflater with context takeover is one of many, one for each connection: it keeps no buffer between messages.
    if keepsContext || output.count > Self.largestKept { output = [] }
  }

  /// Resets the stream, so that the next message refers to no earlier one: not all of the earlier ones were sent.
  func forgetContext() { if isReady { deflateReset(stream) } }

  /// Prepares the stream for a message: allocates its memory for the first one, and resets a stream without context.
  private func prepare() {
    if isReady {
      if !keepsContext { deflateReset(stream) }
      return
    }
    // A negative window size means raw deflate data, without zlib's header. The memory level, which decides the size of
    // the hash table, is low: clearing a larger table takes longer than the table saves.
    let status = deflateInit2_(
      stream, Self.level, Z_DEFLATED, -windowBits, min(6, windowBits - 7), Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    precondition(status == Z_OK, "zlib has no memory for a stream, or is another version: \(status)")
    isReady = true
  }

  /// Compresses a message into the output buffer, which grows as needed.
  ///
  /// - Returns: the number of compressed bytes, including the empty block at the end.
  private func deflate(_ message: UnsafeBufferPointer<UInt8>) -> Int {
    var read = 0
    var written = 0
    repeat {
      // zlib wants more than six bytes of room for a flush: with fewer it would write the empty block once more with
      // each further call.
      if output.count - written < 64 { output.appendZeros(output.count) }
      let given = uInt(clamping: message.count - read)
      let offered = uInt(clamping: output.count - written)
      stream.pointee.next_in = UnsafeMutablePointer(mutating: message.baseAddress.map { $0 + read })
      stream.pointee.avail_in = given
      output.withUnsafeMutableBufferPointer { room in
        stream.pointee.next_out = room.baseAddress.map { $0 + written }
        stream.pointee.avail_out = offered
        _ = CZlib.deflate(stream, Int(given) == message.count - read ? Z_SYNC_FLUSH : Z_NO_FLUSH)
      }
      read += Int(given - stream.pointee.avail_in)
      written += Int(offered - stream.pointee.avail_out)
    } while read < message.count || stream.pointee.avail_out == 0
    return written
  }
}
