extension HeaderFields {
  /// Adds the field of one line.
  ///
  /// - Parameter line: a line of the header section, without its line end.
  /// - Throws: ``HTTPError`` with 400 if it is not `field-name ":" OWS field-value OWS` (RFC 9112 §5).
  mutating func append(parsing line: Span<UInt8>) throws(HTTPError) {
    guard let colon = HTTPGrammar.position(of: UInt8(ascii: ":"), in: line) else {
      throw .badRequest("A header line has no colon (RFC 9112 §5).")
    }
    let name = line.extracting(..<colon)
    // Here a folded line (obs-fold, RFC 9112 §5.2) and whitespace before the colon (§5.1) fail as well.
    guard !name.isEmpty, HTTPGrammar.all(name, HTTPGrammar.isTokenByte) else {
      throw .badRequest("A header field's name is not a token, or the line is folded (RFC 9112 §5.1 and §5.2).")
    }
    let value = line.extracting(Self.trimmed(line, from: colon + 1))
    guard HTTPGrammar.all(value, HTTPGrammar.isFieldByte) else {
      throw .badRequest("A header field's value has a control character (RFC 9110 §5.5).")
    }
    append(name: HTTPGrammar.text(name), value: HTTPGrammar.text(value))
  }

  /// Where the part of `line` from `start` on is without the whitespace around it (RFC 9112 §5.1).
  private static func trimmed(_ line: Span<UInt8>, from start: Int) -> Range<Int> {
    var start = start
    var end = line.count
    while start < end, HTTPGrammar.isWhitespace(line[start]) { start += 1 }
    while end > start, HTTPGrammar.isWhitespace(line[end - 1]) { end -= 1 }
    return start..<end
  }
}
