public import Wire

/// A client's half of the protocol, without any I/O: bytes of messages in, events and bytes of messages out.
///
/// It keeps a mirror of the view and an outbox of the actions that the server has not answered. One value serves one
/// session, over any number of connections.
///
/// | state      | what may be sent                                          | what may come                  | next                    |
/// |------------|-----------------------------------------------------------|--------------------------------|-------------------------|
/// | `new`      | ``hello(app:parameters:client:)``, ``join(token:client:)`` | nothing                        | `greeting`              |
/// | `greeting` | nothing                                                   | `welcome`, `bye`               | `live`, `ended`, `away` |
/// | `live`     | everything else                                           | everything else, and `bye`     | `ended`, `away`         |
/// | `away`     | ``resume(client:)``                                       | nothing                        | `greeting`              |
/// | `ended`    | nothing                                                   | nothing                        |                         |
public struct ClientSession {
  enum State {
    /// Nothing was said yet.
    case new
    /// `hello` was said.
    case greeting
    /// `welcome` came.
    case live(Welcome)
    /// The connection is gone, the session may not be.
    case away
    /// The session is gone, or is not to be gone on with.
    case ended
  }

  var state = State.new
  var reader = JSONReader()
  var mirror = ViewMirror()
  private var resyncs = ResyncLimit()
  /// What the server was told on this connection that the client has.
  var acknowledged: Acknowledgement?
  /// The number of the last action.
  var lastNumber = 0
  /// The app that the session was started with; nil if it was joined.
  private var app: String?
  /// How often `hello` was said.
  private var attempt = 0
  /// The highest action that was sent again, or first, on this connection.
  var sentNumber = 0

  /// What the server said in its last `welcome`; nil before the first.
  public internal(set) var lastWelcome: Welcome?
  /// The highest action that the server has answered.
  public internal(set) var coveredNumber = 0
  /// Actions without an answer, in order.
  public internal(set) var outbox: [Outstanding] = []

  /// A client that has said nothing yet.
  public init() {}

  /// The view document as the server sent it last; nil before the first `snap`.
  public var view: JSONValue? { mirror.view }

  /// The revision of ``view``; 0 if it is of another life of the server's tree, or out of step with it.
  public var revision: Int { mirror.revision }

  /// What the server said in its `welcome`; nil unless the session is live.
  public var welcome: Welcome? {
    if case .live(let welcome) = state { welcome } else { nil }
  }

  // MARK: Sending

  /// Writes the first message.
  ///
  /// - Parameters:
  ///   - app: the app's name.
  ///   - parameters: what its root is built with.
  ///   - client: the program that draws the view.
  /// - Returns: the message's bytes.
  public mutating func hello(app: String, parameters: JSONValue? = nil, client: ClientInfo = ClientInfo()) -> [UInt8] {
    guard case .new = state else { preconditionFailure("hello is said once") }
    state = .greeting
    self.app = app
    return message { $0.hello(app: app, parameters: parameters, client: client) }
  }

  /// Writes the first message, to join the session of somebody who has shared it.
  ///
  /// - Parameters:
  ///   - token: what the other got for ``share(_:)``; it is used up if the server takes it.
  ///   - client: the program that draws the view.
  /// - Returns: the message's bytes.
  public mutating func join(token: String, client: ClientInfo = ClientInfo()) -> [UInt8] {
    guard case .new = state else { preconditionFailure("hello is said once") }
    state = .greeting
    return message { $0.hello(app: nil, client: client, share: token) }
  }

  /// Writes the first message of another connection, to go on with the session.
  ///
  /// - Parameter client: the program that draws the view.
  /// - Returns: the message's bytes.
  /// - Throws: ``ClientError/notLive`` if there is no session to go on with, or a connection to it.
  public mutating func resume(client: ClientInfo = ClientInfo()) throws(ClientError) -> [UInt8] {
    guard case .away = state, let welcome = lastWelcome else { throw .notLive }
    state = .greeting
    attempt += 1
    mirror.comeBack()
    let resume = ClientMessage.Resume(
      sessionID: welcome.sessionID, clientID: welcome.clientID, token: welcome.token, attempt: attempt,
      epoch: mirror.epoch, revision: revision)
    return message { $0.hello(app: app, client: client, resume: resume) }
  }

