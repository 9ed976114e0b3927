public import Wire

/// A consequence of a message from the server: a change of the view, or the outcome of an action.
public enum ClientEvent: Equatable, Sendable {
  /// The session is live, and actions may be sent; after a resumption, those that the server has not taken have to be
  /// sent again first, with ``ClientSession/resend()``.
  case live(Welcome)
  /// The view has changed: by these operations, or as a whole if nil.
  case view(changes: [PatchOperation]?)
  /// A patch does not fit the view, which stays as it was until the next snapshot; ask for that with
  /// ``ClientSession/resync(at:)``.
  case outOfStep(Divergence)
  /// The client's view of this revision has the hash that the server has sent.
  case verified(revision: Int)
  /// An action was applied.
  case applied(ClientSession.Outstanding)
  /// An action was refused; the refusal is final.
  case refused(ClientSession.Outstanding, Nack)
  /// An action may have been applied or not: the session is gone before it was answered, or the server has forgotten its refusals, as
  /// none was acknowledged for long.
  case outcomeUnknown(ClientSession.Outstanding)
  /// The server has lost this many of its last actions, though it had answered them.
  ///
  /// This happens after a crash that its answers do not survive, such as a power cut with the durability `process`.
  /// Actions without an answer get new numbers and are sent again. Those for the id of a node other than the root count
  /// as lost as well, as the id may belong to another node now.
  case lost(Int)
  /// The answer to ``ClientSession/auth(_:)``: in how many milliseconds the client's identity ends; nil for never.
  case renewed(expires: Int?)
  /// The answer to ``ClientSession/share(_:)``: a token with which one other client may join the session, and for how
  /// many milliseconds the token is valid.
  case shared(token: String, expires: Int)
  /// The durability of answered actions has changed: whether they survive the server, or a power cut as well.
  case notice(Welcome.Durability)
  /// The clients that are connected to the session; only for ``ClientSession/features`` with `clients`.
  case clients([ConnectedClient])
  /// The server goes down: the client is to connect again within so many milliseconds, at a random time.
  case draining(within: Int)
  /// The server ends the connection; the reason is nil if this version does not know it.
  case ended(Bye?, message: String)
}

/// Why a client cannot continue.
public enum ClientError: Error, Equatable, Sendable, CustomStringConvertible {
  /// There is no session yet, or it is over, or it has no connection.
  case notLive
  /// The message would be longer than the server allows.
  case messageTooLong(limit: Int)
  /// Actions that the server has not taken have to be sent again before a new one.
  case resendFirst
  /// The server's patches have failed to fit more than six times within a minute; the connection is of no more use.
  case tooManyResyncs
  /// The server's `welcome` does not name this feature: the server would end the connection at such a message.
  case notTaken(Welcome.Feature)
  /// The server has sent something that the protocol does not allow.
  case badServer(String)

  /// One sentence for a person.
  public var description: String {
    switch self {
    case .notLive: "There is no live session."
    case .messageTooLong(let limit): "The message would be longer than the \(limit) bytes that the server takes."
    case .resendFirst: "What the server has not taken is to be sent again first."
    case .tooManyResyncs: "The server's patches do not fit, again and again."
    case .notTaken(let feature): "The server takes no message of the kind \"\(feature.rawValue)\"."
    case .badServer(let reason): "The server broke the protocol: \(reason)"
    }
  }
}
