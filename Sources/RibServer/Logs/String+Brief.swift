extension String {
  /// How many bytes of a text that a client has chosen are written into the log.
  static let logLimit = 200

  /// The text, or its beginning and an ellipsis if it is long.
  ///
  /// - Parameter limit: how many bytes it may have; those of the ellipsis come on top.
  /// - Returns: whole characters.
  func brief(within limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var brief = ""
    for character in self {
      guard brief.utf8.count + character.utf8.count < limit else { break }
      brief.append(character)
    }
    return brief + "…"
  }

  /// As much of the text as is written into the log, if a client has chosen it.
  var forLog: String { brief(within: Self.logLimit) }
}
