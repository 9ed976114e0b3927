import RibTestSupport

extension String {
  /// A short string of what is hard: escapes, pointer syntax, accents that join what is before them, two forms of é.
  static func random(using generator: inout SeededGenerator) -> String {
    let pieces = [
      "a", "b", "1", "0", "-", " ", "~", "/", "~1", "\"", "\\", "\n", "\u{0}", "\u{1F}", "\u{7F}", "\u{E9}", "e\u{301}",
      "\u{301}", "\u{20AC}", "\u{1F600}", "\u{1F468}\u{200D}\u{1F469}", "\r\n", "{", "]", ",", ":",
    ]
    return (0..<Int.random(in: 0...4, using: &generator)).map { _ in
      pieces.randomElement(using: &generator) ?? ""
    }.joined()
  }
}
