import WireHTTP

extension Setting.TextForm {
  /// Where browsers see a server: a URL without a path.
  static let origin = checked("url", "a URL without a path", example: "https://app.example.com") {
    ["http", "https"].contains(WebOrigin(withoutSlash($0))?.scheme)
  }

  /// An origin, or those of all hosts below a domain or of all ports, or the pages without one, or any.
  static let originPattern = checked(
    "origins",
    "an origin, with *. those of all hosts below a domain of two labels at least, with :* those of all ports, null, or *",
    example: "https://app.example.com"
  ) { $0 == "*" || $0 == OriginPolicy.opaque || OriginPattern($0) != nil }

  /// A host's name or address, or all hosts below a domain, or any.
  static let hostPattern = checked(
    "hosts", "a host without a port, with *. all hosts below a domain of two labels at least, or *",
    example: "app.example.com"
  ) { $0 == "*" || HostPattern($0) != nil }

  /// A host and a port.
  static let hostAndPort = checked("host:port", "a host and a port", example: "10.0.0.1:7000") {
    Authority($0)?.port != nil
  }

  /// A host and a port, or the path of a socket.
  static let listenAddress = checked(
    "address", "a host and a port, or unix: and an absolute path", example: "127.0.0.1:9464"
  ) { Authority($0)?.port != nil || $0.hasPrefix("unix:/") }

  /// Where proxies are.
  static let proxy = checked(
    "proxies", "an address, a network, loopback or unix", example: "10.0.0.0/8"
  ) { ["loopback", "unix"].contains($0) || IPNetwork(text: $0) != nil }

  /// The name of a cookie that no other site, and no connection without TLS, can set (RFC 6265bis §4.1.3).
  static let cookieName = checked(
    "cookie", "a cookie's name with the prefix __Host- or __Secure-", example: "__Host-session"
  ) { name in
    (name.hasPrefix("__Host-") || name.hasPrefix("__Secure-"))
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
  }

  /// A URL as it may be written, as an origin.
  static func withoutSlash(_ url: String) -> String { url.hasSuffix("/") ? String(url.dropLast()) : url }
}
