/// What a client says.
public enum ClientMessage: Sendable {
  /// The first message of a connection.
  case hello(Hello)
  /// An action for a node.
  case act(Act)
  /// Leaves a node, as the renderer's back button does.
  case back(Back)
  /// What the client has seen.
  case ack(Acknowledgement)
  /// Asks for a `snap`: a patch did not apply.
  case resync
  /// Asks for the hash of the view.
  case check
  /// Asks for a token with which somebody else may join the session.
  case share(ShareScope)
  /// Asks for a `pong`.
  case ping
  /// Ends the session.
  case bye

  /// `hello`: which app, and for whom.
  ///
  /// A session that is resumed or joined has its app already.
  public struct Hello: Sendable {
    /// The app's name; empty if there is a session to resume or to join and the client does not say whose.
    public let app: String
    /// What the app's root is built with; nil if the message has none.
    public let parameters: JSONElement?
    /// The program that draws the view.
    public let client: ClientInfo
    /// The one-use token of the session that the client wants to join; nil for one of its own.
    public let share: String?
    /// The session that the client wants to go on with; nil for another one.
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

  /// `back`: an action that every node has, numbered as `act` is.
  public struct Back: Equatable, Sendable {
    /// The action's number, 1 for the client's first one.
    public let number: Int
    /// The riblet to be left.
    public let to: NodeAddress
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
    } else if kind.isString(MessageKind.back) {
      self = .back(try Back(json))
    } else if kind.isString(MessageKind.resync) {
      self = .resync
    } else if kind.isString(MessageKind.check) {
      self = .check
    } else if kind.isString(MessageKind.share) {
      self = .share(try ShareScope(json))
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
    share =
      if let share = json[MessageKey.share], !share.isNull {
        try json.text(MessageKey.share, in: MessageKind.hello)
      } else {
        nil
      }
    guard share == nil || resume == nil else {
      throw MessageError(
        """
        A "\(MessageKind.hello)" joins a session with "\(MessageKey.share)" or goes on with one with \
        "\(MessageKey.resume)", not both.
        """)
    }
    let app = json[MessageKey.app]?.string
    guard app != nil || resume != nil || share != nil else {
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
    self.number = try JSONElement.actionNumber(number, in: MessageKind.act)
    self.to = try NodeAddress(to, in: MessageKind.act)
    guard let action else { throw .missing(MessageKey.action, "the action", in: MessageKind.act) }
    self.action = action
    self.acknowledgement =
      if let acknowledgement { try Acknowledgement(acknowledgement, in: MessageKind.act) } else { nil }
  }
}

extension ClientMessage.Back {
  fileprivate init(_ json: JSONElement) throws(MessageError) {
    number = try JSONElement.actionNumber(json[MessageKey.number], in: MessageKind.back)
    to = try NodeAddress(json[MessageKey.to], in: MessageKind.back)
    acknowledgement =
      if let acknowledgement = json[MessageKey.acknowledgement] {
        try Acknowledgement(acknowledgement, in: MessageKind.back)
      } else {
        nil
      }
  }
}

extension JSONElement {
  /// The number of an action.
  fileprivate static func actionNumber(_ json: JSONElement?, in kind: StaticString) throws(MessageError) -> Int {
    guard let number = json?.messageNumber, number > 0 else {
      throw .missing(MessageKey.number, "a whole number from 1 to 2^53-1", in: kind)
    }
    return number
  }
}

extension NodeAddress {
  fileprivate init(_ json: JSONElement?, in kind: StaticString) throws(MessageError) {
    if let id = json?.messageNumber {
      self = .id(id)
    } else if let path = json?.string {
      self = .path(path)
    } else {
      throw .missing(MessageKey.to, "a node id or a path", in: kind)
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
