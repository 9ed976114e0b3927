import Wire

/// The field in which proxies say whom they have a request from.
///
/// Only one is believed: what a proxy does not write itself it may pass on as its client has written it.
package enum ForwardedField: String, CaseIterable, Sendable {
  /// `X-Forwarded-For`, and `X-Forwarded-Proto`.
  case xForwardedFor = "x-forwarded-for"
  /// `Forwarded` (RFC 7239).
  case forwarded

  /// Who a request is from.
  package struct Client: Equatable, Sendable {
    /// The address; where a proxy has not said one, that of the proxy, which is nil for one that comes by a local socket.
    package var address: IPAddress?
    /// `http` or `https`, as it was asked for; nil if no proxy has said it.
    package var scheme: String?
  }

  /// Who a request is from: the last address in the row of proxies that is not trusted, or the first if all are.
  ///
  /// - Parameters:
  ///   - headers: the request's.
  ///   - peer: the proxy at the other end of the connection, which is trusted.
  ///   - isTrusted: whether what a proxy says is believed.
  /// - Returns: the client; nil if no proxy has said anything.
  package func client(
    in headers: HeaderFields, from peer: IPAddress?, _ isTrusted: (IPAddress) -> Bool
  ) -> Client? {
    let field = self == .forwarded ? "Forwarded" : "X-Forwarded-For"
    guard headers[field] != nil else { return nil }
    var client = Client(address: peer)
    hops: for hop in headers.reversedElements(of: field) {
      let address: IPAddress?
      switch self {
      case .xForwardedFor: address = Self.address(hop)
      case .forwarded:
        guard let parameters = Self.parameters(hop) else { break hops }
        client.scheme = Self.scheme(parameters["proto"])
        address = parameters["for"].flatMap(Self.address)
      }
      // Whom the next ones name is not known to be true.
      guard let address else { break }
      client.address = address
      if !isTrusted(address) { break }
    }
    if self == .xForwardedFor {
      client.scheme = Self.scheme(headers.reversedElements(of: "X-Forwarded-Proto").first { _ in true })
    }
    return client
  }

  /// An address with or without a port: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:80`.
  private static func address(_ text: some StringProtocol) -> IPAddress? {
    if text.utf8.first == UInt8(ascii: "[") {
      guard let end = text.utf8.firstIndex(of: UInt8(ascii: "]")), isPort(text.utf8[end...].dropFirst()) else {
        return nil
      }
      return IPAddress.parseIPv6(Array(text.utf8[..<end].dropFirst())[...])
    }
    if let address = IPAddress(text: text) { return address }
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), isPort(text.utf8[colon...]) else { return nil }
    return IPAddress.parseIPv4(Array(text.utf8[..<colon])[...])
  }

  private static func isPort(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.isEmpty
      || bytes.first == UInt8(ascii: ":") && (2...6).contains(bytes.count)
        && bytes.dropFirst().allSatisfy(HTTPGrammar.isDigit)
  }

  private static func scheme(_ text: (some StringProtocol)?) -> String? {
    guard let text = text?.lowercased(), text == "http" || text == "https" else { return nil }
    return text
  }

  /// The pairs of an element, by their names in small letters (RFC 7239 §4); nil if it has not the form, or a name twice.
  private static func parameters(_ element: Substring) -> [ExactString: String]? {
    // As parameters behind a first name have it.
    var scanner = FieldScanner(";" + element)
    guard let pairs = scanner.parameters(), scanner.next == nil else { return nil }
    var values: [ExactString: String] = [:]
    for pair in pairs {
      let name = ExactString(pair.name.lowercased())
      guard let value = pair.value, values.updateValue(value, forKey: name) == nil else { return nil }
    }
    return values
  }
}
