#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension ServerSettings {
  /// Makes sure that a server with these settings could start, as far as that can be known without a start.
  ///
  /// Nothing is made or changed, and a server that runs with the same settings is not disturbed.
  ///
  /// - Parameters:
  ///   - stores: kinds of stores that the program has besides the server's own.
  ///   - isPrivate: whether a state directory is refused that others than its user may read or write.
  /// - Throws: ``SettingsError``, ``StoreError`` or ``SystemError`` with the first fault that is found.
  package func check(stores: [ExternalStore], isPrivate: Bool) throws {
    if let fault = fault ?? admin.fault { throw fault }
    try Self.checkAddress(host, key: "host")
    if !admin.listen.isEmpty { try Self.checkAddress(admin.address.host, key: "admin.listen") }
    switch store {
    case .memory: break
    case .sqlite: try Self.checkDirectory(stateDirectory, key: "stateDir")
    case .postgres:
      try checkDatabase(stores)
      try Self.checkDirectory(stateDirectory, key: "stateDir")
    }
    if isPrivate, let fault = stateDirectoryFault { throw fault }
    if !recordDirectory.isEmpty { try Self.checkDirectory(recordDirectory, key: "record") }
  }

  /// Binds an address with another port, which is free for sure.
  private static func checkAddress(_ host: String, key: String) throws {
    if host.hasPrefix(ListeningSocket.unixPrefix) {
      let path = String(host.dropFirst(ListeningSocket.unixPrefix.count))
      let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
      guard isWritable(directory.isEmpty ? "/" : directory) else {
        throw SettingsError(key: key, value: "\"\(host)\"", wanted: "in a directory that can be written in")
      }
    } else {
      closeDescriptor(try ListeningSocket(host: host, port: 0).descriptor)
    }
  }

  /// Makes sure that a directory can be written in or, if there is none, can be made.
  private static func checkDirectory(_ path: String, key: String) throws(SettingsError) {
    var existing = path
    while access(existing, F_OK) != 0 {
      guard let slash = existing.lastIndex(of: "/"), existing != "/" else {
        existing = "."
        break
      }
      existing = slash == existing.startIndex ? "/" : String(existing[..<slash])
    }
    guard isWritable(existing) else {
      throw SettingsError(key: key, value: "\"\(path)\"", wanted: "a directory that can be written in, or made")
    }
  }

  private static func isWritable(_ directory: String) -> Bool {
    // With a slash behind it only a directory is found.
    access(directory + "/", W_OK | X_OK) == 0
  }
}
