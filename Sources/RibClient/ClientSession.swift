public import Wire

/// A client's half of the protocol, without any I/O: bytes of messages in, events and bytes of messages out.
///
/// It keeps a mirror of the view and an outbox of the actions that the server has not answered. One value serves one
/// session, over any number of connections.
///
/// | state      | what may be sent                  | what may come                          | next                         |
/// |------------|-----------------------------------|----------------------------------------|------------------------------|
/// | `new`      | ``hello(app:parameters:client:)`` | nothing                                | `greeting`                   |
/// | `greeting` | nothing                           | `welcome`, `bye`                       | `live`, `ended`, `away`      |
/// | `live`     | actions, `ack`, `ping`, `bye`     | `snap`, `patch`, `nack`, `pong`, `bye` | `ended`, `away`              |
/// | `away`     | ``resume(client:)``               | nothing                                | `greeting`                   |
/// | `ended`    | nothing                           | nothing                                |                              |
public struct ClientSession {
  private enum State {
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

  /// An action that was sent and not answered yet.
  public struct Outstanding: Equatable, Sendable {
    /// Its number.
    public let number: Int
    /// Whom it is for.
    public let to: NodeAddress
    /// The action.
    public let action: JSONValue
  }

  private var state = State.new
  private var reader = JSONReader()
  private var lastNumber = 0
  private var app = ""
  /// How often `hello` was said.
  private var attempt = 0
  /// The highest action that was sent again, or first, on this connection.
  private var sentNumber = 0
  /// The life of the server's tree that ``view`` is of.
  private var epoch = ""

  /// What the server said in its last `welcome`; nil before the first.
  public private(set) var lastWelcome: Welcome?
  /// The view document as the server sent it last; nil before the first `snap`.
  public private(set) var view: JSONValue?
  /// The revision of ``view``.
  public private(set) var revision = 0
  /// The highest action that the server has answered.
  public private(set) var coveredNumber = 0
  /// Actions without an answer, in order.
  public private(set) var outbox: [Outstanding] = []

  /// A client that has said nothing yet.
  public init() {}

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

  /// Writes the first message of another connection, to go on with the session.
  ///
  /// - Parameter client: the program that draws the view.
  /// - Returns: the message's bytes.
  /// - Throws: ``ClientError/notLive`` if there is no session to go on with, or a connection to it.
  public mutating func resume(client: ClientInfo = ClientInfo()) throws(ClientError) -> [UInt8] {
    guard case .away = state, let welcome = lastWelcome else { throw .notLive }
    state = .greeting
    attempt += 1
    let resume = ClientMessage.Resume(
      sessionID: welcome.sessionID, clientID: welcome.clientID, token: welcome.token, attempt: attempt, epoch: epoch,
      revision: view == nil ? 0 : revision)
    return message { $0.hello(app: app, parameters: nil, client: client, resume: resume) }
  }

  /// Notes that the connection is gone.
  ///
  /// What was sent and not answered may have arrived or not: it stays in the outbox.
  public mutating func disconnected() {
    if case .ended = state { return }
    state = lastWelcome == nil ? .ended : .away
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
      message { $0.act(action.number, to: action.to, action: action.action, acknowledgement: nil) }
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
    guard case .live(let welcome) = state else { throw .notLive }
    guard sentNumber == lastNumber else { throw .resendFirst }
    let seen = Acknowledgement(revision: revision, number: coveredNumber)
    let number = lastNumber + 1
    let bytes = message { $0.act(number, to: to, action: action, acknowledgement: seen) }
    let limit = welcome.limits.messageBytes
    guard limit == 0 || bytes.count <= limit else { throw .messageTooLong(limit: limit) }
    lastNumber = number
    sentNumber = number
    outbox.append(Outstanding(number: number, to: to, action: action))
    return bytes
  }

  /// Writes an `ack` of all that was received.
  ///
  /// - Returns: the message's bytes.
  /// - Throws: ``ClientError/notLive``.
  public func ack() throws(ClientError) -> [UInt8] {
    guard case .live = state else { throw .notLive }
    let seen = Acknowledgement(revision: revision, number: coveredNumber)
    return message { $0.ack(seen) }
  }

