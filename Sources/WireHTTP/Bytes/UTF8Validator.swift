/// Checks that text is UTF-8 (RFC 3629) while it arrives in pieces of any size.
///
/// Whole characters are checked in bulk. Only a character cut by the end of a piece is checked byte by byte, so that a
/// sequence that no further byte can complete is refused at once.
struct UTF8Validator: Equatable, Sendable {
  /// Bytes that the cut character still needs.
  private var missing: UInt8 = 0
  /// The range in which the next of these bytes has to be: behind the first byte of a character it excludes overlong
  /// forms, surrogates and values beyond the end of Unicode.
  private var lowest: UInt8 = 0x80
  private var highest: UInt8 = 0xBF

  /// Whether the text may end here: no character is cut.
  var isComplete: Bool { missing == 0 }

  /// Whether bytes are a complete text in UTF-8.
  static func isValid(_ bytes: Span<UInt8>) -> Bool { (try? UTF8Span(validating: bytes)) != nil }

  /// Takes the next piece of the text.
  ///
  /// - Returns: whether the text can still become UTF-8; if not, the validator must not be used any more.
  mutating func accept(_ piece: Span<UInt8>) -> Bool {
    var start = 0
    while missing > 0, start < piece.count {
      guard take(piece[start]) else { return false }
      start += 1
    }
    let cut = Self.startOfCutCharacter(in: piece, from: start)
    guard Self.isValid(piece.extracting(start..<cut)) else { return false }
    for index in cut..<piece.count {
      guard take(piece[index]) else { return false }
    }
    return true
  }

  /// Takes one byte of a character that is cut by the end of a piece.
  private mutating func take(_ byte: UInt8) -> Bool {
    guard missing > 0 else { return begin(byte) }
    guard byte >= lowest, byte <= highest else { return false }
    missing -= 1
    (lowest, highest) = (0x80, 0xBF)
    return true
  }

  /// Takes the first byte of a character of several bytes (RFC 3629 §4).
  private mutating func begin(_ byte: UInt8) -> Bool {
    switch byte {
    case 0xC2...0xDF: missing = 1
    case 0xE0: (missing, lowest) = (2, 0xA0)
    case 0xED: (missing, highest) = (2, 0x9F)
    case 0xE1...0xEF: missing = 2
    case 0xF0: (missing, lowest) = (3, 0x90)
    case 0xF1...0xF3: missing = 3
    case 0xF4: (missing, highest) = (3, 0x8F)
    default: return false
    }
    return true
  }

  /// The index at which the character begins that the end of the piece cuts; the end of the piece if it cuts none.
  private static func startOfCutCharacter(in piece: Span<UInt8>, from start: Int) -> Int {
    for length in 1...3 where piece.count - length >= start {
      let byte = piece[piece.count - length]
      // A continuation byte: the character begins further in front.
      if byte & 0xC0 == 0x80 { continue }
      let needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return needed > length ? piece.count - length : piece.count
    }
    return piece.count
  }
}
