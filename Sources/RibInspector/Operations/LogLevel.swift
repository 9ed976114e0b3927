/// The levels of a log, the least important first, as swift-log names them.
enum LogLevel: String, Codable, CaseIterable {
  case trace, debug, info, notice, warning, error, critical

  /// The levels of which the inspector is shown lines.
  static let kept = allCases.drop { $0 != .notice }
}

/// The level from which on a program writes its log.
package struct WrittenLevel: Codable, Equatable, Sendable {
  /// The level's name in swift-log.
  package let name: String
  /// How long it still holds, in seconds, before that of the settings holds again; nil if it is that of the settings.
  package let secondsLeft: Int?

  /// A level.
  package init(_ name: String, secondsLeft: Int?) {
    (self.name, self.secondsLeft) = (name, secondsLeft)
  }
}
