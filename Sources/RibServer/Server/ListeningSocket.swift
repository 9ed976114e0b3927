import WireHTTP

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
  /// The port that was bound; 0 for a socket in the file system.
  package let port: Int
  /// The file of a socket in the file system; nil for any other socket.
  var file: SocketFile?

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
  ///   - host: an address or a name, or `unix:` and the path of a socket.
  ///   - port: 0 for any that is free.
  /// - Throws: ``SystemError`` if the address is none or taken.
  init(host: String, port: Int) throws(SystemError) {
    if host.hasPrefix(Self.unixPrefix) {
      try self.init(path: String(host.dropFirst(Self.unixPrefix.count)))
      return
    }
    let operation = "listen on \(host)"
    let descriptor = try openSocket(host, port, flags: AI_PASSIVE, to: operation) { descriptor, address in
      var on: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
      return bind(descriptor, address.ai_addr, address.ai_addrlen) == 0
        && beginListening(descriptor, backlog: 4096) == 0
    }
    guard let (address, bound) = Self.name(of: descriptor) else {
      let error = SystemError.last("\(operation):\(port)")
      closeDescriptor(descriptor)
      throw error
    }
    self.init(descriptor: descriptor, address: address, port: bound)
  }

  /// Finds a port that is free, for a process that is started later.
  ///
  /// - Parameter host: the address or name to listen on.
  /// - Returns: the port.
  /// - Throws: ``SystemError`` if the address is none.
  package static func freePort(on host: String) throws(SystemError) -> Int {
    let socket = try ListeningSocket(host: host, port: 0)
    closeDescriptor(socket.descriptor)
    return socket.port
  }

  /// Whether only this machine reaches a socket.
  static func isLocal(_ descriptor: Int32) -> Bool {
    guard let (address, _) = name(of: descriptor) else { return true }
    return IPAddress(text: address)?.isLoopback == true
  }

  /// The address and port that a socket was bound to.
  ///
  /// - Parameter descriptor: the socket.
  /// - Returns: nil for a socket in the file system.
  static func name(of descriptor: Int32) -> (String, Int)? {
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
