/// What a client says.
package enum ClientMessage: Sendable {
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

  /// Reads a message.
  ///
  /// - Parameter json: one message. Keys that the protocol does not know are ignored.
  /// - Throws: ``MessageError`` if it is none, or its `t` is unknown.
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
    } else if kind.isString(MessageKind.bye) {
      self = .bye
    } else {
      throw MessageError("There is no message of kind \(kind.source) from a client.")
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
package struct Acknowledgement: Equatable, Sendable {
  /// The revision that the client's mirror has.
  package let revision: Int
  /// The highest `n` that the client was told of.
  package let number: Int

  /// Says that a client has seen so much.
  ///
  /// - Parameters:
  ///   - revision: of the view.
  ///   - number: of its own actions.
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
