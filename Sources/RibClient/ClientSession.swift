public import Wire

/// A client's half of the protocol, without any I/O: bytes of messages go in, events and bytes of messages come out.
///
/// The session keeps a mirror of the view, and an outbox of the actions that the server has not answered. One value serves one
/// session, over any number of connections.
///
/// | state      | what may be sent                                          | what may come                  | next                    |
/// |------------|-----------------------------------------------------------|--------------------------------|-------------------------|
/// | `new`      | ``hello(app:parameters:client:auth:)``, ``join(token:client:auth:)`` | nothing                        | `greeting`              |
/// | `greeting` | nothing                                                   | `welcome`, `bye`               | `live`, `ended`, `away` |
/// | `live`     | everything else                                           | everything else, and `bye`     | `ended`, `away`         |
/// | `away`     | ``resume(client:auth:)``                                     | nothing                        | `greeting`              |
/// | `ended`    | nothing                                                   | nothing                        |                         |
public struct ClientSession {
  enum State {
    /// Nothing has been sent yet.
    case new
    /// `hello` was sent.
    case greeting
    /// `welcome` was received.
    case live(Welcome)
    /// The connection is gone, and the session can be resumed.
    case away
    /// The session is gone, or must not be resumed.
    case ended
  }

  var state = State.new
  var reader = JSONReader()
  var mirror = ViewMirror()
  private var resyncs = ResyncLimit()
  /// The last acknowledgement that the client has sent on this connection; nil if it has sent none.
  var acknowledged: Acknowledgement?
  /// The number of the client's last action.
  var lastNumber = 0
  /// The app that the session was started with; nil if the client has joined the session.
  private var app: String?
  /// How many times `hello` was sent.
  private var attempt = 0
  /// The greatest number of an action that the server had at the `welcome`, or that was sent since.
  var sentNumber = 0
  /// The number of the action over which the server has probably ended a connection; 0 for none.
  var blamedNumber = 0

  /// The last `welcome`; nil before the first.
  public internal(set) var lastWelcome: Welcome?
  /// The query that names the session in the URL of its next connection; nil before the first `welcome`.
  ///
  /// The first connection of a client that joins has ``SessionQuery/init(shareToken:)``.
  public var query: SessionQuery? { lastWelcome.map { SessionQuery(sessionID: $0.sessionID) } }
  /// The greatest number of an action that the server has answered.
  public internal(set) var coveredNumber = 0
  /// The actions that the server has not answered, in order.
  public internal(set) var outbox: [Outstanding] = []

  /// A client that has sent nothing yet.
  public init() {}

  /// The view document as the server sent it last; nil before the first `snap`.
  public var view: JSONValue? { mirror.view }

  /// The revision of ``view``; 0 if the view is of another epoch, or does not fit the server's patches.
  public var revision: Int { mirror.revision }

  /// The `welcome` of the present connection; nil unless the session is live.
  public var welcome: Welcome? {
    if case .live(let welcome) = state { welcome } else { nil }
  }

  /// The kinds of messages that the client asks for besides those that every client gets; set them before a connection begins.
  public var features: [ClientFeature] = []

  // MARK: Sending

  /// Writes the first message, which starts an app.
  ///
  /// - Parameters:
  ///   - app: the app's name.
  ///   - parameters: what the app's root is built with; nil for none.
  ///   - client: the program that draws the view.
  ///   - auth: the credential that says who the client is; nil for none.
  /// - Returns: the message's bytes.
  public mutating func hello(
    app: String, parameters: JSONValue? = nil, client: ClientInfo = ClientInfo(), auth: String? = nil
  ) -> [UInt8] {
    guard case .new = state else { preconditionFailure("hello is said once") }
    state = .greeting
    self.app = app
    return message { $0.hello(app: app, parameters: parameters, client: client, features: features, auth: auth) }
  }

