/// Why the server ends a connection of this protocol: the `code` of its `bye`, which implies the close code that
/// follows.
///
/// The hundreds of the close code say what a client does next, so that a client can act on a code that it does not
/// know.
public enum Bye: String, CaseIterable, Sendable {
  /// The client said `bye`; its session is over.
  case ended
  /// The server goes down.
  case shutdown
  /// The client was silent for longer than the heartbeat allows.
  case silent
  /// The session continues in another process: a client that connects again finds it.
  case moved
  /// The session cannot be read at present: the store fails, or the app is of another version.
  case unavailable
  /// Too many new or kept sessions from one place or of one person, or too many connections of one person.
  case quota
  /// The client cannot be authenticated just now.
  case busy
  /// There is no such session any more.
  case gone
  /// The session is set aside: it made the server's process die twice, as it woke or by what its effects sent.
  case poisoned
  /// The client's identity has ended: the client has to show a new credential.
  case expired
  /// The client has shown no credential where one is needed, or one that is not valid here.
  case unauthenticated
  /// The client's person was signed out, a person has signed in to the session, or the server has ended the session.
  case revoked
  /// The person may not use this app, or the client belongs to another person.
  case forbidden
  /// The client has connected again, and this older connection is no longer its connection.
  case taken
  /// The server has as many sessions as it may have, or no more memory; or the session has as many clients as it may
  /// have.
  case full
  /// An outdated `hello`: the client has sent a later one already.
  case stale
  /// The token is not the client's, or the client may not do what it asks for.
  case denied
  /// The client sent something that is not a message of this protocol, or a message out of turn.
  case badMessage = "bad_message"
  /// There is no app with the name in the `hello`.
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
    /// Connects again without resuming: the old session is gone (4200–4299).
    case asNewSession = "as a new session"
    /// Connects again with a new credential and resumes (4300–4399).
    case withCredential = "with a new credential"
    /// Keeps its session and its outbox, and resumes when its user, or its program, asks for it (4400, 1002, 1003, 1007, 1009).
    ///
    /// Something that it has sent was no message. The same may happen again, so it does not come back by itself.
    case whenAsked = "when asked to"
    /// Does not connect again (4401–4499, and ``Bye/ended``).
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
    case .quota: CloseCode(rawValue: 4102)
    case .busy: CloseCode(rawValue: 4103)
    case .gone: CloseCode(rawValue: 4200)
    case .poisoned: CloseCode(rawValue: 4201)
    case .expired: CloseCode(rawValue: 4300)
    case .unauthenticated: CloseCode(rawValue: 4301)
    case .badMessage: CloseCode(rawValue: 4400)
    case .denied: CloseCode(rawValue: 4401)
    case .revoked: CloseCode(rawValue: 4402)
    case .failed: CloseCode(rawValue: 4403)
    case .unknownApp: CloseCode(rawValue: 4404)
    case .forbidden: CloseCode(rawValue: 4405)
    case .taken: CloseCode(rawValue: 4409)
    case .stale: CloseCode(rawValue: 4410)
    }
  }

  /// What the client does after this `bye`.
  public var comesBack: Return { self == .ended ? .not : Return(closeCode) }
}

extension Bye.Return {
  /// What a client does after a connection was closed with `code`, without a `bye`; nil means that the connection was cut.
  ///
  /// 1000 is a cut as well: a proxy may end an idle connection so, and the server's own 1000 comes after ``Bye/ended``.
  public init(_ code: CloseCode?) {
    switch code?.rawValue ?? 0 {
    case 4100...4199: self = .later
    case 4200...4299: self = .asNewSession
    case 4300...4399: self = .withCredential
    case 4400, 1002, 1003, 1007, 1009: self = .whenAsked
    case 4401...4499: self = .not
    default: self = .atOnce
    }
  }
}
