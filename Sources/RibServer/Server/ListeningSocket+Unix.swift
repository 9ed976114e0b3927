#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// Sockets in the file system (unix(7)), which a proxy on the same machine reaches without a port for each connection.

extension ListeningSocket {
  /// What stands before the path of a socket in the file system, where otherwise a host stands.
  static let unixPrefix = "unix:"

  /// Binds a socket in the file system, which only the process' user can open, and begins to listen.
  ///
  /// A file of a process that has ended is removed before.
  ///
  /// - Parameter path: where.
  /// - Throws: ``SystemError`` if the path is too long or taken, or no file can be made there.
  init(path: String) throws(SystemError) {
    let operation = "listen on \(Self.unixPrefix)\(path)"
    guard var address = Self.address(of: path) else { throw SystemError(operation: operation, code: ENAMETOOLONG) }
    guard !Self.isAlive(&address) else { throw SystemError(operation: operation, code: EADDRINUSE) }
    if Self.isSocket(path) { unlink(path) }
    let descriptor = makeSocket(AF_UNIX)
    guard descriptor >= 0 else { throw .last("socket") }
    guard Self.withAddress(&address, { bind(descriptor, $0, $1) }) == 0, chmod(path, 0o600) == 0,
      beginListening(descriptor, backlog: 4096) == 0
    else {
      let error = SystemError.last(operation)
      closeDescriptor(descriptor)
      throw error
    }
    self.init(descriptor: descriptor, address: Self.unixPrefix + path, port: 0)
    file = SocketFile(path)
  }

  /// Lets the users of the process' group open a socket in the file system.
  func openToGroup() { if let file { chmod(file.path, 0o660) } }

  /// Removes the file of a socket in the file system, unless another process has put its own there.
  func removeFile() {
    if let file, SocketFile(file.path) == file { unlink(file.path) }
  }

  /// The path that a socket in the file system was bound to.
  ///
  /// - Parameter descriptor: the socket.
  /// - Returns: an empty text for one that has no path.
  static func path(of descriptor: Int32) -> String {
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let status = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard status == 0, address.sun_family == sa_family_t(AF_UNIX) else { return "" }
    return withUnsafeBytes(of: &address.sun_path) { path in String(decoding: path.prefix { $0 != 0 }, as: UTF8.self) }
  }

  private static func address(of path: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
      // The zero byte at the end is there already.
      guard path.utf8.count < room.count, !path.utf8.contains(0) else { return false }
      room.copyBytes(from: path.utf8)
      return true
    }
    return fits ? address : nil
  }

  private static func withAddress(
    _ address: inout sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }

  /// Whether somebody listens there.
  private static func isAlive(_ address: inout sockaddr_un) -> Bool {
    let descriptor = makeSocket(AF_UNIX)
    guard descriptor >= 0 else { return false }
    defer { closeDescriptor(descriptor) }
    return withAddress(&address) { connect(descriptor, $0, $1) } == 0 || errno == EAGAIN
  }

  /// Whether the file is a socket: any other one is not for us to remove.
  private static func isSocket(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }
}
