/// Checks text as it arrives, in pieces of any size: UTF-8 as RFC 3629 has it.
///
/// Whole characters are checked in bulk. Only a character that a piece cuts is looked at byte by byte, so that what no
/// further byte can make valid is refused at once.
struct UTF8Validator: Equatable, Sendable {
  /// Bytes that the cut character still needs.
  private var missing: UInt8 = 0
  /// What the next of them may be: the first one decides about overlong forms, surrogates and the end of Unicode.
  private var lowest: UInt8 = 0x80
  private var highest: UInt8 = 0xBF

  /// Whether the text may end here, with no character cut.
  var isComplete: Bool { missing == 0 }

  /// Whether bytes are a whole text.
  ///
  /// - Parameter bytes: the text.
  /// - Returns: whether it is UTF-8.
  static func isValid(_ bytes: Span<UInt8>) -> Bool { (try? UTF8Span(validating: bytes)) != nil }

  /// Takes the next piece.
  ///
  /// - Parameter piece: what follows the pieces before it.
  /// - Returns: whether the text may still become UTF-8; if not, the validator is of no more use.
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

  /// Takes a byte of a character that is not there whole.
  private mutating func take(_ byte: UInt8) -> Bool {
    guard missing > 0 else { return begin(byte) }
    guard byte >= lowest, byte <= highest else { return false }
    missing -= 1
    (lowest, highest) = (0x80, 0xBF)
    return true
  }

  /// Takes the first byte of a character of more than one (RFC 3629 §4).
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

  /// Where the character begins that the end of the piece cuts; the end if it cuts none.
  private static func startOfCutCharacter(in piece: Span<UInt8>, from start: Int) -> Int {
    for length in 1...3 where piece.count - length >= start {
      let byte = piece[piece.count - length]
      // One that continues a character: its first byte stands before.
      if byte & 0xC0 == 0x80 { continue }
      let needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return needed > length ? piece.count - length : piece.count
    }
    return piece.count
  }
}
