import Testing

@testable import RibServer

struct PeerAddressTests {
  private static let network: [UInt8] = [0x20, 1, 0xD, 0xB8, 0, 1, 0, 2]

  @Test func addressOfIPv4_isOneHost() {
    #expect(PeerAddress([10, 0, 0, 1]) == PeerAddress([10, 0, 0, 1]))
    #expect(PeerAddress([10, 0, 0, 1]) != PeerAddress([10, 0, 0, 2]))
    let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 1]
    #expect(PeerAddress(mapped) == PeerAddress([10, 0, 0, 1]))
  }

  @Test func addressOfIPv6_isItsNetwork() {
    let (first, last) = ([UInt8](repeating: 0, count: 8), [UInt8](repeating: 0xFF, count: 8))
    #expect(PeerAddress(Self.network + first) == PeerAddress(Self.network + last))
    #expect(PeerAddress(Self.network + first) != PeerAddress(first + first))
    #expect(PeerAddress(first + first) != PeerAddress([0, 0, 0, 0]))
  }

  @Test func somethingElse_isNone() {
    #expect(PeerAddress([1, 2, 3]) == nil)
    #expect(PeerAddress(of: -1) == nil)
  }
}
