import WireHTTP

/// Which names in the Host field the server answers for.
///
/// A page can have its own name point to any address, so that a browser takes a server at home or in a company for the page's own
/// (DNS rebinding): the Host field tells.
struct HostPolicy: Sendable {
  /// The names; nil for any.
  private let names: [HostPattern]?

  /// What a server on this machine's own address is called.
  private static let own = ["localhost", "127.0.0.1", "[::1]"]

  /// The policy of settings.
  ///
  /// - Parameters:
  ///   - settings: the server's.
  ///   - address: where it listens.
  init(_ settings: ServerSettings, listeningAt address: String) {
    let isLocal = IPAddress(text: address)?.isLoopback ?? false
    let publicHost = settings.publicOrigin.map { $0.host.description }
    let hosts =
      settings.hosts.isEmpty && isLocal ? Self.own + [address.contains(":") ? "[\(address)]" : address] : settings.hosts
    let known = hosts + [publicHost].compactMap(\.self)
    names = known.isEmpty || hosts.contains("*") ? nil : known.compactMap { HostPattern($0) }
  }

  /// Whether the server answers for the host of a request; one of HTTP/1.0 may have none, which no browser sends.
  func answers(to head: RequestHead) -> Bool {
    guard let names, let field = head.headers["Host"] else { return true }
    guard let host = Authority(field)?.host else { return false }
    return names.contains { $0.matches(host) }
  }
}

extension ServerSettings {
  /// The origin of ``publicURL``; nil if there is none.
  var publicOrigin: WebOrigin? { WebOrigin(Setting.TextForm.withoutSlash(publicURL)) }
}
