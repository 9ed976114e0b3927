/// How long riblets take, by type and action.
package struct RibletReport: Codable, Equatable, Sendable {
  /// Since when actions are told apart, in seconds since 1970: since somebody looks.
  package var since = 0
  /// The figures of each action, in alphabetical order; 500 at most.
  package var actions: [ActionFigures] = []
  /// The slowest that were noted lately, the newest first; 100 at most.
  package var slow: [SlowTransaction] = []

  /// Nothing.
  package init() {}
}

/// How long one action of one type of riblet takes.
package struct ActionFigures: Codable, Equatable, Identifiable, Sendable {
  /// The type and the action: `Cart.addTapped`.
  package let id: String
  /// The riblet's type.
  package var riblet: String
  /// The action; `←` for a step back, `…` for what an effect has sent.
  package var action: String
  /// How often.
  package var count: Int
  /// How often it was refused.
  package var refused: Int
  /// Half of them took no longer, in microseconds.
  package var p50: Int
  /// Nineteen of twenty took no longer, in microseconds.
  package var p95: Int
  /// The longest, in microseconds.
  package var max: Int

  /// Figures.
  package init(riblet: String, action: String, count: Int, refused: Int, p50: Int, p95: Int, max: Int) {
    id = "\(riblet).\(action)"
    self.riblet = riblet
    self.action = action
    self.count = count
    self.refused = refused
    self.p50 = p50
    self.p95 = p95
    self.max = max
  }
}

/// A transaction that took ten milliseconds or more.
package struct SlowTransaction: Codable, Equatable, Identifiable, Sendable {
  /// The loop and its count: `0.17`.
  package var id: String
  /// When it ended, in milliseconds since 1970.
  package var time: Int
  /// The session.
  package var session: String
  /// The app.
  package var app: String
  /// The type of the riblet that was asked first.
  package var riblet: String
  /// How long the loop was busy, in microseconds.
  package var duration: Int
}
