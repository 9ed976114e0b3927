/// Whether a session may rest while an effect runs, which is interrupted then.
enum EffectRest: Sendable {
  /// It keeps the session awake: interrupted, its work would be lost.
  case never
  /// It starts again when the session wakes; with a client connected, the session stays awake for what it may report.
  case withoutClients
  /// It starts again when the session wakes, and may miss something until then.
  case always
  /// It starts again when the session wakes, and the bell wakes a session that has a client connected.
  case withBell(Bell)

  init(isResumable: Bool, mayMiss: Bool) {
    self = isResumable ? (mayMiss ? .always : .withoutClients) : .never
  }

  /// Whether the effect starts again when its session wakes.
  var isResumable: Bool {
    if case .never = self { false } else { true }
  }
}

/// Whether a tree may leave memory although a client is connected that wants to be told what happens.
package enum RestRule: Sendable {
  /// An effect runs whose work would be lost, or that may report something which nothing else would wake the session for.
  case mayNot
  /// The tree may leave; the bells, armed at that moment, wake the session for what its effects would have reported.
  case may([Bell])
}
