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

  /// The extension's name.
  static let name = "permessage-deflate"
  /// What a window's size may be.
  static let windowBits = 8...15
  /// The size of a window that nobody limits.
  package static let largestWindowBits = 15
}
