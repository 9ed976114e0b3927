extension PerMessageDeflate {
  /// What a client offers (RFC 7692 §7.1).
  package struct Offer: Equatable, Sendable {
    /// How the server is to compress: whether it may keep context, and its largest window.
    package var server: Direction
    /// How this client will compress at most.
    package var client: Direction

    /// An offer.
    ///
    /// - Parameters:
    ///   - server: how the server is to compress at most.
    ///   - client: how this client will compress at most.
    package init(server: Direction, client: Direction) {
      self.server = server
      self.client = client
    }

    /// What is sent.
    ///
    /// A server that wants this client's window smaller may say so.
    var element: WebSocketExtension {
      var parameters = DeflateParameters()
      parameters.serverNoContextTakeover = !server.keepsContext
      parameters.clientNoContextTakeover = !client.keepsContext
      if server.windowBits < largestWindowBits { parameters.serverMaxWindowBits = server.windowBits }
      parameters.clientMaxWindowBits = client.windowBits
      return parameters.element
    }
  }

  /// Reads a server's answer to an offer.
  ///
  /// - Parameters:
  ///   - answer: the extensions that the server uses.
  ///   - offer: what was offered.
  /// - Returns: what is agreed on; nil if the server declined.
  /// - Throws: ``HTTPError`` for an answer that the offer does not allow: the connection must be failed (§7.1).
  static func check(_ answer: [WebSocketExtension], to offer: Offer) throws(HTTPError) -> PerMessageDeflate? {
    guard let element = answer.first else { return nil }
    guard answer.count == 1, let answer = DeflateParameters(element, in: .answer),
      let agreement = agreement(answer, to: offer)
    else {
      throw .badRequest("The server answers what was not offered about compression (RFC 7692 §7.1).")
    }
    return agreement
  }

  private static func agreement(_ answer: DeflateParameters, to offer: Offer) -> PerMessageDeflate? {
    // §7.1.1.1: what the client wants of the server has to be in the answer.
    guard offer.server.keepsContext || answer.serverNoContextTakeover else { return nil }
    // §7.1.2.1: likewise, and it may be less.
    guard (answer.serverMaxWindowBits ?? largestWindowBits) <= offer.server.windowBits else { return nil }
    // §7.1.2.2: the server may want less than was offered.
    let clientBits = answer.clientMaxWindowBits ?? offer.client.windowBits
    guard clientBits <= offer.client.windowBits else { return nil }
    return PerMessageDeflate(
      server: Direction(
        keepsContext: !answer.serverNoContextTakeover, windowBits: answer.serverMaxWindowBits ?? largestWindowBits),
      client: Direction(
        keepsContext: offer.client.keepsContext && !answer.clientNoContextTakeover, windowBits: clientBits))
  }
}
