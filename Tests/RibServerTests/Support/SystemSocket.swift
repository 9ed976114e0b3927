#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What the systems' C libraries do not agree on about sockets.
enum SystemSocket {
  /// A socket that is a stream of bytes.
  static var stream: Int32 {
    #if canImport(Glibc)
      return Int32(SOCK_STREAM.rawValue)
    #else
      return SOCK_STREAM
    #endif
  }

  /// How bytes are sent, so that a peer that is gone is an error and no signal.
  static var sendFlags: Int32 {
    #if os(Linux)
      return Int32(MSG_NOSIGNAL)
    #else
      return 0
    #endif
  }
}

// The system's functions for types that have methods of the same names.

func connectSocket(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>?, _ length: socklen_t) -> Int32 {
  connect(descriptor, address, length)
}

func acceptSocket(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }

func listenSocket(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }

func sendSocket(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  send(descriptor, bytes.baseAddress, bytes.count, SystemSocket.sendFlags)
}
