extension JSONWriter {
  /// Writes a `hello`.
  ///
  /// - Parameters:
  ///   - app: the app's name.
  ///   - parameters: what its root is built with.
  ///   - client: the program that says it.
  ///   - resume: the session to go on with; nil for a new one.
  public mutating func hello(
    app: String, parameters: JSONValue?, client: ClientInfo, resume: ClientMessage.Resume? = nil
  ) {
    message(MessageKind.hello) { json in
      json.key(MessageKey.app)
      json.string(app)
      if let parameters {
        json.key(MessageKey.parameters)
        parameters.write(into: &json)
      }
      json.key(MessageKey.client)
      json.beginObject()
      json.member(MessageKey.name, client.name)
      json.member(MessageKey.version, client.version)
      json.member(MessageKey.locale, client.locale)
      json.endObject()
      guard let resume else { return }
      json.key(MessageKey.resume)
      json.beginObject()
      resume.write(into: &json)
      json.endObject()
    }
  }

  /// Writes an `act`.
  ///
  /// - Parameters:
  ///   - number: the action's number.
  ///   - to: whom it is for.
  ///   - action: the action.
  ///   - acknowledgement: an `ack` to ride on it.
  public mutating func act(_ number: Int, to: NodeAddress, action: JSONValue, acknowledgement: Acknowledgement?) {
    message(MessageKind.act) { json in
      json.key(MessageKey.number)
      json.integer(number)
      json.key(MessageKey.to)
      switch to {
      case .id(let id): json.integer(id)
      case .path(let path): json.string(path)
      }
      json.key(MessageKey.action)
      action.write(into: &json)
      guard let acknowledgement else { return }
      json.key(MessageKey.acknowledgement)
      json.beginObject()
      acknowledgement.write(into: &json)
      json.endObject()
    }
  }

  /// Writes an `ack`.
  ///
  /// - Parameter acknowledgement: what was seen.
  public mutating func ack(_ acknowledgement: Acknowledgement) {
    message(MessageKind.ack) { acknowledgement.write(into: &$0) }
  }

  /// Writes a `resync`.
  public mutating func resync() { message(MessageKind.resync) { _ in } }

  /// Writes a `ping`.
  public mutating func ping() { message(MessageKind.ping) { _ in } }

  /// Writes a client's `bye`.
  public mutating func bye() { message(MessageKind.bye) { _ in } }

  /// Writes an object whose first member is its kind.
  mutating func message(_ kind: StaticString, _ members: (inout JSONWriter) -> Void) {
    beginObject()
    key(MessageKey.kind)
    string(kind)
    members(&self)
    endObject()
  }

  /// Writes a member with a string, or nothing for nil.
  mutating func member(_ key: StaticString, _ value: String?) {
    guard let value else { return }
    self.key(key)
    string(value)
  }

  /// Writes a member with an integer.
  mutating func member(_ key: StaticString, _ value: Int) {
    self.key(key)
    integer(value)
  }
}