  /// Notes that the connection is gone.
  ///
  /// What was sent and not answered may have arrived or not: it stays in the outbox.
  public mutating func disconnected() {
    if case .ended = state { return }
    state = lastWelcome == nil ? .ended : .away
  }

  /// Ends the session on the client's part, without a word to the server.
  ///
  /// - Returns: ``ClientEvent/outcomeUnknown(_:)`` for each action without an answer.
  public mutating func abandon() -> [ClientEvent] {
    state = .ended
    defer { outbox = [] }
    return outbox.map { .outcomeUnknown($0) }
  }

  /// Whether there is a session to go on with, over another connection.
  public var isAway: Bool {
    if case .away = state { true } else { false }
  }

  /// Writes the actions that the server has not taken, after a resumption.
  ///
  /// - Returns: the messages, in order; none if there is nothing to send again.
  public mutating func resend() -> [[UInt8]] {
    guard case .live = state else { return [] }
    let messages = outbox.filter { $0.number > sentNumber }.map { action in
      message { action.write(into: &$0, acknowledgement: nil) }
    }
    sentNumber = lastNumber
    return messages
  }

  /// Takes an action into the outbox and writes its message.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - to: whom it is for.
  /// - Returns: the message's bytes.
  /// - Throws: ``ClientError/notLive`` before `welcome` and after the end; ``ClientError/messageTooLong(limit:)`` if the
  ///   server would refuse the message for its length; ``ClientError/resendFirst`` before ``resend()`` was called on a
  ///   connection on which it is to be. Nothing is sent then, and no number is used up.
  public mutating func act(_ action: JSONValue, to: NodeAddress) throws(ClientError) -> [UInt8] {
    try take(.act(action), to: to)
  }

  /// Takes the use of the renderer's back button into the outbox, like an action, and writes its message.
  ///
  /// - Parameter to: the node to be left; for the root, what is in front of all is.
  /// - Returns: the message's bytes.
  /// - Throws: as ``act(_:to:)``.
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

  /// What the client has of the server's.
  private var seen: Acknowledgement { Acknowledgement(revision: revision, number: coveredNumber) }

  /// Writes an `ack` of all that was received.
  ///
  /// - Returns: the message's bytes.
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
  /// - Returns: the message's bytes; nil if there is no need: the whole view has come meanwhile, or is on its way.
  /// - Throws: ``ClientError/notLive``; ``ClientError/tooManyResyncs`` for the seventh within a minute.
  public mutating func resync(at now: Int) throws(ClientError) -> [UInt8]? {
    guard case .live = state else { throw .notLive }
    guard mirror.isToAsk else { return nil }
    guard resyncs.take(at: now) else { throw .tooManyResyncs }
    mirror.ask()
    return message { $0.resync() }
  }

  /// Writes a `check`, which asks for the hash of the view.
  ///
  /// ``ClientEvent/verified(revision:)`` or ``ClientEvent/outOfStep(_:)`` comes of the answer.
  ///
  /// - Returns: the message's bytes.
  /// - Throws: ``ClientError/notLive``.
  public func check() throws(ClientError) -> [UInt8] {
    guard case .live = state else { throw .notLive }
    return message { $0.check() }
  }

  /// Writes a `share`, which asks for a token to join the session with; ``ClientEvent/shared(token:expires:)`` has it.
  ///
  /// - Parameter scope: what whoever joins may do.
  /// - Returns: the message's bytes.
  /// - Throws: ``ClientError/notLive``.
  public func share(_ scope: ShareScope) throws(ClientError) -> [UInt8] {
    guard case .live = state else { throw .notLive }
    return message { $0.share(scope) }
  }

  /// Writes a `ping`, with an `ack` if there is something to acknowledge: one that says nothing new would wake a session
  /// that rests.
  ///
  /// - Returns: the message's bytes.
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

  /// Writes a `bye`, which ends the session; the server's `bye` answers it.
  ///
  /// - Returns: the message's bytes.
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