  /// Writes the first message, which joins a session that another client has shared.
  ///
  /// - Parameters:
  ///   - token: the one that the other client got for ``share(_:)``; the server accepts it once.
  ///   - client: the program that draws the view.
  ///   - auth: the credential that says who the client is; nil for none.
  /// - Returns: the message's bytes.
  public mutating func join(token: String, client: ClientInfo = ClientInfo(), auth: String? = nil) -> [UInt8] {
    guard case .new = state else { preconditionFailure("hello is said once") }
    state = .greeting
    return message { $0.hello(app: nil, client: client, features: features, auth: auth, share: token) }
  }

  /// Writes the first message of another connection, which resumes the session.
  ///
  /// - Parameters:
  ///   - client: the program that draws the view.
  ///   - auth: the credential that says who the client is; nil for none.
  /// - Returns: the message's bytes.
  /// - Throws: ``ClientError/notLive`` if there is no session to resume, or it still has a connection.
  public mutating func resume(client: ClientInfo = ClientInfo(), auth: String? = nil) throws(ClientError) -> [UInt8] {
    guard case .away = state, let welcome = lastWelcome else { throw .notLive }
    state = .greeting
    attempt += 1
    mirror.comeBack()
    let resume = ClientMessage.Resume(
      sessionID: welcome.sessionID, clientID: welcome.clientID, token: welcome.token, attempt: attempt,
      epoch: mirror.epoch, revision: revision)
    return message { $0.hello(app: app, client: client, features: features, auth: auth, resume: resume) }
  }

  /// Notes that the connection is gone.
  ///
  /// Actions without an answer may have arrived or not: they stay in the outbox.
  ///
  /// - Parameter code: the code of the server's close frame; nil if the connection was cut. After 4400, 1002, 1003, 1007 or 1009 the first
  ///   action without an answer is the suspect. If two connections end so over the same action, only its number is sent from then on.
  public mutating func disconnected(code: CloseCode? = nil) {
    if case .ended = state { return }
    if Bye.Return(code) == .whenAsked { blameFirst() }
    state = lastWelcome == nil ? .ended : .away
  }

  /// Ends the session on the client's side, without telling the server.
  ///
  /// - Returns: ``ClientEvent/outcomeUnknown(_:)`` for each action without an answer.
  public mutating func abandon() -> [ClientEvent] {
    state = .ended
    defer { outbox = [] }
    return outbox.map { .outcomeUnknown($0) }
  }

  /// Whether there is a session to resume over another connection.
  public var isAway: Bool {
    if case .away = state { true } else { false }
  }

  /// Writes the actions that the server has not taken, after a resumption; returns their messages in order.
  public mutating func resend() -> [[UInt8]] {
    guard case .live = state else { return [] }
    let messages = outbox.filter { $0.number > sentNumber }.map { action in
      message { action.write(into: &$0, acknowledgement: nil) }
    }
    sentNumber = lastNumber
    return messages
  }

  /// Puts an action into the outbox, and writes its message.
  ///
  /// - Parameters:
  ///   - action: the action's JSON.
  ///   - to: the node that the action is for.
  /// - Returns: the message's bytes.
  /// - Throws: ``ClientError/notLive`` before `welcome` and after the end; ``ClientError/messageTooLong(limit:)`` if
  ///   the message exceeds the server's limit; ``ClientError/resendFirst`` if ``resend()`` has to be called first. The
  ///   action then has no number and is not in the outbox.
  public mutating func act(_ action: JSONValue, to: NodeAddress) throws(ClientError) -> [UInt8] {
    try take(.act(action), to: to)
  }

  /// Puts the use of the client's back button into the outbox, like an action, and writes its message.
  ///
  /// - Parameter to: the node to be left; for the root, the node in front of all others is left.
  /// - Returns: the message's bytes.
  /// - Throws: what ``act(_:to:)`` throws.
  public mutating func back(to: NodeAddress) throws(ClientError) -> [UInt8] { try take(.back, to: to) }

