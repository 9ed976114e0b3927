/// What two ends have agreed on about compression: the extension permessage-deflate (RFC 7692 §7).
package struct PerMessageDeflate: Equatable, Sendable {
  /// How one end compresses.
  package struct Direction: Equatable, Sendable {
    /// Whether a message may refer to what was said in earlier ones: context takeover (§7.1.1).
    ///
    /// It makes small messages smaller and keeps zlib's state for as long as the connection lasts.
    package var keepsContext: Bool
    /// How far back it refers at most: to the last 2 to the power of 8 to 15 bytes (§7.1.2).
    package var windowBits: Int

    /// A way to compress.
    ///
    /// - Parameters:
    ///   - keepsContext: whether messages may refer to earlier ones.
    ///   - windowBits: 8 to 15.
    package init(keepsContext: Bool, windowBits: Int = PerMessageDeflate.largestWindowBits) {
      precondition(PerMessageDeflate.windowBits.contains(windowBits), "a window has 8 to 15 bits (RFC 7692 §7.1.2)")
      self.keepsContext = keepsContext
      self.windowBits = windowBits
    }
  }

  /// How the server compresses.
  package var server: Direction
  /// How the client compresses.
  package var client: Direction

  /// An agreement.
  init(server: Direction, client: Direction) {
    self.server = server
    self.client = client
  }

  /// The agreement with all of its parameters, as an answer would give them.
  package var text: String {
    var parameters = DeflateParameters()
    parameters.serverNoContextTakeover = !server.keepsContext
    parameters.clientNoContextTakeover = !client.keepsContext
    parameters.serverMaxWindowBits = server.windowBits
    parameters.clientMaxWindowBits = client.windowBits
    return parameters.element.text
  }

  /// Reads what ``text`` has written.
  ///
  /// - Parameter text: the agreement; nil if it is none.
  package init?(text: String) {
    let extensions = try? WebSocketExtension.list(in: ["Sec-WebSocket-Extensions": text])
    guard let extensions, extensions.count == 1,
      let parameters = DeflateParameters(extensions[0], in: .answer),
      let serverBits = parameters.serverMaxWindowBits, let clientBits = parameters.clientMaxWindowBits
    else { return nil }
    server = Direction(keepsContext: !parameters.serverNoContextTakeover, windowBits: serverBits)
    client = Direction(keepsContext: !parameters.clientNoContextTakeover, windowBits: clientBits)
  }

  /// The extension's name.
  static let name = "permessage-deflate"
  /// What a window's size may be.
  static let windowBits = 8...15
  /// The size of a window that nobody limits.
  package static let largestWindowBits = 15
}
