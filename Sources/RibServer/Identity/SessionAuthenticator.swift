public import RibCore

/// Finds the person behind a client by a credential.
///
///     struct Keys: SessionAuthenticator {
///       let people: [String: String]
///
///       func authenticate(_ request: AuthenticationRequest) async throws(AuthenticationError) -> Identity? {
///         guard let credential = request.credential else { return nil }
///         guard let name = people[credential.secret] else { throw .invalid("The key is unknown.") }
///         return Identity(name)
///       }
///     }
///
/// It is called on the global pool, never on a session's thread, when a session begins, when a client comes back or joins, when a client
/// renews its identity, and with each request of the HTTP API. The server checks the answer against the person that the client is bound to.
///
/// Clients are served in the order in which they come, at most 64 at a time. A client that has waited for `timeouts.authenticationSeconds`,
/// 10 unless set, is told to come back later (`busy`), and the task that calls the authenticator is cancelled.
public protocol SessionAuthenticator: Sendable {
  /// Finds the person that a credential belongs to.
  ///
  /// - Parameter request: what is known of the client.
  /// - Returns: the person's identity; nil for an anonymous client, which is let in where an app lets in anyone.
  /// - Throws: ``AuthenticationError``, if the credential is not accepted.
  func authenticate(_ request: AuthenticationRequest) async throws(AuthenticationError) -> Identity?

  /// Says whether a person is still let in, although the credential has not expired: an account may have been closed meanwhile.
  ///
  /// The server calls it for the person behind each connected client every `auth.recheckSeconds`, on the global pool like
  /// ``authenticate(_:)``, and never if that setting is 0. A client whose person is not let in any more is told `unauthenticated`, and may
  /// show a credential again: so ``authenticate(_:)`` has to refuse a closed account as well.
  ///
  /// - Parameter identity: the person, as ``authenticate(_:)`` has found it.
  /// - Returns: whether the person is still let in; true unless this is implemented.
  func holds(_ identity: Identity) async -> Bool

  /// Whether no client comes in without a credential.
  ///
  /// Sessions are somebody's then: the server does not start on a state directory that others than its user may read or write.
  var requiresCredential: Bool { get }
}

extension SessionAuthenticator {
  /// Clients may be anonymous.
  public var requiresCredential: Bool { false }

  /// Lets a person in until the credential expires.
  public func holds(_ identity: Identity) async -> Bool { true }
}

/// What an authenticator is told of a client.
public struct AuthenticationRequest: Sendable, Equatable {
  /// What the client wants.
  public enum Purpose: Sendable, Equatable {
    /// To begin a session with an app.
    case begin(app: String)
    /// To go on with a session.
    case resume(session: String)
    /// To join a session that it was invited to.
    case join(session: String)
    /// To renew the client's identity in a session, or to sign in to the client.
    case renew(session: String)
  }

  /// The credential that a client shows.
  public enum Credential: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    /// A token: of `hello` or `auth`, or of `Authorization: Bearer`.
    case bearer(String)
    /// The value of the cookie that `auth.cookie` names.
    case cookie(String)

    /// The kind of the credential without its text, for logs.
    public var debugDescription: String { description }
    /// The kind of the credential without its text, for logs.
    public var description: String {
      switch self {
      case .bearer: "a bearer's token"
      case .cookie: "a cookie"
      }
    }

    /// The text of the credential.
    public var secret: String {
      switch self {
      case .bearer(let secret), .cookie(let secret): secret
      }
    }
  }

  /// What the client wants.
  public let purpose: Purpose
  /// The credential that the client shows; nil for none.
  public let credential: Credential?
  /// The client's IP address, as trusted proxies name it; nil if the client has none.
  public let address: String?
  /// The origin of the page that the client runs in; nil if it runs in none.
  public let origin: String?

  /// A request to authenticate a client.
  ///
  /// - Parameters:
  ///   - purpose: what the client wants.
  ///   - credential: the credential that the client shows.
  ///   - address: the client's IP address.
  ///   - origin: the origin of the page that the client runs in.
  public init(
    _ purpose: Purpose, credential: Credential?, address: String? = nil, origin: String? = nil
  ) {
    self.purpose = purpose
    self.credential = credential
    self.address = address
    self.origin = origin
  }
}

/// Why a credential is not accepted.
///
/// The texts are for the client's developer, and are sent to the client, except that of ``unavailable(_:)``, which is for the log only.
public enum AuthenticationError: Error, Equatable, Sendable {
  /// No credential was shown, and one is needed.
  case missing
  /// The credential is not valid here.
  case invalid(String)
  /// The credential was valid, and has expired.
  case expired
  /// The credential is valid, and its person is not let in.
  case forbidden(String)
  /// The credential cannot be checked at present: a directory or a key server cannot be reached.
  case unavailable(String)
}
