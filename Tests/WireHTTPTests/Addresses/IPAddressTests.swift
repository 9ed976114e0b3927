import RibTestSupport
import Testing

@testable import WireHTTP

struct IPAddressTests {
  /// The vectors of RFC 5952 and RFC 4291: what is read, and how it is written.
  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
    ("::ffff:192.0.2.1", "192.0.2.1"), ("::FFFF:c000:0201", "192.0.2.1"),
    ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("2001:DB8::1", "2001:db8::1"),
    ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:0db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
    ("0:0:0:0:0:0:0:1", "::1"), ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
    ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("1:0:0:2::3", "1:0:0:2::3"),
  ])
  func text_isReadAndWrittenInItsShortestForm(_ text: String, _ written: String) throws {
    let address = try #require(IPAddress(text: text))
    #expect(address.description == written)
    #expect(IPAddress(text: written) == address)
  }

  @Test(arguments: [
    "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.", ".1.2.3", "1.2.3.-4", "1.2.3.4 ", "0x7f.1",
    "2130706433",
    ":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "12345::", "::g", "fe80::1%eth0",
    "[::1]",
    "::1.2.3", "1.2.3.4::", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4", "::1:", "：:1", "１.2.3.4",
  ])
  func somethingElse_isNone(_ text: String) { #expect(IPAddress(text: text) == nil) }

  @Test func loopback_isThisMachines() {
    for text in ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"] {
      #expect(IPAddress(text: text)?.isLoopback == true)
    }
    for text in ["128.0.0.1", "0.0.0.0", "::", "::2", "::7f00:1", "10.0.0.1"] {
      #expect(IPAddress(text: text)?.isLoopback == false)
    }
  }

  /// What is written is read again, whatever the bytes are.
  @Test(arguments: TestRun.seeds(1)) func everyAddress_isReadAsItIsWritten(seed: UInt64) {
    var generator = SeededGenerator(state: seed)
    for _ in 0..<2_000 {
      // Groups that are often 0, so that rows of them come.
      let bytes = (0..<16).map { _ in Bool.random(using: &generator) ? UInt8.random(in: 0...255, using: &generator) : 0
      }
      let address = IPAddress((0..<16).map { bytes[$0] & bytes[$0 ^ 1] })
      #expect(address.flatMap { IPAddress(text: $0.description) } == address, "\(bytes)")
    }
  }
}

struct IPNetworkTests {
  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false), ("192.0.2.1", "192.0.2.1", true),
    ("192.0.2.1", "192.0.2.2", false), ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "2001:db8::1", false),
    ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::1", false), ("::/0", "2001:db8::1", true),
    ("2001:db8:0:1::/64", "2001:db8:0:1:ffff::", true), ("2001:db8:0:1::/64", "2001:db8:0:2::", false),
    ("2001:db8::8/125", "2001:db8::f", true), ("2001:db8::8/125", "2001:db8::10", false), ("::1", "::1", true),
    ("::ffff:10.0.0.0/8", "10.1.2.3", true),
  ])
  func network_hasItsAddresses(_ network: String, _ address: String, _ isInside: Bool) throws {
    #expect(try #require(IPNetwork(text: network)).contains(#require(IPAddress(text: address))) == isInside)
  }

  @Test(arguments: [
    "", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0.1/8", "::/129", "2001:db8::1/64",
    "10.0.0.0/+8", "proxy",
  ])
  func somethingElse_isNone(_ text: String) { #expect(IPNetwork(text: text) == nil) }
}