  private mutating func take(_ action: Outstanding.Action, to: NodeAddress) throws(ClientError) -> [UInt8] {
    guard case .live(let welcome) = state else { throw .notLive }
    guard sentNumber == lastNumber else { throw .resendFirst }
    let seen = seen
    let outstanding = Outstanding(number: lastNumber + 1, to: to, action: action)
    let bytes = message { outstanding.write(into: &$0, acknowledgement: seen) }
    let limit = welcome.limits.messageBytes
    guard limit == 0 || bytes.count <= limit else { throw .messageTooLong(limit: limit) }
    lastNumber = outstanding.number
    sentNumber = lastNumber
    outbox.append(outstanding)
    acknowledged = seen
    return bytes
  }

  /// The newest revision and action number that the client has received from the server.
  private var seen: Acknowledgement { Acknowledgement(revision: revision, number: coveredNumber) }

  /// Writes an `ack` of everything received so far.
  ///
  /// - Throws: ``ClientError/notLive``.
  public mutating func ack() throws(ClientError) -> [UInt8] {
    guard case .live = state else { throw .notLive }
    let seen = seen
    acknowledged = seen
    return message { $0.ack(seen) }
  }

  /// Writes a `resync`, after ``ClientEvent/outOfStep(_:)``.
  ///
  /// - Parameter now: milliseconds of a clock that does not go back.
  /// - Returns: the message's bytes; nil if the whole view has come meanwhile, or was asked for already.
  /// - Throws: ``ClientError/notLive``; ``ClientError/tooManyResyncs`` for the seventh call within a minute.
  public mutating func resync(at now: Int) throws(ClientError) -> [UInt8]? {
    guard case .live = state else { throw .notLive }
    guard mirror.isToAsk else { return nil }
    guard resyncs.take(at: now) else { throw .tooManyResyncs }
    mirror.ask()
    return message { $0.resync() }
  }

  /// Writes a `check`, which asks for the hash of the view.
  ///
  /// The answer leads to ``ClientEvent/verified(revision:)`` or ``ClientEvent/outOfStep(_:)``.
  ///
  /// - Throws: ``ClientError/notLive``.
  public func check() throws(ClientError) -> [UInt8] {
    guard case .live = state else { throw .notLive }
    return message { $0.check() }
  }

  /// Writes a `share`, which asks for a token with which another client may join the session.
  ///
  /// The answer leads to ``ClientEvent/shared(token:expires:)``.
  ///
  /// - Parameter scope: what the joining client may do.
  /// - Returns: the message's bytes.
  /// - Throws: ``ClientError/notLive``.
  public func share(_ scope: ShareScope) throws(ClientError) -> [UInt8] {
    guard case .live = state else { throw .notLive }
    return message { $0.share(scope) }
  }

  /// Writes a `ping`, with an `ack` if there is something to acknowledge.
  ///
  /// An `ack` that says nothing new is left out, as it would wake a resting session.
  ///
  /// - Throws: ``ClientError/notLive``.
  public mutating func ping() throws(ClientError) -> [UInt8] {
    guard case .live = state else { throw .notLive }
    let seen = seen
    guard seen != acknowledged else { return message { $0.ping() } }
    acknowledged = seen
    return message { json in
      json.beginArray()
      json.ack(seen)
      json.ping()
      json.endArray()
    }
  }

  /// Writes an `auth`, which shows a new credential; the answer leads to ``ClientEvent/renewed(expires:)``.
  ///
  /// - Parameter token: the credential.
  /// - Returns: the message's bytes.
  /// - Throws: ``ClientError/notLive``; ``ClientError/notTaken(_:)`` if the server does not authenticate its clients.
  public func auth(_ token: String) throws(ClientError) -> [UInt8] {
    guard case .live(let welcome) = state else { throw .notLive }
    guard welcome.features.contains(.auth) else { throw .notTaken(.auth) }
    return message { $0.auth(token) }
  }

  /// Writes a `bye`, which ends the session; the server answers with a `bye`.
  ///
  /// - Throws: ``ClientError/notLive``.
  public func bye() throws(ClientError) -> [UInt8] {
    guard case .live = state else { throw .notLive }
    return message { $0.bye() }
  }

  private func message(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
    write(&json)
    return json.bytes
  }
}
