/// What a client says.
public enum ClientMessage: Sendable {
  /// The first message of a connection.
  case hello(Hello)
  /// An action for a node.
  case act(Act)
  /// What the client has seen.
  case ack(Acknowledgement)
  /// Asks for a `snap`: a patch did not apply.
  case resync
  /// Asks for a `pong`.
  case ping
  /// Ends the session.
  case bye

  /// `hello`: which app, and for whom.
  public struct Hello: Sendable {
    /// The app's name; empty if there is a session to resume and the client does not say whose.
    public let app: String
    /// What the app's root is built with; nil if the message has none.
    public let parameters: JSONElement?
    /// The program that draws the view.
    public let client: ClientInfo
    /// The session that the client wants to go on with; nil for a new one.
    public let resume: Resume?
  }

  /// `resume` in a `hello`: which session, and how far the client is.
  public struct Resume: Equatable, Sendable {
    /// The session.
    public var sessionID: String
    /// The renderer within the session.
    public var clientID: Int
    /// What the renderer proves itself with.
    public var token: String
    /// How often the client has said `hello` for this session: each time it is greater.
    public var attempt: Int
    /// The life of the tree that the client's view is of.
    public var epoch: String
    /// The revision of the client's view; 0 for none.
    public var revision: Int

    /// Where a client is.
    ///
    /// - Parameters:
    ///   - sessionID: the session.
    ///   - clientID: the renderer within it.
    ///   - token: from its first `welcome`.
    ///   - attempt: greater than that of any `hello` before.
    ///   - epoch: of the client's view.
    ///   - revision: of the client's view; 0 for none.
    public init(sessionID: String, clientID: Int, token: String, attempt: Int, epoch: String, revision: Int) {
      self.sessionID = sessionID
      self.clientID = clientID
      self.token = token
      self.attempt = attempt
      self.epoch = epoch
      self.revision = revision
    }
  }

  /// `act`: an action.
  public struct Act: Sendable {
    /// The action's number, 1 for the client's first one.
    public let number: Int
    /// The riblet that it is for.
    public let to: NodeAddress
    /// The action itself.
    public let action: JSONElement
    /// An `ack` that rides on the action.
    public let acknowledgement: Acknowledgement?
  }

  /// Reads a message.
  ///
  /// - Parameter json: one message. Keys that the protocol does not know are ignored.
  /// - Throws: ``MessageError`` if it is none, or its `t` is unknown.
  public init(_ json: JSONElement) throws(MessageError) {
    guard json.kind == .object else { throw MessageError("A message is an object, this is \(json.kind.rawValue).") }
    guard let kind = json[MessageKey.kind], kind.kind == .string else {
      throw MessageError("A message needs \"\(MessageKey.kind)\", the name of its kind.")
    }
    if kind.isString(MessageKind.act) {
      self = .act(try Act(json))
    } else if kind.isString(MessageKind.ack) {
      self = .ack(try Acknowledgement(json, in: MessageKind.ack))
    } else if kind.isString(MessageKind.ping) {
      self = .ping
    } else if kind.isString(MessageKind.hello) {
      self = .hello(try Hello(json))
    } else if kind.isString(MessageKind.resync) {
      self = .resync
    } else if kind.isString(MessageKind.bye) {
      self = .bye
    } else {
      throw MessageError("There is no message of kind \(kind.source) from a client.")
    }
  }
}

extension ClientMessage.Hello {
  fileprivate init(_ json: JSONElement) throws(MessageError) {
    resume =
      if let resume = json[MessageKey.resume], !resume.isNull { try ClientMessage.Resume(resume) } else { nil }
    let app = json[MessageKey.app]?.string
    guard app != nil || resume != nil else {
      throw .missing(MessageKey.app, "the name of an app", in: MessageKind.hello)
    }
    self.app = app ?? ""
    parameters = json[MessageKey.parameters]
    client = ClientInfo(json[MessageKey.client])
  }
}

