/// Bytes that came from a peer and are not parsed yet.
///
/// A socket reads straight into the unused end, a parser looks at the unread part in place and then consumes it: between
/// the kernel and the parser nothing is copied. An empty buffer that was never written to owns no memory, so an idle
/// connection costs none.
///
/// Positions are offsets into the storage. They stay valid until the next call that makes room (``append(_:)``,
/// ``fill(atLeast:_:)``, ``releaseStorage()``), not beyond.
@usableFromInline
package struct ReceiveBuffer: Sendable {
  @usableFromInline
  var storage: [UInt8] = []
  /// Where the unread part starts.
  @usableFromInline
  package private(set) var readIndex = 0
  /// Where the unread part ends.
  @usableFromInline
  package private(set) var writeIndex = 0

  /// An empty buffer that owns no memory.
  package init() {}

  /// The number of unread bytes.
  @inlinable
  package var count: Int { writeIndex - readIndex }
  /// Whether there is nothing left to read.
  @inlinable
  package var isEmpty: Bool { readIndex == writeIndex }
  /// The number of bytes that the buffer could hold without allocating.
  @inlinable
  package var capacity: Int { storage.count }

  /// Lets `body` look at the unread bytes in place; index 0 is the byte at ``readIndex``.
  ///
  /// - Parameter body: receives the bytes.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  @inlinable
  package func withUnread<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(storage.span.extracting(readIndex..<writeIndex))
  }

  /// Lets `body` look at the bytes at `range`, which must lie within what was received.
  ///
  /// - Parameters:
  ///   - range: which bytes, by position.
  ///   - body: receives the bytes.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  @inlinable
  package func withBytes<Result, Failure: Error>(
    _ range: Range<Int>, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(storage.span.extracting(range))
  }

  /// Adds `bytes` at the end.
  package mutating func append(_ bytes: Span<UInt8>) {
    let count = bytes.count
    fill(atLeast: count) { target in
      bytes.withUnsafeBytes { target.copyMemory(from: $0) }
      return count
    }
  }

  /// Lets `write` put bytes into the unused end; it returns how many it wrote.
  ///
  /// - Parameters:
  ///   - size: the least room to offer, in bytes.
  ///   - write: receives the room, at least `size` bytes of it, and returns a count from 0 to the room's size.
  /// - Returns: what `write` returned.
  @discardableResult
  package mutating func fill(atLeast size: Int, _ write: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
    makeRoom(for: size)
    let start = writeIndex
    let written = storage.withUnsafeMutableBytes { write(UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
    precondition(written >= 0 && written <= storage.count - start, "more bytes written than there was room for")
    writeIndex += written
    return written
  }

  /// Marks the first `count` unread bytes as read.
  package mutating func consume(_ count: Int) {
    precondition(count >= 0 && count <= self.count, "more bytes consumed than were received")
    readIndex += count
  }

  /// Changes received bytes in place, as unmasking does.
  ///
  /// - Parameters:
  ///   - range: which bytes, by position.
  ///   - body: receives them.
  package mutating func withMutableBytes(_ range: Range<Int>, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
    storage.withUnsafeMutableBytes { body(UnsafeMutableRawBufferPointer(rebasing: $0[range])) }
  }

  /// Gives up the storage, keeping the unread bytes in an array of just their size, none if there are none.
  ///
  /// - Returns: a buffer with the old storage and nothing to read, for the next connection.
  package mutating func releaseStorage() -> ReceiveBuffer {
    var released = ReceiveBuffer()
    let rest = isEmpty ? [] : Array(storage[readIndex..<writeIndex])
    swap(&released.storage, &storage)
    storage = rest
    readIndex = 0
    writeIndex = rest.count
    return released
  }

  /// Makes at least `size` bytes of room behind the unread part: first by moving it to the front, then by growing.
  private mutating func makeRoom(for size: Int) {
    if isEmpty {
      readIndex = 0
      writeIndex = 0
    }
    guard storage.count - writeIndex < size else { return }
    if readIndex > 0 {
      storage.withUnsafeMutableBytes { all in
        guard let base = all.baseAddress else { return }
        base.copyMemory(from: base + readIndex, byteCount: writeIndex - readIndex)
      }
      writeIndex -= readIndex
      readIndex = 0
    }
    let missing = writeIndex + size - storage.count
    if missing > 0 { storage.appendZeros(max(missing, storage.count)) }
  }
}
