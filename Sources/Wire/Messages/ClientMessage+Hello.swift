extension ClientMessage {
  /// `hello`: which app, and for whom.
  ///
  /// A session that is resumed or joined has its app already.
  package struct Hello: Sendable {
    /// The app's name; empty if there is a session to resume or to join and the client does not say whose.
    package let app: String
    /// What the app's root is built with; nil if the message has none.
    package let parameters: JSONElement?
    /// The program that draws the view.
    package let client: ClientInfo
    /// The one-use token of the session that the client wants to join; nil for one of its own.
    package let share: String?
    /// The session that the client wants to go on with; nil for another one.
    package let resume: Resume?
  }

  /// `resume` in a `hello`: which session, and how far the client is.
  package struct Resume: Equatable, Sendable {
    /// The session.
    package var sessionID: String
    /// The renderer within the session.
    package var clientID: Int
    /// What the renderer proves itself with.
    package var token: String
    /// How often the client has said `hello` for this session: each time it is greater.
    package var attempt: Int
    /// The life of the tree that the client's view is of.
    package var epoch: String
    /// The revision of the client's view; 0 for none.
    package var revision: Int

    /// Where a client is.
    ///
    /// - Parameters:
    ///   - sessionID: the session.
    ///   - clientID: the renderer within it.
    ///   - token: from its first `welcome`.
    ///   - attempt: greater than that of any `hello` before.
    ///   - epoch: of the client's view.
    ///   - revision: of the client's view; 0 for none.
    package init(sessionID: String, clientID: Int, token: String, attempt: Int, epoch: String, revision: Int) {
      self.sessionID = sessionID
      self.clientID = clientID
      self.token = token
      self.attempt = attempt
      self.epoch = epoch
      self.revision = revision
    }
  }
}

extension ClientMessage.Hello {
  /// Reads the fields of a `hello`.
  ///
  /// - Parameter json: an object; its `t` is not looked at.
  /// - Throws: ``MessageError`` if a field is missing or is none.
  package init(_ json: JSONElement) throws(MessageError) {
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
  init(_ json: JSONElement) throws(MessageError) {
    let kind = MessageKind.hello
    self.init(
      sessionID: try json.text(MessageKey.sessionID, in: kind),
      clientID: try json.number(MessageKey.clientID, in: kind), token: try json.text(MessageKey.token, in: kind),
      attempt: try json.number(MessageKey.attempt, in: kind), epoch: try json.text(MessageKey.epoch, in: kind),
      revision: try json.number(MessageKey.revision, in: kind))
    guard clientID > 0, attempt > 0 else {
      throw MessageError("\"\(MessageKey.clientID)\" and \"\(MessageKey.attempt)\" of \"resume\" count from 1.")
    }
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
