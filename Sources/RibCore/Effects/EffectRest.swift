/// Whether a session may rest while an effect runs; if it rests, the effect is interrupted.
enum EffectRest: Sendable {
  /// The effect keeps the session awake: if it were interrupted, its work would be lost.
  case never
  /// The effect starts again when the session wakes. While a client is connected, the session stays awake for what the
  /// effect may report.
  case withoutClients
  /// The effect starts again when the session wakes, and what it would have reported meanwhile may be missed.
  case always
  /// The effect starts again when the session wakes, and the bell wakes a session that has a client connected.
  case withBell(Bell)

  init(isResumable: Bool, mayMiss: Bool) {
    self = isResumable ? (mayMiss ? .always : .withoutClients) : .never
  }

  /// Whether the effect starts again when its session wakes.
  var isResumable: Bool {
    if case .never = self { false } else { true }
  }
}

/// Whether a tree may leave memory while a client is connected.
package enum RestRule: Sendable {
  /// The tree has to stay: an effect runs whose work would be lost, or that may report what no bell would ring for.
  case mayNot
  /// The tree may leave. These bells, armed at that moment, wake the session for what its effects would have reported.
  case may([Bell])
}
