import Testing

@testable import RibServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct SystemCallsTests {
  @Test func acceptedSocket_sendsAtOnce_andKeepsLittleThatCannotBeSent() throws {
    let listening = makeSocket(AF_INET)
    let client = makeSocket(AF_INET)
    defer { for descriptor in [listening, client] { closeDescriptor(descriptor) } }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(listening, address, size) == 0, beginListening(listening, backlog: 5) == 0,
          getsockname(listening, address, &size) == 0
        else { return false }
        // On this machine the connection is there before it is accepted.
        return connect(client, address, size) == 0 || errno == EINPROGRESS
      }
    }
    try #require(isConnected)
    var entry = pollfd(fd: listening, events: Int16(POLLIN), revents: 0)
    try #require(poll(&entry, 1, 10_000) == 1)
    let accepted = acceptConnection(listening)
    try #require(accepted >= 0)
    defer { closeDescriptor(accepted) }
    let options = [TCP_NODELAY, TCP_NOTSENT_LOWAT].map { option -> Int32 in
      var value: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(accepted, Int32(IPPROTO_TCP), option, &value, &size)
      return value
    }
    #expect(options[0] != 0)
    #expect(options[1] == 65_536)
  }

  @Test func addressOfAName_isFound() throws {
    #expect(["127.0.0.1", "::1"].contains(try findAddress(of: "localhost")))
    #expect(try findAddress(of: "127.0.0.1") == "127.0.0.1")
  }

  /// The system's resolver is not asked: it may take long.
  @Test func connection_isNotMadeToAName() {
    let error = #expect(throws: SystemError.self) { _ = try connectSocket(to: "localhost", 1) }
    #expect(error?.code == EADDRNOTAVAIL)
  }
}
