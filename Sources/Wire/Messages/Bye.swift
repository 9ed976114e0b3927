/// Why the server ends a connection of this protocol: the `code` of its `bye`, and the close code that goes with it.
///
/// The hundreds of the close code say what a client does next, so that one that does not know the code can act on it.
public enum Bye: String, CaseIterable, Sendable {
  /// The client said `bye`; its session is over.
  case ended
  /// The server goes down.
  case shutdown
  /// The client was silent for longer than the heartbeat allows.
  case silent
  /// The session goes on in another process: a client that connects again finds it.
  case moved
  /// The session cannot be read just now: the store fails, or the app is of another version.
  case unavailable
  /// There is no such session any more.
  case gone
  /// The session made the server's process die twice, as it woke or by what its effects sent, and is set aside.
  case poisoned
  /// The client has connected again: this connection is no longer its own.
  case taken
  /// The server has as many sessions, or no more memory, or the session as many clients, as it may have.
  case full
  /// A `hello` from the past: the client has said a later one.
  case stale
  /// The token is not this client's, or the client may not do what it asks for.
  case denied
  /// The client sent what is no message of this protocol, or a message out of turn.
  case badMessage = "bad_message"
  /// No app has the name that `hello` gave.
  case unknownApp = "unknown_app"
  /// No `hello` came in time.
  case noHello = "no_hello"
  /// The app's root could not be built or shown, or the session cannot be saved.
  case failed

  /// What a client does after a `bye`.
  public enum Return: String, Sendable {
    /// Connects again at once and resumes (4000–4099).
    case atOnce = "at once"
    /// Connects again after a while and resumes (4100–4199).
    case later
    /// Connects again without resuming: what it had is gone (4200–4299).
    case asNewSession = "as a new session"
    /// Does not come back by itself (4400–4499, and 1000, 1002, 1003, 1007, 1009).
    case not
  }

  /// The code of the close frame that follows the `bye`.
  public var closeCode: CloseCode {
    switch self {
    case .ended: .normal
    case .shutdown: CloseCode(rawValue: 4000)
    case .silent: CloseCode(rawValue: 4001)
    case .moved: CloseCode(rawValue: 4002)
    case .noHello: CloseCode(rawValue: 4008)
    case .full: CloseCode(rawValue: 4100)
    case .unavailable: CloseCode(rawValue: 4101)
    case .gone: CloseCode(rawValue: 4200)
    case .poisoned: CloseCode(rawValue: 4201)
    case .badMessage: CloseCode(rawValue: 4400)
    case .denied: CloseCode(rawValue: 4401)
    case .failed: CloseCode(rawValue: 4403)
    case .unknownApp: CloseCode(rawValue: 4404)
    case .taken: CloseCode(rawValue: 4409)
    case .stale: CloseCode(rawValue: 4410)
    }
  }

  /// What the client does next.
  public var comesBack: Return { Return(closeCode) }
}

extension Bye.Return {
  /// What a client does after a connection that was closed with `code`.
  ///
  /// - Parameter code: from the close frame; nil if the connection was cut.
  public init(_ code: CloseCode?) {
    switch code?.rawValue ?? 0 {
    case 4100...4199: self = .later
    case 4200...4299: self = .asNewSession
    case 4400...4499, 1000, 1002, 1003, 1007, 1009: self = .not
    default: self = .atOnce
    }
  }
}
