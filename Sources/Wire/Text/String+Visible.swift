// A peer's text may have control characters (ISO 6429), which command a terminal, and characters that turn the direction of the text after
// them (UAX #9), which mislead its reader. All programs of this package print such text in the form below.

extension String {
  /// The text as one line that is only seen: other characters are written as in JSON, `\n` or `\u009b`.
  ///
  /// A text that is JSON stays JSON with the same value. Done twice it is the same as once.
  package var visible: String {
    // Most texts are of printable ASCII.
    if utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) || unicodeScalars.allSatisfy(\.isVisible) { return self }
    var visible = ""
    for scalar in unicodeScalars {
      if scalar.isVisible { visible.unicodeScalars.append(scalar) } else { visible += scalar.escape }
    }
    return visible
  }

  /// The text in the same form, line by line.
  package var visibleLines: String {
    split(separator: "\n" as Unicode.Scalar).map(\.visible).joined(separator: "\n")
  }

  /// The lines, also empty ones: a line feed and a carriage return before it are one character, and two here.
  private func split(separator: Unicode.Scalar) -> [String] {
    unicodeScalars.split(separator: separator, omittingEmptySubsequences: false).map { String($0) }
  }
}

extension Unicode.Scalar {
  /// Whether a character can be seen, or is a space: no control character, no line or paragraph separator, and nothing without a look of its own.
  package var isVisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
    default:
      switch self {
      // They choose between the two looks of an emoji before them.
      case "\u{FE0E}", "\u{FE0F}": true
      // A letter of Braille without a dot.
      case "\u{2800}": false
      default: !properties.isDefaultIgnorableCodePoint
      }
    }
  }

  /// The character as an escape of JSON.
  fileprivate var escape: String {
    switch self {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: String(self).utf16.map { "\\u" + String(0x10000 + Int($0), radix: 16).dropFirst() }.joined()
    }
  }
}
