/// Which hosts are meant: one, or with `*.` all that are below a domain.
package struct HostPattern: Hashable, Sendable {
  private let host: HostName
  /// Whether the host is a domain whose hosts are meant.
  private let isDomain: Bool

  /// A pattern in its text form.
  ///
  /// - Parameter text: `app.example.com`, or `*.example.com` for all below `example.com`; nil for anything else, also where fewer
  ///   than two labels are behind the star: `*.com` is the domain of strangers.
  package init?(_ text: some StringProtocol) {
    isDomain = text.utf8.starts(with: "*.".utf8)
    guard let host = HostName(isDomain ? String(text.dropFirst(2)) : String(text)) else { return nil }
    self.host = host
    if isDomain {
      let labels = host.description.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      guard labels.count > 1, !labels.contains(where: \.isEmpty), IPAddress(text: host.description) == nil else {
        return nil
      }
    }
  }

  /// Whether a host is meant.
  package func matches(_ other: HostName) -> Bool { isDomain ? other.isBelow(host) : other == host }
}

/// Which origins are meant: one, or those of all hosts below a domain, or of all ports.
package struct OriginPattern: Hashable, Sendable {
  private let scheme: String
  private let host: HostPattern
  private let port: Int?
  private let isAnyPort: Bool

  /// A pattern in its text form.
  ///
  /// - Parameter text: `https://app.example.com`, or `https://*.example.com` for all below `example.com`, or `http://localhost:*` for all
  ///   ports; nil for anything else.
  package init?(_ text: some StringProtocol) {
    isAnyPort = text.utf8.reversed().starts(with: "*:".utf8)
    guard let (scheme, rest) = WebOrigin.split(isAnyPort ? text.dropLast(2) : text[...]) else { return nil }
    let isDomain = rest.utf8.starts(with: "*.".utf8)
    guard let authority = Authority(isDomain ? rest.dropFirst(2) : rest),
      let host = HostPattern("\(isDomain ? "*." : "")\(authority.host)")
    else { return nil }
    // Two ports are none.
    guard !isAnyPort || authority.port == nil else { return nil }
    let origin = WebOrigin(scheme: scheme, host: authority.host, port: authority.port)
    (self.scheme, self.host, port) = (origin.scheme, host, origin.port)
  }

  /// Whether an origin is meant.
  package func matches(_ origin: WebOrigin) -> Bool {
    origin.scheme == scheme && (isAnyPort || origin.port == port) && host.matches(origin.host)
  }
}
