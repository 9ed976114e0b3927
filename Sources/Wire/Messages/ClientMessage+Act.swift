extension ClientMessage {
  /// `act`: an action.
  package struct Act: Sendable {
    /// The action's number, 1 for the client's first one.
    package let number: Int
    /// The node that the action is for.
    package let to: NodeAddress
    /// The action itself.
    package let action: JSONElement
    /// An `ack` that rides on the action.
    package let acknowledgement: Acknowledgement?
  }

  /// `back`: an action that every node has, numbered as `act` is.
  package struct Back: Equatable, Sendable {
    /// The action's number, 1 for the client's first one.
    package let number: Int
    /// The node to be left.
    package let to: NodeAddress
    /// An `ack` that rides on the action.
    package let acknowledgement: Acknowledgement?
  }
}

extension ClientMessage {
  /// Reads an action or a `back` whose number comes from elsewhere, as in an HTTP request.
  ///
  /// - Parameter json: an object; without `t` it is an action.
  /// - Returns: the node's address, and the action; nil for a `back`.
  /// - Throws: ``MessageError`` if the address or the action is missing, or `t` is another kind.
  package static func unnumbered(_ json: JSONElement) throws(MessageError) -> (to: NodeAddress, action: JSONElement?) {
    guard json.kind == .object else { throw MessageError("An action is an object, this is \(json.kind.rawValue).") }
    let kind = json[MessageKey.kind]
    if kind?.isString(MessageKind.back) == true {
      return (try NodeAddress(json[MessageKey.to], in: MessageKind.back), nil)
    }
    guard kind?.isString(MessageKind.act) != false else {
      throw MessageError("The kind of an action is \"act\" or \"back\".")
    }
    let to = try NodeAddress(json[MessageKey.to], in: MessageKind.act)
    guard let action = json[MessageKey.action] else {
      throw .missing(MessageKey.action, "the action", in: MessageKind.act)
    }
    return (to, action)
  }
}

extension ClientMessage.Act {
  /// Reads all members in one pass, as this is the most frequent message.
  init(_ json: JSONElement) throws(MessageError) {
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
  init(_ json: JSONElement) throws(MessageError) {
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
  init(_ json: JSONElement?, in kind: StaticString) throws(MessageError) {
    if let id = json?.messageNumber {
      self = .id(id)
    } else if let path = json?.name {
      self = .path(path)
    } else {
      throw .missing(MessageKey.to, "a node id, or a path of at most \(longestName) bytes", in: kind)
    }
  }
}
