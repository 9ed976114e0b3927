extension PerMessageDeflate {
  /// Which offers a server accepts.
  package struct Policy: Equatable, Sendable {
    /// Whether both ends may keep context, unless the client does not want it.
    ///
    /// Off by default: an idle connection then holds no zlib state, and a message tells nothing of the one before it.
    package var keepsContext: Bool
    /// The largest window that either end uses: 9 to 15 bits.
    package var windowBits: Int

    /// A policy.
    ///
    /// - Parameters:
    ///   - keepsContext: whether both ends may keep context.
    ///   - windowBits: 9 to 15.
    package init(keepsContext: Bool = false, windowBits: Int = largestWindowBits) {
      precondition((9...15).contains(windowBits), "zlib deflates with windows of 9 to 15 bits")
      self.keepsContext = keepsContext
      self.windowBits = windowBits
    }
  }

  /// Chooses among a client's offers (RFC 7692 §5 and §7.1).
  ///
  /// - Parameters:
  ///   - offers: what the client sent, the most preferred first.
  ///   - policy: what this server accepts.
  /// - Returns: what is agreed on and the answer that says so, for the first offer that can be accepted; nil if none can.
  static func accept(
    _ offers: [WebSocketExtension], _ policy: Policy
  ) -> (agreement: PerMessageDeflate, answer: WebSocketExtension)? {
    for offer in offers {
      if let offer = DeflateParameters(offer, in: .offer), let accepted = accept(offer, policy) { return accepted }
    }
    return nil
  }

  private static func accept(
    _ offer: DeflateParameters, _ policy: Policy
  ) -> (agreement: PerMessageDeflate, answer: WebSocketExtension)? {
    // zlib has no window of 8 bits, and one of 9 would be more than the client can inflate.
    guard offer.serverMaxWindowBits != 8 else { return nil }
    let server = Direction(
      keepsContext: policy.keepsContext && !offer.serverNoContextTakeover,
      windowBits: min(offer.serverMaxWindowBits ?? largestWindowBits, policy.windowBits))
    var client = Direction(keepsContext: policy.keepsContext && !offer.clientNoContextTakeover)
    var answer = DeflateParameters()
    answer.serverNoContextTakeover = !server.keepsContext
    answer.clientNoContextTakeover = !client.keepsContext
    if offer.serverMaxWindowBits != nil || server.windowBits < largestWindowBits {
      answer.serverMaxWindowBits = server.windowBits
    }
    // §7.1.2.2: only a client that knows the parameter may be told a size. Without context it costs nothing here.
    if let limit = offer.clientMaxWindowBits {
      client.windowBits = client.keepsContext ? min(limit, policy.windowBits) : limit
      if client.windowBits < limit { answer.clientMaxWindowBits = client.windowBits }
    }
    return (PerMessageDeflate(server: server, client: client), answer.element)
  }
}
