import WireHTTP

/// Which proxies are believed whom they speak for.
struct ProxyPolicy: Sendable {
  private let networks: [IPNetwork]
  private let trustsLoopback: Bool
  private let trustsLocalSockets: Bool
  private let field: ForwardedField
  /// Whether each connection begins with a header of the PROXY protocol.
  let needsHeader: Bool

  /// The policy of settings.
  init(_ settings: ServerSettings) {
    let trusted = settings.proxies.trusted
    networks = trusted.compactMap { IPNetwork(text: $0) }
    trustsLoopback = trusted.contains("loopback")
    trustsLocalSockets = trusted.contains("unix")
    switch settings.proxies.field {
    case .xForwardedFor: field = .xForwardedFor
    case .forwarded: field = .forwarded
    }
    needsHeader = settings.proxies.protocol == .required
  }

  /// Whether somebody is believed whom it speaks for.
  func trusts(_ caller: Caller) -> Bool {
    guard caller.mayBeProxy else { return false }
    return caller.address.map(trusts) ?? trustsLocalSockets
  }

  private func trusts(_ address: IPAddress) -> Bool {
    address.isLoopback && trustsLoopback || networks.contains { $0.contains(address) }
  }

  /// Says who a request is from.
  ///
  /// - Parameters:
  ///   - head: the request's.
  ///   - caller: who the connection is from.
  /// - Returns: the client, and the scheme that it has asked with; nil if that is not known.
  func client(of head: RequestHead, _ caller: Caller) -> (Caller, scheme: String?) {
    guard trusts(caller), let client = field.client(in: head.headers, from: caller.address, trusts) else {
      return (caller, nil)
    }
    return (Caller(behind: caller, client.address), client.scheme)
  }

  /// Whether somebody who is not believed speaks for somebody else.
  func isForwarded(_ head: RequestHead, _ caller: Caller) -> Bool {
    !trusts(caller) && field.client(in: head.headers, from: caller.address) { _ in false } != nil
  }
}
