#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A socket that listens.
package struct ListeningSocket: Sendable {
  /// The socket.
  package let descriptor: Int32
  /// The address that was bound.
  package let address: String
  /// The port that was bound.
  package let port: Int

  /// A socket that listens already.
  package init(descriptor: Int32, address: String, port: Int) {
    self.descriptor = descriptor
    self.address = address
    self.port = port
  }
}

extension ListeningSocket {
  /// Binds a socket of the system's, and begins to listen.
  ///
  /// - Parameters:
  ///   - host: an address or a name.
  ///   - port: 0 for any that is free.
  /// - Throws: ``SystemError`` if the address is none or taken.
  init(host: String, port: Int) throws(SystemError) {
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, "\(port)", &hints, &list)
    guard status == 0, let info = list else {
      throw SystemError(operation: "listen on \(host): \(String(cString: gai_strerror(status)))", code: EADDRNOTAVAIL)
    }
    defer { freeaddrinfo(list) }
    let descriptor = makeSocket(info.pointee.ai_family)
    guard descriptor >= 0 else { throw .last("socket") }
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard bind(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0,
      beginListening(descriptor, backlog: 4096) == 0, let (address, bound) = Self.name(of: descriptor)
    else {
      let error = SystemError.last("listen on \(host):\(port)")
      closeDescriptor(descriptor)
      throw error
    }
    self.init(descriptor: descriptor, address: address, port: bound)
  }

  /// The address and port that a socket was bound to.
  private static func name(of descriptor: Int32) -> (String, Int)? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var service = [CChar](repeating: 0, count: Int(NI_MAXSERV))
    let status = withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        getsockname(descriptor, address, &length) == 0
          && getnameinfo(
            address, length, &host, socklen_t(host.count), &service, socklen_t(service.count),
            NI_NUMERICHOST | NI_NUMERICSERV) == 0
      }
    }
    let text = { (bytes: [CChar]) in
      String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    guard status, let port = Int(text(service)) else { return nil }
    return (text(host), port)
  }
}
