/// Whether an app can work with a text in a time that is linear in its length.
///
/// To compare and to hash a `String`, Swift sorts each run of combining marks in quadratic time; and to step back by a
/// character, it counts a run of regional indicators, two of which are a flag, from its beginning. So one message of
/// 64 KiB could stall whoever puts its text into a `Set` or takes its `suffix`. A text with short runs cannot; and nobody
/// writes longer ones.
extension String {
  /// The most non-starters in a row: the Stream-Safe Text Format (UAX #15 §13).
  ///
  /// The marks that a composed letter stands for are not counted with those behind it; there are three at most.
  private static var markLimit: Int { 30 }

  /// The most regional indicators in a row: 64 flags.
  ///
  /// 64 KiB in such runs take no longer to step back through than 64 KiB of ASCII; without a limit they take seconds.
  private static var indicatorLimit: Int { 128 }

  /// What is said of a text that is not Stream-Safe.
  package static var unsafeRun: String {
    "more than \(markLimit) combining marks, or \(indicatorLimit) regional indicators, in a row"
  }

  /// Whether the text has only short runs of combining marks and of regional indicators: at most 30 (UAX #15 §13) and 128.
  ///
  /// The server refuses a client's text that is not so. It looks at each text by itself: an app that joins the texts of clients, or gets texts
  /// from elsewhere, asks here before it compares them, hashes them or walks through them by characters, which takes quadratic time otherwise.
  public var isStreamSafe: Bool {
    guard utf8.contains(where: { $0 >= 0x80 }) else { return true }
    var (marks, indicators) = (0, 0)
    for scalar in unicodeScalars {
      if case "\u{1F1E6}"..."\u{1F1FF}" = scalar {
        (marks, indicators) = (0, indicators + 1)
        if indicators > Self.indicatorLimit { return false }
      } else {
        let count = scalar.nonStarterCount
        (marks, indicators) = (count == 0 ? 0 : marks + count, 0)
        if marks > Self.markLimit { return false }
      }
    }
    return true
  }
}

extension Unicode.Scalar {
  /// How many non-starters the scalar's compatibility decomposition begins with (UAX #15 §13).
  fileprivate var nonStarterCount: Int {
    switch self {
    case ..<"\u{300}": 0
    // Decomposed, these are two marks; the last three are starters themselves.
    case "\u{344}", "\u{F73}", "\u{F75}", "\u{F81}": 2
    // Half-width sound marks: starters that stand for marks.
    case "\u{FF9E}", "\u{FF9F}": 1
    default: properties.canonicalCombiningClass == .notReordered ? 0 : 1
    }
  }
}

extension JSONElement {
  /// Whether all strings and keys in this value are Stream-Safe.
  package var isStreamSafe: Bool { firstUnsafeString == nil }

  /// The first string or key in this value that is not Stream-Safe; nil if all are.
  ///
  /// Costs nothing in a text of ASCII without escapes.
  var firstUnsafeString: JSONElement? {
    guard !document.isPlain else { return nil }
    return (index..<next).lazy.map { JSONElement(document: document, index: $0) }.first {
      !$0.isPlain && $0.string?.isStreamSafe == false
    }
  }
}