  /// Writes a `ping`.
  ///
  /// - Returns: the message's bytes.
  /// - Throws: ``ClientError/notLive``.
  public func ping() throws(ClientError) -> [UInt8] {
    guard case .live = state else { throw .notLive }
    return message { $0.ping() }
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

  // MARK: Receiving

  /// Takes a message from the server, or an array of messages.
  ///
  /// - Parameter text: the message's bytes.
  /// - Returns: what happened, in order.
  /// - Throws: ``ClientError/badServer(_:)`` if the message is none, comes out of turn, or does not apply to the mirror.
  ///   The connection is of no more use then.
  public mutating func receive(_ text: Span<UInt8>) throws(ClientError) -> [ClientEvent] {
    let json: JSONElement
    do throws(JSONError) {
      json = try reader.read(text).root
    } catch {
      throw .badServer("\(error)")
    }
    var events: [ClientEvent] = []
    if json.kind == .array {
      for element in json.elements { events += try receive(element) }
    } else {
      events = try receive(json)
    }
    return events
  }

  private mutating func receive(_ json: JSONElement) throws(ClientError) -> [ClientEvent] {
    let message: ServerMessage
    do throws(MessageError) {
      message = try ServerMessage(json)
    } catch {
      throw .badServer(error.description)
    }
    switch (state, message) {
    case (_, .unknown), (_, .pong): return []
    case (.greeting, .bye(let bye, let text)), (.live, .bye(let bye, let text)):
      return end(bye, text)
    case (.greeting, .welcome(let welcome)):
      return try begin(welcome)
    case (.live, .snap(let epoch, let revision, let number, let view)):
      self.epoch = epoch
      self.revision = revision
      self.view = view
      return [.view(changes: nil)] + (try cover(number))
    case (.live, .patch(let revision, let base, let number, let operations)):
      return try apply(operations, base: base, revision: revision) + cover(number)
    case (.live, .nack(let nack)):
      // Replies come in order: what was sent before a refused action is answered as well. A number of 0 refuses nothing.
      let before = try cover(max(coveredNumber, nack.number - 1))
      let refused = settle { $0.number == nack.number }.map { ClientEvent.refused($0, nack) }
      return before + refused + (try cover(nack.number))
    default:
      throw .badServer("A message came out of turn: \(json.source.prefix(80))")
    }
  }

  private mutating func begin(_ welcome: Welcome) throws(ClientError) -> [ClientEvent] {
    if let last = lastWelcome {
      guard welcome.resumed, welcome.sessionID == last.sessionID, welcome.clientID == last.clientID else {
        throw .badServer("The session that was asked for is another one.")
      }
    }
    state = .live(welcome)
    lastWelcome = welcome
    // A view of another life of the tree is shown until the new one comes, and counts for nothing.
    if welcome.epoch != epoch { revision = 0 }
    if view == nil { epoch = welcome.epoch }
    sentNumber = welcome.number
    var events: [ClientEvent] = []
    for nack in welcome.nacks {
      events += settle { $0.number == nack.number }.map { .refused($0, nack) }
    }
    return events + (try cover(welcome.number)) + [.live(welcome)]
  }

  /// What the server's `bye` leaves: a session to come back to, or answers that will never come.
  private mutating func end(_ bye: Bye?, _ text: String) -> [ClientEvent] {
    let event = ClientEvent.ended(bye, message: text)
    switch bye?.comesBack {
    case .atOnce?, .later?, nil:
      state = lastWelcome == nil ? .ended : .away
      return [event]
    case .asNewSession?, .not?:
      state = .ended
      return [event] + settle { _ in true }.map { .outcomeUnknown($0) }
    }
  }

  private mutating func apply(
    _ operations: [PatchOperation], base: Int, revision: Int
  ) throws(ClientError) -> [ClientEvent] {
    guard base == self.revision else {
      throw .badServer("A patch for revision \(base), the mirror has \(self.revision).")
    }
    self.revision = revision
    if operations.isEmpty { return [] }
    guard var view else { throw .badServer("A patch before the first snapshot.") }
    self.view = nil
    do throws(PatchError) {
      try view.apply(operations)
    } catch {
      throw .badServer("A patch does not apply: \(error).")
    }
    self.view = view
    return [.view(changes: operations)]
  }

  private mutating func cover(_ number: Int) throws(ClientError) -> [ClientEvent] {
    guard number >= coveredNumber else { throw .badServer("n went back from \(coveredNumber) to \(number).") }
    coveredNumber = number
    return settle { $0.number <= number }.map { .applied($0) }
  }

  private mutating func settle(_ isSettled: (Outstanding) -> Bool) -> [Outstanding] {
    let settled = outbox.filter(isSettled)
    outbox.removeAll(where: isSettled)
    return settled
  }
}
