/// Bytes received from a peer and not parsed yet.
///
/// A socket reads straight into the unused end of the storage; a parser looks at the unread part in place and then
/// consumes it. So nothing is copied between the kernel and the parser. An empty buffer that was never written to owns
/// no memory, so an idle connection costs none.
///
/// Positions are offsets into the storage, valid until the next call that makes room (``append(_:)``,
/// ``fill(atLeast:_:)``, ``releaseStorage()``).
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

  /// Calls `body` with the unread bytes, in place; index 0 is the byte at ``readIndex``.
  @inlinable
  package func withUnread<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(storage.span.extracting(readIndex..<writeIndex))
  }

  /// Calls `body` with the bytes at a range of positions, which must lie within what was received.
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

  /// Lets `write` put bytes into the unused end, and returns how many it wrote.
  ///
  /// - Parameters:
  ///   - size: the least room to offer, in bytes.
  ///   - write: gets at least `size` bytes of room, and returns how many of them it has filled.
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

  /// Changes the bytes at a range of positions in place, as unmasking does.
  package mutating func withMutableBytes(_ range: Range<Int>, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
    storage.withUnsafeMutableBytes { body(UnsafeMutableRawBufferPointer(rebasing: $0[range])) }
  }

  /// Gives up the storage; unread bytes are kept in an array of exactly their size.
  ///
  /// - Returns: an empty buffer with the old storage, for the next connection.
  package mutating func releaseStorage() -> ReceiveBuffer {
    var released = ReceiveBuffer()
    let rest = isEmpty ? [] : Array(storage[readIndex..<writeIndex])
    swap(&released.storage, &storage)
    storage = rest
    readIndex = 0
    writeIndex = rest.count
    return released
  }

  /// Makes room for at least `size` bytes behind the unread part: first by moving that part to the front, then by
  /// growing.
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