extension ClientMessage.Resume {
  fileprivate init(_ json: JSONElement) throws(MessageError) {
    let kind = MessageKind.hello
    self.init(
      sessionID: try json.text(MessageKey.sessionID, in: kind),
      clientID: try json.number(MessageKey.clientID, in: kind), token: try json.text(MessageKey.token, in: kind),
      attempt: try json.number(MessageKey.attempt, in: kind), epoch: try json.text(MessageKey.epoch, in: kind),
      revision: try json.number(MessageKey.revision, in: kind))
  }

  func write(into json: inout JSONWriter) {
    json.member(MessageKey.sessionID, sessionID)
    json.member(MessageKey.clientID, clientID)
    json.member(MessageKey.token, token)
    json.member(MessageKey.attempt, attempt)
    json.member(MessageKey.epoch, epoch)
    json.member(MessageKey.revision, revision)
  }
}

extension ClientMessage.Act {
  /// One pass over the members: this is the message that comes all the time.
  fileprivate init(_ json: JSONElement) throws(MessageError) {
    var number: JSONElement?
    var to: JSONElement?
    var action: JSONElement?
    var acknowledgement: JSONElement?
    json.forEachMember { key, value in
      if key.isString(MessageKey.number) {
        number = value
      } else if key.isString(MessageKey.to) {
        to = value
      } else if key.isString(MessageKey.action) {
        action = value
      } else if key.isString(MessageKey.acknowledgement) {
        acknowledgement = value
      }
    }
    guard let number = number?.messageNumber, number > 0 else {
      throw .missing(MessageKey.number, "a whole number from 1 to 2^53-1", in: MessageKind.act)
    }
    guard let address = to.flatMap(NodeAddress.init) else {
      throw .missing(MessageKey.to, "a node id or a path", in: MessageKind.act)
    }
    guard let action else { throw .missing(MessageKey.action, "the action", in: MessageKind.act) }
    self.number = number
    self.to = address
    self.action = action
    self.acknowledgement =
      if let acknowledgement { try Acknowledgement(acknowledgement, in: MessageKind.act) } else { nil }
  }
}

extension NodeAddress {
  fileprivate init?(_ json: JSONElement) {
    if let id = json.messageNumber {
      self = .id(id)
    } else if let path = json.string {
      self = .path(path)
    } else {
      return nil
    }
  }
}

/// The program at the other end, for logs.
public struct ClientInfo: Equatable, Sendable {
  /// Its name.
  public var name: String?
  /// Its version.
  public var version: String?
  /// The language and region that its user reads, as a BCP 47 tag.
  public var locale: String?

  /// A program that says this of itself.
  ///
  /// - Parameters:
  ///   - name: its name.
  ///   - version: its version.
  ///   - locale: a BCP 47 tag.
  public init(name: String? = nil, version: String? = nil, locale: String? = nil) {
    self.name = name
    self.version = version
    self.locale = locale
  }

  init(_ json: JSONElement?) {
    name = json?[MessageKey.name]?.string
    version = json?[MessageKey.version]?.string
    locale = json?[MessageKey.locale]?.string
  }
}

/// `ack`: what a client has seen.
public struct Acknowledgement: Equatable, Sendable {
  /// The revision that the client's mirror has.
  public let revision: Int
  /// The highest `n` that the client was told of.
  public let number: Int

  /// Says that a client has seen so much.
  ///
  /// - Parameters:
  ///   - revision: of the view.
  ///   - number: of its own actions.
  public init(revision: Int, number: Int) {
    self.revision = revision
    self.number = number
  }

  init(_ json: JSONElement, in kind: StaticString) throws(MessageError) {
    guard let revision = json[MessageKey.revision]?.messageNumber, let number = json[MessageKey.number]?.messageNumber
    else {
      throw MessageError(
        """
        An "\(MessageKind.ack)" holds "\(MessageKey.revision)" and "\(MessageKey.number)", whole numbers from 0 to 2^53-1.
        """)
    }
    self.revision = revision
    self.number = number
  }

  func write(into json: inout JSONWriter) {
    json.key(MessageKey.revision)
    json.integer(revision)
    json.key(MessageKey.number)
    json.integer(number)
  }
}
