import WireHTTP

/// A URL that keys may be fetched from: the response cannot be changed on its way.
struct KeyURL: Equatable, Sendable {
  /// The URL as it was written.
  let text: String
  /// Whether the scheme is `https`; if not, it is `http`, on this machine.
  let isTLS: Bool
  /// Whether the host is this machine.
  let isLoopback: Bool

  /// A URL.
  ///
  /// - Parameter text: the URL. The result is nil unless its scheme is `https`, or `http` with this machine as the host; also for a URL
  ///   with a user, a fragment, or bytes that no URL may have.
  init?(_ text: String) {
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "\\") })
    else { return nil }
    let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count >= 3, parts[1].isEmpty, !parts[2].contains("?"),
      let origin = WebOrigin(parts[..<3].joined(separator: "/"))
    else { return nil }
    let host = origin.host.description
    let address = IPAddress(text: host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host)
    isLoopback = host == "localhost" || address?.isLoopback == true
    isTLS = origin.scheme == "https"
    guard isTLS || (origin.scheme == "http" && isLoopback) else { return nil }
    self.text = text
  }
}
