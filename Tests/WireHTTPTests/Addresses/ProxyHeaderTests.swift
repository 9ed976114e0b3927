import Testing

@testable import WireHTTP

struct ProxyHeaderTests {
  private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]

  /// A header of version 2.
  private static func binary(_ command: UInt8, _ family: UInt8, _ rest: [UInt8]) -> [UInt8] {
    signature + [command, family, UInt8(rest.count >> 8), UInt8(rest.count & 0xFF)] + rest
  }

  private static let tcp4: [UInt8] = [203, 0, 113, 9, 10, 0, 0, 1, 0x12, 0x34, 0x1F, 0x90]
  private static let tcp6: [UInt8] =
    [0x20, 1, 0xD, 0xB8] + Array(repeating: 0, count: 11) + [9] + Array(repeating: 0, count: 16) + [1, 2, 3, 4]

  /// What is read from bytes that come in pieces, and what is left.
  private func read(_ bytes: [UInt8], in pieces: Int) throws(HTTPError) -> (
    source: String?, isWhole: Bool, rest: [UInt8]
  ) {
    var buffer = ReceiveBuffer()
    var header: ProxyHeader?
    var position = 0
    while position < bytes.count {
      let end = min(position + pieces, bytes.count)
      buffer.append(bytes[position..<end].span)
      position = end
      if header == nil { header = try ProxyHeader.next(from: &buffer) }
    }
    let rest = buffer.withUnread { bytes in (0..<bytes.count).map { bytes[$0] } }
    return (header?.source?.description, header != nil, rest)
  }

  @Test(
    arguments: [
      (Array("PROXY TCP4 203.0.113.9 10.0.0.1 56324 8080\r\n".utf8), "203.0.113.9"),
      (Array("PROXY TCP6 2001:db8::9 ::1 1 65535\r\n".utf8), "2001:db8::9"),
      (Array("PROXY UNKNOWN\r\n".utf8), nil), (Array("PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n".utf8), nil),
      (binary(0x21, 0x11, tcp4), "203.0.113.9"), (binary(0x21, 0x21, tcp6), "2001:db8::9"),
      // Extensions, whatever is in them.
      (binary(0x21, 0x11, tcp4 + [0x20, 0xFF, 0xFF, 0, 1, 2, 3]), "203.0.113.9"),
      // The proxy itself, a local socket, an unknown family.
      (binary(0x20, 0x00, []), nil), (binary(0x20, 0x11, []), nil),
      (binary(0x21, 0x31, Array(repeating: 0, count: 216)), nil),
      (binary(0x21, 0x00, []), nil),
    ] as [([UInt8], String?)])
  func header_saysTheClient_howeverItIsCut(_ bytes: [UInt8], _ source: String?) throws {
    for pieces in [1, 7, 1_000] {
      let behind = Array("GET / HTTP/1.1\r\n".utf8)
      let (found, isWhole, rest) = try read(bytes + behind, in: pieces)
      #expect(found == source && isWhole && rest == behind, "in pieces of \(pieces)")
      // One byte before its end it is not there, and nothing is taken.
      let (_, isThere, kept) = try read(Array(bytes.dropLast()), in: pieces)
      #expect(!isThere && kept == Array(bytes.dropLast()))
    }
  }

  @Test(arguments: [
    Array("GET / HTTP/1.1\r\n".utf8), Array("proxy TCP4".utf8), Array("PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n".utf8),
    Array("PROXY TCP4 1.2.3.4  1.2.3.4 1 2\r\n".utf8), Array("PROXY TCP4 1.2.3.4 1.2.3.4 1 65536\r\n".utf8),
    Array("PROXY TCP4 ::1 ::1 1 2\r\n".utf8), Array("PROXY TCP6 1.2.3.4 1.2.3.4 1 2\r\n".utf8),
    Array("PROXY UDP4 1.2.3.4 1.2.3.4 1 2\r\n".utf8),
    Array("PROXY TCP4 1.2.3.4 1.2.3.4 1 2\n".utf8), Array("PROXY TCP4 01.2.3.4 1.2.3.4 1 2\r\n".utf8),
    Array(("PROXY UNKNOWN " + String(repeating: "x", count: 100)).utf8), Array("PROXY \r\n".utf8),
    binary(0x11, 0x11, tcp4), binary(0x22, 0x11, tcp4), binary(0x21, 0x11, Array(tcp4.dropLast())),
    binary(0x21, 0x21, tcp4),
    Array(signature.dropLast()) + [0x0B],
  ])
  func somethingElse_isRefused(_ bytes: [UInt8]) {
    for pieces in [1, 1_000] {
      let error = #expect(throws: HTTPError.self) { _ = try read(bytes, in: pieces) }
      #expect(error?.status == .badRequest && error?.reason.contains("PROXY") == true)
    }
  }
}
