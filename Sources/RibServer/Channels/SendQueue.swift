/// Bytes on their way to a peer, in order.
///
/// The last of them may be held until a commit: what is written then waits behind them. A cut of the session notes how far
/// its commit lets them go.
struct SendQueue {
  /// Written messages; what stands before `head` is sent.
  var bytes: [UInt8] = []
  private var head = 0
  /// Bytes from here on are held.
  private var limit = Int.max
  /// Bytes from here on are held after the commit that is under way.
  private var mark = Int.max
  /// The number of bytes that were ever sent.
  private(set) var sentCount = 0

  /// The number of bytes not yet sent.
  var count: Int { bytes.count - head }
  var isEmpty: Bool { bytes.count == head }
  /// The number of bytes that may be sent, and are not yet.
  var sendableCount: Int { min(limit, bytes.count) - head }
  /// Whether there is something that may be sent.
  var hasSendable: Bool { sendableCount > 0 }
  /// Whether something is held.
  var isHolding: Bool { limit != .max }
  /// The number of bytes that were ever written.
  var writtenCount: Int { sentCount + count }
  /// How many bytes of all that were ever written may be sent; `Int.max` if nothing is held.
  var releasedCount: Int { isHolding ? sentCount + limit - head : .max }

  /// Sends what the socket takes.
  ///
  /// - Returns: false if the connection is gone.
  mutating func send(to descriptor: Int32) -> Bool {
    let end = min(limit, bytes.count)
    while head < end {
      let sent = bytes.withUnsafeBytes { sendBytes(descriptor, UnsafeRawBufferPointer(rebasing: $0[head..<end])) }
      if sent < 0 {
        guard wouldBlock else { return false }
        break
      }
      head += sent
      sentCount += sent
    }
    // What is sent is dropped once it is more than what is not, so that a long queue moves rarely.
    if head == bytes.count {
      bytes.removeAll(keepingCapacity: true)
      moveToFront()
    } else if head > bytes.count / 2 {
      bytes.removeSubrange(..<head)
      moveToFront()
    }
    return true
  }

  /// Sends bytes behind those that wait, at once as far as the socket takes them; the rest waits.
  ///
  /// - Parameters:
  ///   - more: the bytes.
  ///   - descriptor: the socket.
  /// - Returns: false if the connection is gone.
  mutating func send(_ more: Span<UInt8>, to descriptor: Int32) -> Bool {
    var sent = 0
    if isEmpty {
      sent = more.withUnsafeBytes { sendBytes(descriptor, $0) }
      if sent < 0 {
        guard wouldBlock else { return false }
        sent = 0
      }
      sentCount += sent
    }
    if sent < more.count { more.extracting(sent...).withUnsafeBufferPointer { bytes.append(contentsOf: $0) } }
    return true
  }

  /// Takes note that what stood before `head` is not there any more.
  private mutating func moveToFront() {
    if limit != .max { limit -= head }
    if mark != .max { mark -= head }
    head = 0
  }

  // MARK: Commits

  /// Holds what is written from here on.
  mutating func hold() {
    if limit == .max { limit = bytes.count }
  }

  /// Takes note that the bytes held so far wait for the commit that begins.
  mutating func noteCut() {
    if isHolding { mark = bytes.count }
  }

  /// Lets the bytes go that were held when the commit began.
  ///
  /// - Parameter all: whether what was written since may go as well.
  mutating func release(all: Bool) {
    if all {
      limit = .max
    } else if mark != .max {
      limit = mark < bytes.count ? mark : .max
    }
    mark = .max
  }

  /// Forgets the held bytes.
  mutating func discardHeld() {
    if isHolding { bytes.removeSubrange(min(limit, bytes.count)...) }
    limit = .max
    mark = .max
  }

  /// Puts bytes before the held ones.
  mutating func insertBeforeHeld(_ more: [UInt8]) {
    bytes.insert(contentsOf: more, at: min(limit, bytes.count))
    if limit != .max { limit += more.count }
    if mark != .max { mark += more.count }
  }

  // MARK: Memory

  /// Gives up the memory but for what is not sent, which is kept in just its size.
  ///
  /// - Returns: an empty array with the memory.
  mutating func releaseSpareStorage() -> [UInt8] {
    var rest = Array(bytes[head...])
    moveToFront()
    swap(&rest, &bytes)
    rest.removeAll(keepingCapacity: true)
    return rest
  }

  /// Gives up the memory, and whatever is not sent.
  ///
  /// - Returns: the memory, with what is not sent.
  mutating func releaseStorage() -> [UInt8] {
    var released: [UInt8] = []
    swap(&released, &bytes)
    head = 0
    limit = .max
    mark = .max
    return released
  }
}
