/// When a client has to send a `ping`, and when it gives up the server.
///
/// A client that has sent nothing for the server's heartbeat sends a `ping`, so that the server keeps the connection.
/// The client also sends a ping if it has received nothing for that long, so that it does not take a server for dead whose other
/// messages need no answer. A server that sends nothing for the heartbeat and ten more seconds is given up.
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

  private let interval: Int
  private var lastSent: Int
  private var lastReceived: Int
  /// Whether a `ping` was sent since the last message from the server.
  private var hasAsked = false

  /// A heartbeat that begins when the connection goes live.
  ///
  /// - Parameters:
  ///   - interval: `heartbeat` of the `welcome`, in milliseconds; 0 for no pings at all.
  ///   - now: the present time in milliseconds.
  public init(interval: Int, at now: Int) {
    self.interval = interval
    lastSent = now
    lastReceived = now
  }

  /// Notes that something was sent.
  public mutating func sent(at now: Int) { lastSent = now }

  /// Notes that something was received.
  public mutating func received(at now: Int) {
    lastReceived = now
    hasAsked = false
  }

  /// The next step; call this after handling everything that has arrived.
  ///
  /// A ``Step/ping`` counts as sent.
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
