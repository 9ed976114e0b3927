import Testing

@testable import WireHTTP

struct ForwardedFieldTests {
  private static let trusted = ["127.0.0.1", "10.0.0.0/8", "2001:db8:aaaa::/48"].compactMap { IPNetwork(text: $0) }

  private func client(_ field: ForwardedField, _ headers: HeaderFields) -> String? {
    let peer = IPAddress(text: "127.0.0.1")
    let client = peer.flatMap { peer in
      field.client(in: headers, from: peer) { address in Self.trusted.contains { $0.contains(address) } }
    }
    return client.map { [$0.address?.description, $0.scheme].compactMap(\.self).joined(separator: " ") }
  }

  @Test(arguments: [
    ("203.0.113.9", "203.0.113.9"), ("203.0.113.9:4711", "203.0.113.9"), ("2001:db8::9", "2001:db8::9"),
    ("[2001:db8::9]", "2001:db8::9"),
    ("[2001:db8::9]:443", "2001:db8::9"),
    // What the client has written is in front of what the proxy has.
    ("1.2.3.4, 203.0.113.9", "203.0.113.9"), ("127.0.0.1, 203.0.113.9", "203.0.113.9"),
    // Proxies in a row.
    ("203.0.113.9, 10.1.1.1", "203.0.113.9"), ("1.2.3.4,203.0.113.9 ,10.1.1.1, 10.2.2.2", "203.0.113.9"),
    ("10.1.1.1, 10.2.2.2", "10.1.1.1"),
    ("203.0.113.9, 2001:db8:aaaa::1", "203.0.113.9"),
    // Where one does not say, it is the last that is known.
    ("203.0.113.9, unknown", "127.0.0.1"), ("203.0.113.9, , 10.1.1.1", "10.1.1.1"),
    ("203.0.113.9, secret, 10.1.1.1", "10.1.1.1"), ("", "127.0.0.1"),
    ("203.0.113.9:", "127.0.0.1"), ("203.0.113.9:x", "127.0.0.1"), ("[203.0.113.9]", "127.0.0.1"),
    ("[::1", "127.0.0.1"), ("fe80::1%eth0", "127.0.0.1"),
  ])
  func forwardedFor_hasTheLastThatIsNotTrusted(_ field: String, _ address: String) {
    #expect(client(.xForwardedFor, ["X-Forwarded-For": field]) == address)
  }

  @Test func severalFields_areOneRow() {
    #expect(
      client(.xForwardedFor, ["X-Forwarded-For": "1.2.3.4", "x-forwarded-for": "203.0.113.9, 10.1.1.1"])
        == "203.0.113.9")
    let row = (0..<200).map { "198.51.100.\($0)" }.joined(separator: ", ")
    #expect(client(.xForwardedFor, ["X-Forwarded-For": row]) == "198.51.100.199")
  }

  @Test func scheme_isWhatTheLastProxySays() {
    let said = { (proto: String) in
      client(.xForwardedFor, ["X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": proto])
    }
    #expect(said("https") == "203.0.113.9 https")
    #expect(said("HTTP") == "203.0.113.9 http")
    #expect(said("https, http") == "203.0.113.9 http")
    #expect(said("gopher") == "203.0.113.9")
  }

  @Test(arguments: [
    ("for=203.0.113.9", "203.0.113.9"), ("For=\"203.0.113.9:80\";Proto=https;by=10.1.1.1", "203.0.113.9 https"),
    ("for=\"[2001:db8::9]:80\" ; proto=http", "2001:db8::9 http"),
    ("for=1.2.3.4, for=203.0.113.9;proto=https", "203.0.113.9 https"),
    ("for=203.0.113.9;proto=https, for=10.1.1.1;proto=http", "203.0.113.9 https"),
    // A quote that the client has left open does not hide what the proxy has written behind it.
    ("for=\", for=203.0.113.9", "203.0.113.9"),
    ("for=203.0.113.9, for=unknown", "127.0.0.1"), ("for=203.0.113.9, for=_hidden", "127.0.0.1"),
    ("203.0.113.9", "127.0.0.1"),
    ("for=203.0.113.9;for=1.2.3.4", "127.0.0.1"), ("proto=https", "127.0.0.1 https"),
    ("for=\"203.0.113.9", "127.0.0.1"),
  ])
  func forwarded_isReadTheSameWay(_ field: String, _ client: String) {
    #expect(self.client(.forwarded, ["Forwarded": field]) == client)
  }

  /// A proxy that writes one field passes the other on as its client has written it.
  @Test func otherField_isNotLookedAt() {
    let both: HeaderFields = [
      "X-Forwarded-For": "203.0.113.9", "Forwarded": "for=1.2.3.4;proto=https", "X-Forwarded-Proto": "http",
    ]
    #expect(client(.xForwardedFor, both) == "203.0.113.9 http")
    #expect(client(.forwarded, both) == "1.2.3.4 https")
    #expect(client(.xForwardedFor, ["Forwarded": "for=1.2.3.4"]) == nil)
    #expect(client(.forwarded, ["X-Forwarded-For": "1.2.3.4"]) == nil)
  }
}
