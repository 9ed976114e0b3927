/// Where a page comes from: scheme, host and port (RFC 6454 §4), as a browser writes it to the Origin field.
package struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
  /// The scheme, in small letters.
  package let scheme: String
  /// The host.
  package let host: HostName
  /// The port; nil for the scheme's own, also where that is written.
  package let port: Int?

  /// An origin in its text form (RFC 6454 §6.2).
  ///
  /// - Parameter text: `https://app.example.com` or `http://localhost:8080`; nil for anything else, `null` among it.
  package init?(_ text: some StringProtocol) {
    guard let (scheme, authority) = Self.split(text), let authority = Authority(authority) else { return nil }
    self.init(scheme: scheme, host: authority.host, port: authority.port)
  }

  init(scheme: String, host: HostName, port: Int?) {
    self.scheme = scheme
    self.host = host
    self.port = port == Self.ownPort(of: scheme) ? nil : port
  }

  /// Whether a text stands for a page that has no origin of its own: `null`, as of a page in a sandbox, or a scheme without a host, as
  /// browsers within programs send it for a page from a file, `file://`.
  package static func isOpaque(_ text: some StringProtocol) -> Bool {
    text.utf8.elementsEqual("null".utf8) || split(text)?.rest.isEmpty == true
  }

  /// The scheme, and what is behind `://`.
  static func split<Text: StringProtocol>(_ text: Text) -> (scheme: String, rest: Text.SubSequence)? {
    let bytes = text.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8),
      let first = bytes.first.map(HTTPGrammar.lowercased), UInt8(ascii: "a")...UInt8(ascii: "z") ~= first,
      bytes[..<colon].allSatisfy(isSchemeByte)
    else { return nil }
    let scheme = String(decoding: bytes[..<colon].map(HTTPGrammar.lowercased), as: UTF8.self)
    return (scheme, text[bytes.index(colon, offsetBy: 3)...])
  }

  private static func isSchemeByte(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "+", "-", ".": true
    default: false
    }
  }

  /// The port that is meant where none is said.
  private static func ownPort(of scheme: String) -> Int? {
    switch scheme {
    case "http": 80
    case "https": 443
    default: nil
    }
  }

  /// Whether a page of this origin has come from a host, if its scheme is the one that it was asked with.
  ///
  /// - Parameter authority: the Host field of the request.
  /// - Returns: whether both have one host and one port.
  package func isAt(_ authority: Authority) -> Bool {
    self == WebOrigin(scheme: scheme, host: authority.host, port: authority.port)
  }

  /// As a browser writes it.
  package var description: String { "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")" }
}
