import CZlib

/// Deflates the messages of one direction (RFC 7692 §7.2.1), with a stream of zlib.
///
/// One that keeps no context begins each message anew, so that all connections of a thread can share it. zlib's memory is
/// taken with the first message: 160 KB for the largest window, 32 for one of 12 bits.
package final class Deflater {
  /// Whether messages may refer to earlier ones.
  let keepsContext: Bool
  /// The binary logarithm of how far back they refer, in bytes.
  let windowBits: Int32
  /// On its own, as zlib's state points back to it.
  private let stream: UnsafeMutablePointer<z_stream>
  private var isReady = false
  /// Room for a deflated message.
  private var output: [UInt8] = []

  /// Measured on JSON Patch and on snapshots: higher levels take twice as long for a tenth less.
  private static let level: Int32 = 3
  /// Bytes of room that are kept for the next message.
  private static let largestKept = 1 << 20
  /// Bytes that the tail of deflated data has, which a sender leaves out.
  private static let tailCount = 4

  /// A deflater that has seen nothing.
  ///
  /// - Parameter direction: this end's, as it was agreed on; zlib has no window of 8 bits.
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

  /// Deflates a message.
  ///
  /// - Parameters:
  ///   - message: the message.
  ///   - body: receives the payload to send for it.
  func withDeflated(_ message: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
    prepare()
    // RFC 7692 §7.2.3.6. zlib would flush nothing at all a second time.
    if message.isEmpty { return body([0x00].span) }
    if output.count < message.count / 2 + 64 { output.appendZeros(message.count / 2 + 64 - output.count) }
    let count = message.withUnsafeBufferPointer { deflate($0) } - Self.tailCount
    body(output.span.extracting(..<count))
    // Who keeps context belongs to one connection, which costs as little as it can between two messages.
    if keepsContext || output.count > Self.largestKept { output = [] }
  }

  /// Refers to nothing earlier in the next message, for some of it may not be sent.
  func forgetContext() { if isReady { deflateReset(stream) } }

  /// Has the stream stand where a message begins.
  private func prepare() {
    if isReady {
      if !keepsContext { deflateReset(stream) }
      return
    }
    // A hash table that is larger takes longer to clear than it saves. A negative size of the window means deflate
    // without zlib's own header.
    let status = deflateInit2_(
      stream, Self.level, Z_DEFLATED, -windowBits, min(6, windowBits - 7), Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    precondition(status == Z_OK, "zlib has no memory for a stream, or is another version: \(status)")
    isReady = true
  }

  /// Deflates into the output.
  ///
  /// - Returns: how many bytes, the tail among them.
  private func deflate(_ message: UnsafeBufferPointer<UInt8>) -> Int {
    var read = 0
    var written = 0
    repeat {
      // zlib ends with a tail for each call that it was short of room for it: six bytes are always enough.
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
