import Glibc
import Testing
import WireHTTP

@testable import RibServer

struct CallerTests {
  private func place(_ text: String) throws -> Place { Place(try #require(IPAddress(text: text))) }

  @Test func addressOfIPv4_isOneHost() throws {
    #expect(try place("10.0.0.1") == place("10.0.0.1"))
    #expect(try place("10.0.0.1") != place("10.0.0.2"))
    #expect(try place("::ffff:10.0.0.1") == place("10.0.0.1"))
  }

  @Test func addressOfIPv6_isItsNetwork() throws {
    #expect(try place("2001:db8:1:2::") == place("2001:db8:1:2:ffff:ffff:ffff:ffff"))
    #expect(try place("2001:db8:1:2::") != place("2001:db8:1:3::"))
    #expect(try place("::") != place("0.0.0.0"))
  }

  /// A connection that was reset before it was accepted is nobody's, and not this machine's.
  @Test func connectionThatIsGone_isNobodys() throws {
    #expect(Caller.atOtherEnd(of: -1) == nil)
    let listener = try ListeningSocket(host: "127.0.0.1", port: 0)
    defer { closeDescriptor(listener.descriptor) }
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(listener.port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let status = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    #expect(status == 0)
    // So that closing it resets the connection.
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    closeDescriptor(descriptor)
    var accepted: Int32 = -1
    try waitUntil {
      accepted = acceptConnection(listener.descriptor)
      return accepted >= 0
    }
    defer { closeDescriptor(accepted) }
    #expect(Caller.atOtherEnd(of: accepted) == nil)
  }

  @Test func localSocket_hasNoAddress() throws {
    var ends: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { closeDescriptor(end) } }
    let caller = try #require(Caller.atOtherEnd(of: ends[0]))
    #expect(caller.isLocal && caller.address == nil && caller.place == nil)
  }
}
