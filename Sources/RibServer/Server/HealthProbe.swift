#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A question to a server on this machine, at the address that its settings say.
package struct HealthProbe: CustomStringConvertible {
  /// How long the answer may take, in seconds.
  private static let patience = 3

  /// The server's address, for a person.
  package let description: String
  private let time: TimeSource
  private let host: String
  private let port: Int
  /// The bytes that each connection begins with.
  private let preamble: String

  /// A probe.
  ///
  /// - Parameters:
  ///   - settings: the server's.
  ///   - time: the clock by which an answer may be late.
  /// - Throws: ``HealthError`` if they do not say where the server listens.
  package init(_ settings: ServerSettings, time: TimeSource = .system) throws(HealthError) {
    self.time = time
    let isUnix = settings.host.hasPrefix(ListeningSocket.unixPrefix)
    guard isUnix || settings.port > 0 else {
      throw HealthError("With port 0 the server has picked its port, which the settings do not say: give it by --port.")
    }
    host = ["0.0.0.0": "127.0.0.1", "::": "::1"][settings.host] ?? settings.host
    port = settings.port
    description = isUnix ? host : host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    // A request of the machine's own, on behalf of nobody (the PROXY protocol §2.1).
    preamble = settings.proxies.protocol == .required ? "PROXY UNKNOWN\r\n" : ""
  }

  /// Asks.
  ///
  /// - Parameter path: what for.
  /// - Returns: the status, and the word that is the answer's body.
  /// - Throws: ``HealthError`` if there is no answer.
  package func ask(_ path: String) throws(HealthError) -> (status: Int, word: String) {
    let descriptor = try connect()
    defer { close(descriptor) }
    let request = Array(
      "\(preamble)GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
    guard send(descriptor, request, request.count, Self.sendFlags) == request.count else {
      throw failure("does not take a request")
    }
    let end = time.seconds + Self.patience
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while answer.count < 65_536 {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count >= 0, time.seconds <= end else { throw failure("does not answer") }
      if count == 0 { break }
      answer += buffer.prefix(count)
    }
    return try read(String(decoding: answer, as: UTF8.self))
  }

  private func read(_ answer: String) throws(HealthError) -> (status: Int, word: String) {
    let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    let words = (parts.first ?? "").prefix { $0 != "\r\n" }.split(separator: " ")
    guard parts.count == 2, words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
      throw HealthError("What listens at \(description) is no server of riblets.")
    }
    return (status, parts[1].split(whereSeparator: \.isWhitespace).joined(separator: " "))
  }

  /// Opens a connection, on which nothing is waited for longer than ``patience``.
  private func connect() throws(HealthError) -> Int32 {
    if host.hasPrefix(ListeningSocket.unixPrefix) {
      return try connect(toSocketAt: String(host.dropFirst(ListeningSocket.unixPrefix.count)))
    }
    var hints = addrinfo()
    hints.ai_socktype = Self.stream
    var list: UnsafeMutablePointer<addrinfo>?
    defer { if let list { freeaddrinfo(list) } }
    guard getaddrinfo(host, "\(port)", &hints, &list) == 0 else { throw HealthError("There is no host \(host).") }
    var next = list
    while let address = next?.pointee {
      if let descriptor = connect(address.ai_family, address.ai_addr, address.ai_addrlen) { return descriptor }
      next = address.ai_next
    }
    throw failure("cannot be reached")
  }

  private func connect(toSocketAt path: String) throws(HealthError) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
      guard path.utf8.count < room.count else { return false }
      room.copyBytes(from: path.utf8)
      return true
    }
    guard fits else { throw HealthError("The path of the socket \(path) is too long.") }
    let descriptor = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(AF_UNIX, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard let descriptor else { throw failure("cannot be reached") }
    return descriptor
  }

  private func connect(_ family: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32? {
    let descriptor = socket(family, Self.stream, 0)
    guard descriptor >= 0 else { return nil }
    var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    #if canImport(Glibc)
      let status = Glibc.connect(descriptor, address, size)
    #elseif canImport(Musl)
      let status = Musl.connect(descriptor, address, size)
    #else
      let status = Darwin.connect(descriptor, address, size)
    #endif
    if status == 0 { return descriptor }
    close(descriptor)
    return nil
  }

  private func failure(_ what: String) -> HealthError {
    HealthError("The server at \(description) \(what): \(String(cString: strerror(errno))).")
  }

  #if os(Linux)
    private static let sendFlags = Int32(MSG_NOSIGNAL)
  #else
    private static let sendFlags: Int32 = 0
  #endif

  #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
  #else
    private static let stream = SOCK_STREAM
  #endif
}

/// Why a server does not count as well.
package struct HealthError: Error, CustomStringConvertible {
  /// One sentence for a person.
  package let description: String

  /// An error.
  ///
  /// - Parameter description: one sentence for a person.
  package init(_ description: String) { self.description = description }
}
