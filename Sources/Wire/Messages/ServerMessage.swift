/// A message from the server, as a client reads it.
package enum ServerMessage: Equatable, Sendable {
  /// The answer to `hello`.
  case welcome(Welcome)
  /// The whole view.
  case snap(epoch: String, revision: Int, number: Int, view: JSONValue)
  /// The changes of the view since revision `base`; the greatest action that is done; and, if the client has asked, the
  /// ``JSONValue/canonicalHash`` of the view afterwards.
  case patch(revision: Int, base: Int, number: Int, operations: [PatchOperation], hash: String? = nil)
  /// A refusal.
  case nack(Nack)
  /// The answer to `share`: a one-use token, and the milliseconds that it is valid for.
  case share(token: String, expires: Int)
  /// The durability of answered actions from now on: whether they survive the server's process, or a power cut as well.
  case notice(Welcome.Durability)
  /// The clients that are connected to the session, to a client that wants to be told.
  case clients([ConnectedClient])
  /// The server goes down: the client is to connect again within so many milliseconds, at a random time.
  case drain(within: Int)
  /// The answer to `auth`: in how many milliseconds the client's identity ends, nil for never; and the client's new session token, nil
  /// if the token has not changed.
  case auth(expires: Int?, token: String?)
  /// The answer to `ping`.
  case pong
  /// The end of the connection, and why; nil for a code that this version does not know.
  case bye(Bye?, message: String)
  /// A kind that this version does not know, which a client ignores.
  case unknown(String)

  /// Reads a message.
  ///
  /// - Parameter json: one message; keys that the protocol does not know are ignored.
  /// - Throws: ``MessageError`` if the JSON is not a message.
  package init(_ json: JSONElement) throws(MessageError) {
    guard let kind = json[MessageKey.kind], kind.kind == .string else {
      throw MessageError("A message is an object with \"\(MessageKey.kind)\", the name of its kind.")
    }
    if kind.isString(MessageKind.patch) {
      self = try Self.patch(json)
    } else if kind.isString(MessageKind.nack) {
      self = .nack(try Nack(json))
    } else if kind.isString(MessageKind.snap) {
      self = try Self.snap(json)
    } else if kind.isString(MessageKind.welcome) {
      self = .welcome(try Welcome(json))
    } else if kind.isString(MessageKind.pong) {
      self = .pong
    } else if kind.isString(MessageKind.share) {
      self = .share(
        token: try json.name(MessageKey.token, in: MessageKind.share),
        expires: try json.number(MessageKey.expires, in: MessageKind.share))
    } else if kind.isString(MessageKind.notice) {
      self = .notice(try Welcome.Durability(json, in: MessageKind.notice))
    } else if kind.isString(MessageKind.clients) {
      var clients: [ConnectedClient] = []
      for client in try json.array(MessageKey.clients, in: MessageKind.clients).elements {
        clients.append(try ConnectedClient(client))
      }
      self = .clients(clients)
    } else if kind.isString(MessageKind.drain) {
      self = .drain(within: try json.number(MessageKey.within, in: MessageKind.drain))
    } else if kind.isString(MessageKind.auth) {
      self = .auth(expires: json[MessageKey.expires]?.messageNumber, token: json[MessageKey.token]?.string)
    } else if kind.isString(MessageKind.bye) {
      let code = json[MessageKey.code]?.name.flatMap(Bye.init(rawValue:))
      self = .bye(code, message: json[MessageKey.message]?.string ?? "")
    } else {
      self = .unknown(kind.string ?? "")
    }
  }

  private static func snap(_ json: JSONElement) throws(MessageError) -> ServerMessage {
    guard let view = json[MessageKey.view] else { throw .missing(MessageKey.view, "the view", in: MessageKind.snap) }
    return .snap(
      epoch: try json.name(MessageKey.epoch, in: MessageKind.snap),
      revision: try json.number(MessageKey.revision, in: MessageKind.snap),
      number: try json.number(MessageKey.number, in: MessageKind.snap), view: JSONValue(view))
  }

  private static func patch(_ json: JSONElement) throws(MessageError) -> ServerMessage {
    let list = try json.array(MessageKey.operations, in: MessageKind.patch)
    var operations: [PatchOperation] = []
    operations.reserveCapacity(list.count)
    for operation in list.elements {
      do {
        operations.append(try PatchOperation(operation))
      } catch {
        throw MessageError("\(error)")
      }
    }
    var hash: String?
    if let member = json[MessageKey.hash], !member.isNull {
      hash = try json.name(MessageKey.hash, in: MessageKind.patch)
    }
    return .patch(
      revision: try json.number(MessageKey.revision, in: MessageKind.patch),
      base: try json.number(MessageKey.base, in: MessageKind.patch),
      number: try json.number(MessageKey.number, in: MessageKind.patch), operations: operations, hash: hash)
  }
}

