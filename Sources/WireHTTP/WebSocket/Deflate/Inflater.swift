import CZlib
import Wire

/// Inflates the messages of one direction (RFC 7692 §7.2.2), with a stream of zlib.
///
/// One that keeps no context begins each message anew, so that all connections of a thread can share it. zlib's memory,
/// some 7 KB and the window, is taken with the first message.
package final class Inflater {
  /// Whether messages may refer to earlier ones.
  let keepsContext: Bool
  private let windowBits: Int32
  /// On its own, as zlib's state points back to it.
  private let stream: UnsafeMutablePointer<z_stream>
  private var isReady = false
  /// Whether the deflated data has ended: what follows begins anew.
  private var hasEnded = false

  /// What deflated data ends with, and a sender leaves out: an empty stored block without its first byte.
  private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

  /// An inflater that has seen nothing.
  ///
  /// - Parameter direction: the peer's, as it was agreed on.
  init(_ direction: PerMessageDeflate.Direction) {
    keepsContext = direction.keepsContext
    windowBits = Int32(direction.windowBits)
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
  }

  deinit {
    if isReady { inflateEnd(stream) }
    stream.deallocate()
  }

  /// Inflates a message.
  ///
  /// No more memory is taken than the limit, whatever the message says.
  ///
  /// - Parameters:
  ///   - message: the payload of all its frames.
  ///   - limit: bytes that it may have, inflated.
  ///   - isText: whether what comes out has to be UTF-8.
  /// - Returns: the inflated message.
  /// - Throws: ``WebSocketError`` with 1009 above the limit; 1007 for what is not deflated, or not whole, and for text
  ///   that is not UTF-8. An inflater that keeps context is of no use after it.
  func inflate(_ message: Span<UInt8>, limit: Int, isText: Bool) throws(WebSocketError) -> [UInt8] {
    // Some senders make nothing at all of an empty message.
    if message.isEmpty { return [] }
    prepare()
    var output = InflatedOutput(for: message.count, limit: limit, isText: isText)
    try message.withUnsafeBufferPointer { bytes throws(WebSocketError) in
      try inflate(bytes, until: Z_SYNC_FLUSH, into: &output)
    }
    // RFC 7692 §7.2.3.4: data that has ended with its last block lacks nothing.
    if !hasEnded {
      try Self.tail.span.withUnsafeBufferPointer { bytes throws(WebSocketError) in
        try inflate(bytes, until: Z_BLOCK, into: &output)
      }
      // 128 stands for the end of a block; below 64 is the number of bits that are left over of the last byte.
      guard stream.pointee.data_type == 128 else {
        throw WebSocketError(.invalidData, "A compressed message ends within a block. (RFC 7692 §7.2.2)")
      }
    }
    return try output.finish()
  }

  /// Takes note of a message that somebody else has inflated: later ones may refer to it, if context is kept.
  ///
  /// - Parameter message: as it came out.
  func noteContext(_ message: Span<UInt8>) {
    guard keepsContext, !message.isEmpty else { return }
    prepare()
    message.withUnsafeBufferPointer { _ = inflateSetDictionary(stream, $0.baseAddress, uInt(clamping: $0.count)) }
  }

  /// Has the stream stand where a message begins.
  private func prepare() {
    if !isReady {
      // A negative size of the window means deflate without zlib's own header.
      let status = inflateInit2_(stream, -windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
      precondition(status == Z_OK, "zlib has no memory for a stream, or is another version: \(status)")
      isReady = true
    } else if hasEnded || !keepsContext {
      inflateReset(stream)
    }
    hasEnded = false
  }

  /// Inflates a part of a message.
  private func inflate(
    _ bytes: UnsafeBufferPointer<UInt8>, until flush: Int32, into output: inout InflatedOutput
  ) throws(WebSocketError) {
    var read = 0
    repeat {
      if hasEnded { inflateReset(stream) }
      hasEnded = false
      let offered = uInt(clamping: bytes.count - read)
      stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress.map { $0 + read })
      stream.pointee.avail_in = offered
      switch try output.fill(from: stream, flush) {
      case Z_OK, Z_BUF_ERROR: break
      case Z_STREAM_END: hasEnded = true
      default: throw WebSocketError(.invalidData, "A compressed message is not deflated. (RFC 7692 §7.2.2)")
      }
      read += Int(offered - stream.pointee.avail_in)
      // Where no room is left there may be more to put.
    } while read < bytes.count || (stream.pointee.avail_out == 0 && !hasEnded)
  }
}

/// What a message is inflated to.
private struct InflatedOutput {
  private let limit: Int
  /// What has been inflated, and room for more.
  private var bytes: [UInt8]
  private var count = 0
  private let isText: Bool
  private var utf8 = UTF8Validator()

  init(for deflatedCount: Int, limit: Int, isText: Bool) {
    self.limit = limit
    self.isText = isText
    // Most JSON shrinks to a quarter or less; what is not needed in the end is cut off.
    bytes = [UInt8](repeating: 0, count: min(limit, max(4 * deflatedCount, 256)))
  }

  /// Lets zlib inflate what it was given, as far as there is room.
  ///
  /// - Returns: zlib's status.
  /// - Throws: ``WebSocketError`` if there is more than there may be, or it is no text.
  mutating func fill(from stream: UnsafeMutablePointer<z_stream>, _ flush: Int32) throws(WebSocketError) -> Int32 {
    guard count < limit else { return try expectNothing(of: stream, flush) }
    if count == bytes.count {
      let more = min(limit - count, count)
      bytes.reserveCapacity(count + more)
      bytes.appendZeros(more)
    }
    let offered = uInt(clamping: bytes.count - count)
    let status = bytes.withUnsafeMutableBufferPointer { room in
      stream.pointee.next_out = room.baseAddress.map { $0 + count }
      stream.pointee.avail_out = offered
      return CZlib.inflate(stream, flush)
    }
    let inflated = count..<count + Int(offered - stream.pointee.avail_out)
    count = inflated.upperBound
    if isText {
      var utf8 = utf8
      guard utf8.accept(bytes.span.extracting(inflated)) else { throw .notUTF8 }
      self.utf8 = utf8
    }
    return status
  }

  /// Makes sure that the rest of the input inflates to nothing.
  private func expectNothing(
    of stream: UnsafeMutablePointer<z_stream>, _ flush: Int32
  ) throws(WebSocketError) -> Int32 {
    var byte: UInt8 = 0
    let status = withUnsafeMutablePointer(to: &byte) { room in
      stream.pointee.next_out = room
      stream.pointee.avail_out = 1
      return CZlib.inflate(stream, flush)
    }
    guard stream.pointee.avail_out == 1 else {
      throw WebSocketError(.messageTooBig, "A message has at most \(limit) bytes, inflated.")
    }
    return status
  }

  /// The message.
  mutating func finish() throws(WebSocketError) -> [UInt8] {
    guard utf8.isComplete else { throw .notUTF8 }
    bytes.removeLast(bytes.count - count)
    return bytes
  }
}
