import Wire

/// What somebody has typed.
enum TypedLine: Equatable {
  /// Nothing: to see the view again.
  case show
  /// An action.
  case act(ActionLine)
  /// `:back`, to leave what is in front of all.
  case back
  /// `:check`, to compare the view with the server's.
  case check
  /// `:share view` or `:share act`, for a token to join the session with.
  case share(ShareScope)

  /// Reads a line.
  ///
  /// - Throws: ``ActionLineError`` if it is none of these.
  init(parsing line: String) throws(ActionLineError) {
    let words = line.split { $0.isWhitespace }
    guard let first = words.first else {
      self = .show
      return
    }
    guard first.hasPrefix(":") else {
      self = .act(try ActionLine(parsing: line))
      return
    }
    switch (first, words.count) {
    case (":back", 1): self = .back
    case (":check", 1): self = .check
    case (":share", 2):
      guard let scope = ShareScope(rawValue: String(words[1])) else { throw Self.unknown(words) }
      self = .share(scope)
    default: throw Self.unknown(words)
    }
  }

  private static func unknown(_ words: [Substring]) -> ActionLineError {
    ActionLineError(
      reason: "There is no \(words.joined(separator: " ")): write :back, :check, :share view or :share act.")
  }
}
