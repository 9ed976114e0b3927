public import Wire

/// What a message from the server means to its client.
public enum ClientEvent: Equatable, Sendable {
  /// The session is there; actions may be sent. After a resumption, those that the server has not taken are to be sent
  /// again: ``ClientSession/resend()``.
  case live(Welcome)
  /// The view has changed: by these operations or, if nil, as a whole.
  case view(changes: [PatchOperation]?)
  /// A patch does not fit the view, which stays as it was until the next snapshot; the server is to be asked for that:
  /// ``ClientSession/resync(at:)``.
  case outOfStep(Divergence)
  /// The view of this revision has the hash that the server said.
  case verified(revision: Int)
  /// An action was applied.
  case applied(ClientSession.Outstanding)
  /// An action was refused, for good.
  case refused(ClientSession.Outstanding, Nack)
  /// The session is gone, and with it the answer to an action that was sent: it may have been applied or not.
  case outcomeUnknown(ClientSession.Outstanding)
  /// The server has lost so many actions that it had answered, the last ones: a crash was worse than what its answers
  /// survive, as a power cut with the durability `process`. What was not answered is numbered anew, and sent again; but for
  /// what was for the id of a node that is not the root, which may be another one's now: it is counted as lost.
  case lost(Int)
  /// The answer to ``ClientSession/share(_:)``: a token that one other may join the session with, and the milliseconds
  /// that it is valid for.
  case shared(token: String, expires: Int)
  /// What an answered action survives has changed.
  case notice(Welcome.Durability)
  /// The server goes down: the client is to connect again within so many milliseconds, at a random time.
  case draining(within: Int)
  /// The server ends the connection. A reason that this version does not know is nil.
  case ended(Bye?, message: String)
}

/// Why a client cannot go on.
public enum ClientError: Error, Equatable, Sendable, CustomStringConvertible {
  /// There is no session yet, or none any more, or no connection to it.
  case notLive
  /// The message would be longer than the server takes.
  case messageTooLong(limit: Int)
  /// What was on its way when the last connection ended comes before anything new.
  case resendFirst
  /// The server's patches have not fitted six times within a minute. The connection is of no more use.
  case tooManyResyncs
  /// The server sent what it may not.
  case badServer(String)

  /// One sentence for a person.
  public var description: String {
    switch self {
    case .notLive: "There is no live session."
    case .messageTooLong(let limit): "The message would be longer than the \(limit) bytes that the server takes."
    case .resendFirst: "What the server has not taken is to be sent again first."
    case .tooManyResyncs: "The server's patches do not fit, again and again."
    case .badServer(let reason): "The server broke the protocol: \(reason)"
    }
  }
}
