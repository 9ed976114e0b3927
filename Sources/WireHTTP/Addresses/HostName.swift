/// A host as a browser names one: a name of letters, digits, hyphens, underscores and dots, or an address.
///
/// It is in small letters, an IPv6 address in brackets and in its shortest form, so that two of one host are equal. A name with
/// a dot at its end is another one, as it is to a browser.
package struct HostName: Hashable, Sendable, CustomStringConvertible {
  /// The name.
  package let description: String

  /// A host.
  ///
  /// - Parameter text: without port; nil if it is empty, or none that a browser names: other letters come as Punycode (RFC 5890).
  package init?(_ text: some StringProtocol) {
    let bytes = text.utf8.map(HTTPGrammar.lowercased)
    if bytes.first == UInt8(ascii: "[") {
      guard bytes.last == UInt8(ascii: "]"), let address = IPAddress.parseIPv6(bytes.dropFirst().dropLast()) else {
        return nil
      }
      description = address.isIPv4 ? "[::ffff:\(address)]" : "[\(address)]"
      return
    }
    guard !bytes.isEmpty, bytes.first != UInt8(ascii: "."), bytes.allSatisfy(Self.isNameByte) else { return nil }
    description = String(decoding: bytes, as: UTF8.self)
  }

  /// The name as the system takes it: an IPv6 address without its brackets.
  package var withoutBrackets: String {
    description.hasPrefix("[") ? String(description.dropFirst().dropLast()) : description
  }

  /// Whether it is below a domain: `a.b.example.com` is below `example.com`, which is not below itself.
  package func isBelow(_ domain: HostName) -> Bool {
    let (ours, theirs) = (description.utf8, domain.description.utf8)
    return ours.count > theirs.count + 1 && ours.reversed().starts(with: theirs.reversed())
      && ours.dropLast(theirs.count).last == UInt8(ascii: ".")
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case "a"..."z", "0"..."9", "-", ".", "_": true
    default: false
    }
  }
}

/// A host and a port, as the Host field has them (RFC 9110 §7.2).
package struct Authority: Hashable, Sendable {
  /// The host.
  package let host: HostName
  /// The port; nil if it is not said.
  package let port: Int?

  /// A host with or without a port.
  ///
  /// - Parameter text: what is written; nil if it is no host of a browser's, or the port is none.
  package init?(_ text: some StringProtocol) {
    let bytes = text.utf8
    let bracket = bytes.first == UInt8(ascii: "[") ? bytes.firstIndex(of: UInt8(ascii: "]")) : bytes.startIndex
    guard let bracket else { return nil }
    let end = bytes[bracket...].firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
    guard let host = HostName(text[..<end]) else { return nil }
    self.host = host
    let digits = bytes[end...].dropFirst()
    guard !digits.isEmpty else {
      port = nil
      return
    }
    guard digits.allSatisfy(HTTPGrammar.isDigit), let number = UInt16(text[digits.startIndex...]) else { return nil }
    port = Int(number)
  }
}
