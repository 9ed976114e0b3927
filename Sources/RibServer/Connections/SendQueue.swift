/// Bytes on their way to a peer, in order.
struct SendQueue {
  /// Written messages; what stands before `head` is sent.
  var bytes: [UInt8] = []
  private var head = 0
  /// The number of bytes that were ever sent.
  private(set) var sentCount = 0

  /// The number of bytes not yet sent.
  var count: Int { bytes.count - head }
  var isEmpty: Bool { bytes.count == head }

  /// Sends what the socket takes.
  ///
  /// - Returns: false if the connection is gone.
  mutating func send(to descriptor: Int32) -> Bool {
    while head < bytes.count {
      let sent = bytes.withUnsafeBytes { sendBytes(descriptor, UnsafeRawBufferPointer(rebasing: $0[head...])) }
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
      head = 0
    } else if head > bytes.count / 2 {
      bytes.removeSubrange(..<head)
      head = 0
    }
    return true
  }

  /// Gives up the memory but for what is not sent, which is kept in just its size.
  ///
  /// - Returns: an empty array with the memory.
  mutating func releaseSpareStorage() -> [UInt8] {
    let rest = Array(bytes[head...])
    bytes.removeAll(keepingCapacity: true)
    defer { bytes = rest }
    return releaseStorage()
  }

  /// Gives up the memory, and whatever is not sent.
  ///
  /// - Returns: the memory, with what is not sent.
  mutating func releaseStorage() -> [UInt8] {
    var released: [UInt8] = []
    swap(&released, &bytes)
    head = 0
    return released
  }
}
