/// Bytes that begin like text and are none, and after how many of them that is certain (RFC 3629 §3 and §4).
let brokenTexts: [(name: String, bytes: [UInt8], seenAfter: Int)] = [
  ("a byte that only continues", [0x80], 1), ("another one", [0xBF, 0x41], 1),
  ("an overlong NUL", [0xC0, 0x80], 1), ("an overlong letter", [0xC1, 0x81], 1),
  ("an overlong form of three bytes", [0xE0, 0x9F, 0xBF], 2), ("a surrogate", [0xED, 0xA0, 0x80], 2),
  ("the last surrogate", [0xED, 0xBF, 0xBF], 2), ("an overlong form of four bytes", [0xF0, 0x8F, 0xBF, 0xBF], 2),
  ("beyond Unicode", [0xF4, 0x90, 0x80, 0x80], 2), ("far beyond Unicode", [0xF5, 0x80, 0x80, 0x80], 1),
  ("five bytes", [0xF8, 0x88, 0x80, 0x80, 0x80], 1), ("no byte of UTF-8", [0xFE], 1), ("nor this", [0xFF], 1),
  ("a letter after one of two bytes", [0xC3, 0x28], 2), ("a letter after one of three", [0xE2, 0x28, 0xA1], 2),
  ("a letter after two of three", [0xE2, 0x82, 0x28], 3), ("a letter after one of four", [0xF0, 0x28, 0x8C, 0xBC], 2),
  ("a letter after two of four", [0xF0, 0x9F, 0x28, 0xBC], 3),
  ("a letter after three of four", [0xF0, 0x9F, 0x98, 0x28], 4),
  ("a character within another", [0xE2, 0xC3, 0xA9], 2), ("one byte too many", [0xC3, 0xA9, 0xA9], 3),
]

/// Text with the first and last character of each length, those around the surrogates, and those that are none.
let wideText =
  "\u{0}\u{7F}\u{80}\u{7FF}\u{800}\u{FFF}\u{1000}\u{D7FF}\u{E000}\u{FEFF}\u{FFFD}\u{FFFF}\u{10000}\u{3FFFF}\u{40000}\u{10FFFF}"
