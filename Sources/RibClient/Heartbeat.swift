/// When a client has to `ping`, and when it gives the server up.
///
/// A client that has sent nothing for the server's heartbeat says `ping`, so that the server keeps it. It also does so
/// when it has heard nothing for as long, so that a server whose other messages need no answer is not taken for dead. A
/// server that says nothing for the heartbeat and ten seconds is given up.
///
/// Times are milliseconds of any clock that does not go back.
public struct Heartbeat: Sendable {
  /// What a client does next.
  public enum Step: Equatable, Sendable {
    /// Nothing, for so many milliseconds or until something is sent or received; nil for ever.
    case wait(Int?)
    /// Sends a `ping`.
    case ping
    /// Ends the connection: the server is not there.
    case giveUp
  }

  /// How long after the heartbeat a silent server is given up, in milliseconds.
  public static let grace = 10_000

  private let interval: Int
  private var lastSent: Int
  private var lastReceived: Int
  /// Whether a `ping` was sent since the server was last heard.
  private var hasAsked = false

  /// Begins when a connection is live.
  ///
  /// - Parameters:
  ///   - interval: `heartbeat` of the `welcome`, in milliseconds; 0 for never.
  ///   - now: the time.
  public init(interval: Int, at now: Int) {
    self.interval = interval
    lastSent = now
    lastReceived = now
  }

  /// Notes that something was sent.
  ///
  /// - Parameter now: the time.
  public mutating func sent(at now: Int) { lastSent = now }

  /// Notes that something was received.
  ///
  /// - Parameter now: the time.
  public mutating func received(at now: Int) {
    lastReceived = now
    hasAsked = false
  }

  /// What to do now; to be asked after what has arrived was received.
  ///
  /// - Parameter now: the time.
  /// - Returns: the step. A ``Step/ping`` counts as sent.
  public mutating func step(at now: Int) -> Step {
    guard interval > 0 else { return .wait(nil) }
    let silence = now - lastReceived
    guard silence < interval + Self.grace else { return .giveUp }
    let quiet = hasAsked ? now - lastSent : max(now - lastSent, silence)
    guard quiet < interval else {
      lastSent = now
      hasAsked = true
      return .ping
    }
    return .wait(min(interval - quiet, interval + Self.grace - silence))
  }
}
