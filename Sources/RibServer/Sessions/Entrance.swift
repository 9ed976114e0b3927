import RibCore
import Wire

/// How a client comes to a session that is there already.
enum Entrance: Sendable {
  /// It comes back.
  case resumption(ClientMessage.Resume)
  /// It was invited, with this token; and what it says of itself.
  case invitation(String, ClientInfo)
  /// It was there all the time, and the session was not in memory.
  case wake(Sleeper)
  /// It asks for the session's events, and has those up to an id; its `try`, if it counts them.
  case events(sessionID: String, token: String, after: String?, attempt: Int?)

  /// The session that is looked for.
  var sessionID: String {
    switch self {
    case .resumption(let resume): resume.sessionID
    case .invitation(let token, _): Self.sessionID(ofInvitation: token)
    case .wake(let sleeper): sleeper.sessionID
    case .events(let id, _, _, _): id
    }
  }

  /// Of the token that is to open the session; nil for a client that was let in before.
  private var tokenHash: String? {
    switch self {
    case .resumption(let resume): SessionToken.hash(resume.token)
    case .invitation(let token, _): SessionToken.hash(token)
    case .wake: nil
    case .events(_, let token, _, _): SessionToken.hash(token)
    }
  }

  /// What the client shows for the session.
  var claim: SessionClaim { SessionClaim(tokenHash: tokenHash, client: clientID, attempt: attempt) }

  /// The client's id; nil for one whose token alone says which it is.
  private var clientID: Int? {
    switch self {
    case .resumption(let resume): resume.clientID
    case .wake(let sleeper): sleeper.client
    case .invitation, .events: nil
    }
  }

  /// The client's `try`; nil for one that counts none, or was let in before.
  private var attempt: Int? {
    switch self {
    case .resumption(let resume): resume.attempt
    case .events(_, _, _, let attempt): attempt
    case .invitation, .wake: nil
    }
  }

  /// What the client comes back with, for a session that rests.
  ///
  /// - Parameters:
  ///   - program: the one that runs.
  ///   - identity: the person whose credential the client has shown; nil for nobody.
  /// - Returns: nil if it needs the session in memory.
  func resume(in program: String, as identity: Identity?) -> SessionResume? {
    // One without a view is to be shown it.
    guard case .resumption(let resume) = self, !resume.epoch.isEmpty, resume.revision > 0 else { return nil }
    return SessionResume(
      sessionID: resume.sessionID, clientID: resume.clientID, tokenHash: SessionToken.hash(resume.token),
      attempt: resume.attempt, epoch: resume.epoch, revision: resume.revision, program: program,
      identity: identity)
  }

  /// The session that an invitation is for: what stands before the dot.
  ///
  /// - Parameter token: the invitation.
  /// - Returns: the session's name, if the token is one.
  static func sessionID(ofInvitation token: String) -> String {
    String(Substring(token.utf8.prefix { $0 != UInt8(ascii: ".") }))
  }

  /// What a client is told that cannot come in.
  ///
  /// - Parameter ending: why there is no session.
  /// - Returns: the same, or less where the client is to learn nothing of what there is.
  func turnedAway(_ ending: Ending) -> Ending {
    if case .invitation = self, ending.bye == .gone {
      return .invitationIsVoid
    }
    return ending
  }
}

/// What becomes of a client that wants to come in.
enum Admission {
  /// It is let in.
  case admitted
  /// It is not, and why; nothing has changed.
  case refused(Ending)
  /// The client is unknown here, and another process may have the session: ask again after the next commit.
  case isDoubtful
  /// The client has used up its budget: it is to wait for so many nanoseconds. Nothing has changed.
  case isEarly(UInt64)
  /// The session has left memory: look for it again.
  case left
}
