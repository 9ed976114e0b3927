/// When a client has to send a `ping`, and when it gives up the server.
///
/// A client that has sent nothing for the server's heartbeat sends a `ping`, so that the server keeps the connection.
/// The client also sends a ping if it has received nothing for that long, so that it does not take a server for dead whose other
/// messages need no answer. A server that sends nothing for the heartbeat and ten more seconds is given up.
///
/// A client that waits for something, or was held up, does not wait for so long: it asks, and gives the server five seconds.
///
/// | state       | until                                                                        | then                  |
/// |-------------|------------------------------------------------------------------------------|-----------------------|
/// | `listening` | a heartbeat without a message of the client's, or of the server's; or an action has no answer for three seconds | ``Step/ping`` |
/// | `asking`    | the server has sent nothing for as long as it has to respond                  | ``Step/giveUp``       |
///
/// Times are milliseconds of any clock that does not go back.
public struct Heartbeat: Sendable {
  /// The step that a client takes next.
  public enum Step: Equatable, Sendable {
    /// Wait so many milliseconds, or until something is sent or received; nil means without a limit.
    case wait(Int?)
    /// Send a `ping`.
    case ping
    /// End the connection, as the server does not respond.
    case giveUp
  }

  /// How many milliseconds after the heartbeat a silent server is given up.
  public static let grace = 10_000
  /// How many milliseconds an action has no answer before the client asks whether the server is there; twice as many each time that
  /// the server is.
  public static let answerTime = 3000
  /// How many milliseconds the server then has to respond; twice as many after each connection on which it has not.
  public static let patience = 5000

  private enum State {
    /// Until a ping is due; at the latest at this time, if there is one.
    case listening(until: Int?)
    /// A ping was sent, and nothing has come since: the server is given up at this time.
    case asking(until: Int)
  }

  /// The first action that has no answer.
  private struct Doubt {
    /// The number of the action before it.
    let number: Int
    /// When it began to wait.
    let start: Int
    /// How many milliseconds of silence make the client ask whether the server is there.
    var patience = Heartbeat.answerTime
  }

  private let interval: Int
  private var patience = Self.patience
  private var state = State.listening(until: nil)
  private var doubt: Doubt?
  private var lastSent: Int
  private var lastReceived: Int
  private var lastPing: Int
  /// Whether the server has not responded in time.
  private var hasGivenUp = false

  /// A heartbeat that begins when the connection goes live.
  ///
  /// - Parameters:
  ///   - interval: `heartbeat` of the `welcome`, in milliseconds; 0 for no pings at all.
  ///   - now: the present time in milliseconds.
  ///   - previous: the heartbeat of the client's connection before, if there was one. If that connection was given up, the server may have been
  ///     sending a long view, behind which its other messages wait: it has more time to respond then.
  public init(interval: Int, at now: Int, after previous: Heartbeat? = nil) {
    self.interval = interval
    (lastSent, lastReceived, lastPing) = (now, now, now)
    if let previous { patience = previous.nextPatience }
  }

  /// The patience of a connection after this one.
  private var nextPatience: Int { hasGivenUp ? min(2 * patience, max(interval, 0) + Self.grace) : patience }

  /// Notes that something was sent.
  public mutating func sent(at now: Int) { lastSent = now }

  /// Notes that something was received.
  public mutating func received(at now: Int) {
    lastReceived = now
    patience = Self.patience
    state = .listening(until: nil)
  }

  /// Notes which actions have answers; to be called when something was received, and when an action was sent.
  ///
  /// - Parameters:
  ///   - number: the number of the last action that has one.
  ///   - isAll: whether no action waits for one.
  ///   - now: the present time in milliseconds.
  public mutating func answered(through number: Int, isAll: Bool, at now: Int) {
    if isAll {
      doubt = nil
    } else if doubt?.number != number {
      doubt = Doubt(number: number, start: now)
      if case .asking(let until) = state {
        state = .asking(until: min(until, now + Self.answerTime + patience))
      }
    }
  }

  /// Notes that the client was held up, or that there is a network again: the connection may be long over.
  public mutating func woke(at now: Int) {
    switch state {
    case .listening: if now > lastReceived { state = .listening(until: now) }
    case .asking(let until): state = .asking(until: min(until, now + patience))
    }
  }

  /// When an action has had no answer for too long; nil if none waits.
  private var doubtTime: Int? {
    doubt.map { max($0.start, lastReceived, lastPing) + $0.patience }
  }

  /// The next step; call this after handling everything that has arrived.
  ///
  /// A ``Step/ping`` counts as sent.
  public mutating func step(at now: Int) -> Step {
    guard interval > 0 else { return .wait(nil) }
    switch state {
    case .asking(let until):
      guard now >= until else { return .wait(until - now) }
      hasGivenUp = true
      return .giveUp
    case .listening(let until):
      let silence = max(lastPing, min(lastReceived, lastSent)) + interval
      let urgent = [until, doubtTime].compactMap(\.self).min()
      let due = min(silence, urgent ?? silence)
      guard now >= due else { return .wait(due - now) }
      if var doubt, let doubtTime, now >= doubtTime {
        doubt.patience = min(2 * doubt.patience, interval)
        self.doubt = doubt
      }
      (lastPing, lastSent) = (now, now)
      let isUrgent = urgent.map { now >= $0 } ?? false
      state = .asking(until: isUrgent ? now + patience : max(now, lastReceived + interval) + Self.grace)
      return .ping
    }
  }
}