extension JSONWriter {
  /// Writes a `welcome`.
  package mutating func welcome(_ welcome: Welcome) {
    message(MessageKind.welcome) { welcome.write(into: &$0) }
  }

  /// Writes a `snap` up to its last member, `view`: the caller writes the view document and ends the object.
  ///
  /// - Parameters:
  ///   - epoch: the life of the tree in memory.
  ///   - revision: the revision of the view.
  ///   - number: the greatest action of this client that is done.
  package mutating func beginSnap(epoch: String, revision: Int, number: Int) {
    beginObject()
    key(MessageKey.kind)
    string(MessageKind.snap)
    member(MessageKey.epoch, epoch)
    member(MessageKey.revision, revision)
    member(MessageKey.number, number)
    key(MessageKey.view)
  }

  /// Writes a `patch`.
  ///
  /// - Parameters:
  ///   - revision: the revision of the view after the patch.
  ///   - base: the revision of the view before the patch.
  ///   - number: the greatest action of this client that is done.
  ///   - operations: the operations as ``PatchWriter`` wrote them; empty for none.
  ///   - hash: the ``JSONValue/canonicalHash`` of the view after the patch; nil unless the client has asked.
  package mutating func patch(
    revision: Int, base: Int, number: Int, operations: Span<UInt8>, hash: String? = nil
  ) {
    // The message that is written most: its members' keys are those of MessageKey, in pieces as long as can be.
    raw(#"{"t":"patch","rev":"#)
    integer(revision)
    raw(#""base":"#)
    integer(base)
    raw(#""n":"#)
    integer(number)
    raw(#""ops":["#)
    if !operations.isEmpty { raw(operations) }
    endArray()
    member(MessageKey.hash, hash)
    endObject()
  }

  /// Writes a `nack`.
  package mutating func nack(_ nack: Nack) {
    message(MessageKind.nack) { nack.write(into: &$0) }
  }

  /// Writes a server's `share`.
  ///
  /// - Parameters:
  ///   - token: with which one client may join the session, once.
  ///   - expires: how long the token is valid, in milliseconds.
  package mutating func share(token: String, expires: Int) {
    message(MessageKind.share) { json in
      json.member(MessageKey.token, token)
      json.member(MessageKey.expires, expires)
    }
  }

  /// Writes a `notice` of the durability that answered actions have from now on.
  package mutating func notice(_ durability: Welcome.Durability) {
    message(MessageKind.notice) { $0.member(MessageKey.durability, durability.rawValue) }
  }

  /// Writes who is connected to the session.
  package mutating func clients(_ clients: [ConnectedClient]) {
    message(MessageKind.clients) { json in
      json.key(MessageKey.clients)
      json.beginArray()
      for client in clients { client.write(into: &json) }
      json.endArray()
    }
  }

  /// Writes a `drain`: the client is to connect again within so many milliseconds.
  package mutating func drain(within: Int) {
    message(MessageKind.drain) { $0.member(MessageKey.within, within) }
  }

  /// Writes the answer to an `auth`.
  ///
  /// - Parameters:
  ///   - expires: in how many milliseconds the client's identity ends; nil for never.
  ///   - token: the client's new session token; nil if the token has not changed.
  package mutating func auth(expires: Int?, token: String? = nil) {
    message(MessageKind.auth) { json in
      if let expires { json.member(MessageKey.expires, expires) }
      json.member(MessageKey.token, token)
    }
  }

  /// Writes a `pong`.
  package mutating func pong() { message(MessageKind.pong) { _ in } }

  /// Writes a server's `bye`.
  ///
  /// - Parameters:
  ///   - bye: why the connection ends.
  ///   - message: the reason in a sentence.
  package mutating func bye(_ bye: Bye, message: String) {
    self.message(MessageKind.bye) { json in
      json.member(MessageKey.code, bye.rawValue)
      json.member(MessageKey.message, message)
    }
  }
}
