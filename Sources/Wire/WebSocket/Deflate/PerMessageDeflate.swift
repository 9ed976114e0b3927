/// What two ends have agreed on about compression: the extension permessage-deflate (RFC 7692 §7).
public struct PerMessageDeflate: Equatable, Sendable {
  /// How one end compresses.
  public struct Direction: Equatable, Sendable {
    /// Whether a message may refer to what was said in earlier ones: context takeover (§7.1.1).
    ///
    /// It makes small messages smaller and keeps zlib's state for as long as the connection lasts.
    public var keepsContext: Bool
    /// How far back it refers at most: to the last 2 to the power of 8 to 15 bytes (§7.1.2).
    public var windowBits: Int

    /// A way to compress.
    ///
    /// - Parameters:
    ///   - keepsContext: whether messages may refer to earlier ones.
    ///   - windowBits: 8 to 15.
    public init(keepsContext: Bool, windowBits: Int = PerMessageDeflate.largestWindowBits) {
      precondition(PerMessageDeflate.windowBits.contains(windowBits), "a window has 8 to 15 bits (RFC 7692 §7.1.2)")
      self.keepsContext = keepsContext
      self.windowBits = windowBits
    }
  }

  /// How the server compresses.
  public var server: Direction
  /// How the client compresses.
  public var client: Direction

  /// The extension's name.
  static let name = "permessage-deflate"
  /// What a window's size may be.
  static let windowBits = 8...15
  /// The size of a window that nobody limits.
  public static let largestWindowBits = 15
}
