/// A message from a client.
package enum ClientMessage: Sendable {
  /// The first message of a connection.
  case hello(Hello)
  /// An action for a node.
  case act(Act)
  /// Leaves a node, as the client's back button does.
  case back(Back)
  /// What the client has seen.
  case ack(Acknowledgement)
  /// Asks for a `snap`, because a patch did not fit.
  case resync
  /// Asks for the hash of the view.
  case check
  /// Asks for a token with which another client may join the session.
  case share(ShareScope)
  /// Asks for a `pong`.
  case ping
  /// Shows a credential, which renews the client's identity or signs the client in.
  case auth(String)
  /// Ends the session.
  case bye

  /// Reads a message.
  ///
  /// - Parameter json: one message; keys that the protocol does not know are ignored.
  /// - Throws: ``MessageError`` if the JSON is not a message, or its `t` is unknown.
  package init(_ json: JSONElement) throws(MessageError) {
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
    } else if kind.isString(MessageKind.auth) {
      self = .auth(try json.text(MessageKey.token, in: MessageKind.auth))
    } else if kind.isString(MessageKind.bye) {
      self = .bye
    } else {
      throw MessageError("There is no message of kind \(kind.name == nil ? "…" : kind.source) from a client.")
    }
  }
}

/// What a client says of itself: its program, and its user's language and time zone.
public struct ClientInfo: Equatable, Sendable, Codable {
  /// The program's name.
  public var name: String?
  /// The program's version.
  public var version: String?
  /// The user's language and region, as a BCP 47 tag.
  public var locale: String?
  /// The user's time zone, as the IANA database names it: `Europe/Berlin`.
  public var timeZone: String?

  /// A program, as it describes itself.
  ///
  /// - Parameters:
  ///   - name: its name; nil if it tells none.
  ///   - version: its version; nil if it tells none.
  ///   - locale: a BCP 47 tag; nil if it tells none.
  ///   - timeZone: a name of the IANA database; nil if it tells none.
  public init(name: String? = nil, version: String? = nil, locale: String? = nil, timeZone: String? = nil) {
    self.name = name
    self.version = version
    self.locale = locale
    self.timeZone = timeZone
  }

  init(_ json: JSONElement?) throws(MessageError) {
    name = json?[MessageKey.name]?.string
    version = json?[MessageKey.version]?.string
    locale = json?[MessageKey.locale]?.string
    timeZone = json?[MessageKey.timeZone]?.string
    for text in [name, version, locale, timeZone] where text?.isStreamSafe == false {
      throw MessageError("A text in \"\(MessageKey.client)\" has \(String.unsafeRun).")
    }
  }
}

/// `ack`: what a client has received.
package struct Acknowledgement: Equatable, Sendable {
  /// The revision of the client's view.
  package let revision: Int
  /// The greatest `n` that the server has told the client.
  package let number: Int

  /// An acknowledgement.
  ///
  /// - Parameters:
  ///   - revision: the revision of the client's view.
  ///   - number: the greatest `n` that the server has told the client.
  package init(revision: Int, number: Int) {
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
