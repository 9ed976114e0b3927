import Foundation

/// Sockets on this machine that do not block.
enum LocalSocket {
  /// What a socket has to say.
  enum Received {
    case bytes(ArraySlice<UInt8>)
    case nothing
    /// The peer sends nothing more.
    case end
    /// There is no connection any more.
    case broken
  }

  /// Listens.
  ///
  /// - Parameter port: 0 for any that is free.
  /// - Returns: the socket, and where it listens; nil if the port is taken.
  static func listen(at port: Int = 0) -> (descriptor: Int32, port: Int)? {
    let descriptor = make()
    var option: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &option, socklen_t(MemoryLayout<Int32>.size))
    var address = address(port: port)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isThere = withUnsafeMutableBytes(of: &address) { bytes in
      let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
      return bind(descriptor, pointer, length) == 0 && listenSocket(descriptor, 512) == 0
        && getsockname(descriptor, pointer, &length) == 0
    }
    guard isThere else {
      close(descriptor)
      return nil
    }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
  }

  /// A port that nobody listens on, and that the system gives nobody who connects: it is free as well after it was used for a while.
  static func freePort() -> Int {
    while true {
      guard let (descriptor, port) = listen(at: Int.random(in: 10_000..<32_768)) else { continue }
      close(descriptor)
      return port
    }
  }

  /// Takes a connection; nil if none waits.
  static func accept(_ listener: Int32) -> Int32? {
    let descriptor = acceptSocket(listener)
    guard descriptor >= 0 else { return nil }
    prepare(descriptor)
    return descriptor
  }

  /// Begins to connect: the socket takes bytes when that is done.
  static func connect(to port: Int) -> Int32 {
    let descriptor = make()
    var address = address(port: port)
    withUnsafeBytes(of: &address) { bytes in
      _ = connectSocket(
        descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        socklen_t(MemoryLayout<sockaddr_in>.size))
    }
    return descriptor
  }

  /// Takes what is there, as far as the storage goes.
  static func receive(_ descriptor: Int32, into storage: inout [UInt8]) -> Received {
    let count = recv(descriptor, &storage, storage.count, 0)
    if count > 0 { return .bytes(storage[..<count]) }
    if count == 0 { return .end }
    return errno == EAGAIN || errno == EINTR ? .nothing : .broken
  }

  /// Gives as much as is taken.
  ///
  /// - Returns: how many bytes; nil if there is no connection any more.
  static func send(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> Int? {
    guard !bytes.isEmpty else { return 0 }
    let count = bytes.withUnsafeBytes { sendSocket(descriptor, $0) }
    if count >= 0 { return count }
    return errno == EAGAIN || errno == EINTR || errno == ENOTCONN ? 0 : nil
  }

  /// Closes, so that the peer is told of a failure and not of an end.
  static func reset(_ descriptor: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close(descriptor)
  }

  private static func make() -> Int32 {
    let descriptor = socket(AF_INET, SystemSocket.stream, 0)
    prepare(descriptor)
    return descriptor
  }

  private static func prepare(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    // A daemon that is started meanwhile shall not hold it open.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var option: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &option, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func address(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
