/// The streams of zlib that the connections of one thread share.
///
/// A direction without context takeover needs a stream only while a message is deflated or inflated, which is never
/// interrupted: one for each size of window is enough for any number of connections. A direction with context takeover
/// has a stream of its own for as long as the connection lasts.
package final class DeflateStreams {
  private var inflater: Inflater?
  private var deflaters: [Int: Deflater] = [:]

  /// No streams; each is made when it is asked for.
  package init() {}

  /// What inflates the messages of a peer.
  ///
  /// - Parameter direction: the peer's, as it was agreed on.
  /// - Returns: an inflater, shared if the direction keeps no context.
  package func inflater(for direction: PerMessageDeflate.Direction) -> Inflater {
    if direction.keepsContext { return Inflater(direction) }
    if let inflater { return inflater }
    // The largest window inflates what was deflated with any.
    let inflater = Inflater(PerMessageDeflate.Direction(keepsContext: false))
    self.inflater = inflater
    return inflater
  }

  /// What deflates the messages of this end.
  ///
  /// - Parameter direction: this end's, as it was agreed on.
  /// - Returns: a deflater, shared if the direction keeps no context; nil for a window of 8 bits, which zlib does not
  ///   have: messages are sent as they are then, as they always may be.
  package func deflater(for direction: PerMessageDeflate.Direction) -> Deflater? {
    guard direction.windowBits > 8 else { return nil }
    if direction.keepsContext { return Deflater(direction) }
    if let deflater = deflaters[direction.windowBits] { return deflater }
    let deflater = Deflater(direction)
    deflaters[direction.windowBits] = deflater
    return deflater
  }

  /// What stands for an inflater of other streams here.
  func counterpart(of inflater: Inflater) -> Inflater {
    inflater.keepsContext ? inflater : self.inflater(for: PerMessageDeflate.Direction(keepsContext: false))
  }

  /// What stands for a deflater of other streams here.
  func counterpart(of deflater: Deflater) -> Deflater? {
    if deflater.keepsContext { return deflater }
    return self.deflater(
      for: PerMessageDeflate.Direction(keepsContext: false, windowBits: Int(deflater.windowBits)))
  }
}
