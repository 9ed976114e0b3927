import Testing
import WireHTTP

@testable import RibServer

struct PeerAddressTests {
  private func place(_ text: String) throws -> PeerAddress { PeerAddress(try #require(IPAddress(text: text))) }

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

  @Test func socketWithoutPeer_hasNone() { #expect(IPAddress(peerOf: -1) == nil) }
}
