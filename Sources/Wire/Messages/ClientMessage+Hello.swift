extension ClientMessage {
  /// `hello`: which app the client wants, or which session.
  ///
  /// A session that is resumed or joined has its app already.
  package struct Hello: Sendable {
    /// The app's name; empty if the client resumes or joins a session and does not name its app.
    package let app: String
    /// The parameters that the app's root is built with; nil if the message has none.
    package let parameters: JSONElement?
    /// The program that draws the view.
    package let client: ClientInfo
    /// The kinds of messages that the client asks for besides those that every client gets.
    package let features: [ClientFeature]
    /// The credential that says who the client is; nil for none.
    package let auth: String?
    /// The one-use token of the session that the client joins; nil if it joins none.
    package let share: String?
    /// The session that the client resumes; nil if it resumes none.
    package let resume: Resume?
  }

  /// `resume` in a `hello`: which session, and what the client has of it.
  package struct Resume: Equatable, Sendable {
    /// The session's name.
    package var sessionID: String
    /// The client's number within the session.
    package var clientID: Int
    /// The secret with which the client proves its identity, from its first `welcome`.
    package var token: String
    /// The number of this attempt, greater than that of any earlier `hello` for this session.
    package var attempt: Int
    /// The epoch of the client's view: the life of the tree that it belongs to.
    package var epoch: String
    /// The revision of the client's view; 0 if it has none.
    package var revision: Int

    /// The session to resume, and what the client has of it.
    ///
    /// - Parameters:
    ///   - sessionID: the session's name.
    ///   - clientID: the client's number within the session.
    ///   - token: from the client's first `welcome`.
    ///   - attempt: greater than that of any earlier `hello` for this session.
    ///   - epoch: the epoch of the client's view.
    ///   - revision: the revision of the client's view; 0 if it has none.
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
  /// Reads the fields of a `hello`; its `t` is not looked at.
  ///
  /// - Throws: ``MessageError`` if a field is missing or malformed, or if the message both resumes and joins.
  package init(_ json: JSONElement) throws(MessageError) {
    resume =
      if let resume = json[MessageKey.resume], !resume.isNull { try ClientMessage.Resume(resume) } else { nil }
    share =
      if let share = json[MessageKey.share], !share.isNull {
        try json.name(MessageKey.share, in: MessageKind.hello)
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
    let app = json[MessageKey.app]?.name
    guard app != nil || resume != nil || share != nil else {
      let what = "the name of an app, of at most \(longestName) bytes, where it neither joins nor resumes"
      throw .missing(MessageKey.app, what, in: MessageKind.hello)
    }
    self.app = app ?? ""
    parameters = json[MessageKey.parameters]
    client = try ClientInfo(json[MessageKey.client])
    features = json[MessageKey.features]?.elements.compactMap { $0.name.flatMap(ClientFeature.init(rawValue:)) } ?? []
    auth =
      if let auth = json[MessageKey.auth], !auth.isNull { try json.text(MessageKey.auth, in: MessageKind.hello) } else {
        nil
      }
  }
}

extension ClientMessage.Resume {
  init(_ json: JSONElement) throws(MessageError) {
    let kind = MessageKind.hello
    self.init(
      sessionID: try json.name(MessageKey.sessionID, in: kind),
      clientID: try json.number(MessageKey.clientID, from: 1, in: kind),
      token: try json.name(MessageKey.token, in: kind),
      attempt: try json.number(MessageKey.attempt, from: 1, in: kind), epoch: try json.name(MessageKey.epoch, in: kind),
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
