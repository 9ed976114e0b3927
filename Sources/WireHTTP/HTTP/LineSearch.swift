/// Finds the end of a line: CR LF and nothing else (RFC 9112 §2.2).
enum LineSearch {
  /// Looks on for the end of a line.
  ///
  /// - Parameters:
  ///   - bytes: what there is.
  ///   - searched: how far the line was searched; moved on, so that bytes that trickle in are looked at once.
  ///   - end: up to where to look.
  /// - Returns: where the line's CR is; nil if it is still to come.
  /// - Throws: ``HTTPError`` for a bare CR or LF.
  static func end(in bytes: Span<UInt8>, from searched: inout Int, upTo end: Int) throws(HTTPError) -> Int? {
    while searched < end, bytes[searched] != HTTPGrammar.carriageReturn {
      // RFC 9112 §2.2 allows a lone LF as a line end, and with it readers that disagree about where a line ends.
      guard bytes[searched] != HTTPGrammar.lineFeed else { throw .badRequest("A line ends with LF alone, not CR LF.") }
      searched += 1
    }
    guard end - searched >= 2 else { return nil }
    guard bytes[searched + 1] == HTTPGrammar.lineFeed else {
      throw .badRequest("A CR is not followed by LF (RFC 9112 §2.2).")
    }
    return searched
  }
}
