import RibServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Two sockets that are connected with one another; neither waits.
enum SocketPair {
  /// Makes two sockets.
  ///
  /// - Parameter capacity: bytes that may be on their way in each direction, about; what the system would take is not the same everywhere.
  /// - Returns: their descriptors.
  /// - Throws: ``SystemError``.
  static func make(capacity: Int32 = 1 << 17) throws(SystemError) -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SystemError(operation: "socketpair", code: errno) }
    var capacity = capacity
    for end in ends { setsockopt(end, SOL_SOCKET, SO_SNDBUF, &capacity, socklen_t(MemoryLayout<Int32>.size)) }
    return (ends[0], ends[1])
  }

  #if os(Linux)
    private static let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
  #else
    private static let type = SOCK_STREAM
  #endif

  /// Sends what the socket takes.
  ///
  /// - Returns: the number of bytes; −1 with `errno`.
  static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    #elseif canImport(Musl)
      Musl.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    #else
      Darwin.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    #endif
  }

  static func close(_ descriptor: Int32) {
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #else
      _ = Darwin.close(descriptor)
    #endif
  }
}
