import RibCore

/// Lets each session of the room send only so many messages in a while, whatever becomes of them.
///
/// As a middleware, for what counts the actions must outlast a refusal: the state that a riblet counts in is as it was then.
final class FloodGate: Sendable {
  /// How many messages a session may send within ``window``.
  static let most = 20
  /// How long a message is counted.
  static let window = Duration.seconds(10)

  /// The time since the gate was made.
  private let age: @Sendable () -> Duration
  /// When sessions have sent their last messages.
  private let counts = SharedValue(Counts())

  /// A gate to which no message has come yet.
  init(clock: any Clock<Duration>) { age = Self.age(by: clock) }

  private static func age(by clock: some Clock<Duration>) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }

  /// What becomes of an action of a session.
  func decide(_ action: SeenAction, _ session: String) -> ActionDecision {
    guard case .sendTapped? = action.action as? Room.ViewAction else { return .pass }
    return admit(session) ? .pass : .refuse("These are more messages than anybody can read: wait a moment.")
  }

  /// Counts a message of a session; returns false, and counts nothing, if the session has sent too many.
  func admit(_ session: String) -> Bool {
    let now = age()
    var isAdmitted = false
    counts.update { counts in
      counts.forgetOld(at: now)
      let recent = counts.sent[session, default: []].filter { now - $0 < Self.window }
      isAdmitted = recent.count < Self.most
      counts.sent[session] = isAdmitted ? recent + [now] : recent
    }
    return isAdmitted
  }

  /// How many sessions it knows of.
  var count: Int { counts.value.sent.count }

  private struct Counts {
    var sent: [String: [Duration]] = [:]
    /// How many sessions there may be before those are looked for that have sent nothing of late: a session can go
    /// on, or end, in another process.
    var limit = 1_000

    mutating func forgetOld(at now: Duration) {
      guard sent.count >= limit else { return }
      sent = sent.filter { _, sent in sent.contains { now - $0 < FloodGate.window } }
      limit = max(1_000, 2 * sent.count)
    }
  }
}
