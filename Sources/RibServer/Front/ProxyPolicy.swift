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

  /// Whether the peer of a connection is believed.
  ///
  /// - Parameter peer: its address; nil for a local socket.
  /// - Returns: whether it is a trusted proxy.
  func trusts(_ peer: IPAddress?) -> Bool {
    guard let peer else { return trustsLocalSockets }
    return peer.isLoopback && trustsLoopback || networks.contains { $0.contains(peer) }
  }

  /// Says who a request is from.
  ///
  /// - Parameters:
  ///   - head: the request's.
  ///   - caller: who the connection is from.
  /// - Returns: the client, and the scheme that it has asked with; nil if that is not known.
  func client(of head: RequestHead, _ caller: Caller) -> (Caller, scheme: String?) {
    guard trusts(caller.address), let client = field.client(in: head.headers, from: caller.address, { trusts($0) })
    else { return (caller, nil) }
    return (Caller(address: client.address, isForwarded: true), client.scheme)
  }

  /// Whether somebody who is not believed speaks for somebody else.
  func isForwarded(_ head: RequestHead, _ caller: Caller) -> Bool {
    !trusts(caller.address) && field.client(in: head.headers, from: caller.address) { _ in false } != nil
  }
}

/// Who a connection, or a request, is from.
struct Caller: Equatable, Sendable {
  /// The address; nil if it has none, as of a local socket.
  var address: IPAddress?
  /// Whether a trusted proxy has said so.
  var isForwarded = false

  /// Whether it is a program on this machine, for which there are no limits but the server's own.
  var isLocal: Bool { !isForwarded && address?.isLoopback ?? true }
}
