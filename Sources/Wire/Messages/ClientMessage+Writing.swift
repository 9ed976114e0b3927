extension JSONWriter {
  /// Writes a `hello`: to start an app, to join a session, or to resume one.
  ///
  /// - Parameters:
  ///   - app: the app's name; may be nil if a session is joined or resumed.
  ///   - parameters: what the app's root is built with; nil for none.
  ///   - client: the program that draws the view.
  ///   - features: the kinds of messages that the client asks for besides those that every client gets.
  ///   - auth: the credential that says who the client is; nil for none.
  ///   - share: the one-use token of the session to join; nil to join none.
  ///   - resume: the session to resume; nil to resume none.
  package mutating func hello(
    app: String?, parameters: JSONValue? = nil, client: ClientInfo, features: [ClientFeature] = [],
    auth: String? = nil, share: String? = nil, resume: ClientMessage.Resume? = nil
  ) {
    message(MessageKind.hello) { json in
      json.member(MessageKey.app, app)
      if let parameters {
        json.key(MessageKey.parameters)
        parameters.write(into: &json)
      }
      json.key(MessageKey.client)
      json.beginObject()
      json.member(MessageKey.name, client.name)
      json.member(MessageKey.version, client.version)
      json.member(MessageKey.locale, client.locale)
      json.member(MessageKey.timeZone, client.timeZone)
      json.endObject()
      if !features.isEmpty {
        json.key(MessageKey.features)
        json.beginArray()
        for feature in features { json.string(feature.rawValue) }
        json.endArray()
      }
      json.member(MessageKey.auth, auth)
      json.member(MessageKey.share, share)
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
  ///   - to: the node that the action is for.
  ///   - action: the action's JSON.
  ///   - acknowledgement: an `ack` to send along; nil for none.
  package mutating func act(_ number: Int, to: NodeAddress, action: JSONValue, acknowledgement: Acknowledgement?) {
    message(MessageKind.act) { json in
      json.member(MessageKey.number, number)
      json.member(MessageKey.to, to)
      json.key(MessageKey.action)
      action.write(into: &json)
      json.member(MessageKey.acknowledgement, acknowledgement)
    }
  }

  /// Writes a `back`.
  ///
  /// - Parameters:
  ///   - number: the action's number.
  ///   - to: the node to be left.
  ///   - acknowledgement: an `ack` to send along; nil for none.
  package mutating func back(_ number: Int, to: NodeAddress, acknowledgement: Acknowledgement?) {
    message(MessageKind.back) { json in
      json.member(MessageKey.number, number)
      json.member(MessageKey.to, to)
      json.member(MessageKey.acknowledgement, acknowledgement)
    }
  }

  /// Writes an `ack`.
  package mutating func ack(_ acknowledgement: Acknowledgement) {
    message(MessageKind.ack) { acknowledgement.write(into: &$0) }
  }

  /// Writes a `resync`.
  package mutating func resync() { message(MessageKind.resync) { _ in } }

  /// Writes a `check`.
  package mutating func check() { message(MessageKind.check) { _ in } }

  /// Writes a client's `share`, with what the joining client may do.
  package mutating func share(_ scope: ShareScope) {
    message(MessageKind.share) { $0.member(MessageKey.scope, scope.rawValue) }
  }

  /// Writes a client's `auth`, with the credential that says who it is.
  package mutating func auth(_ token: String) {
    message(MessageKind.auth) { $0.member(MessageKey.token, token) }
  }

  /// Writes a `ping`.
  package mutating func ping() { message(MessageKind.ping) { _ in } }

  /// Writes a client's `bye`.
  package mutating func bye() { message(MessageKind.bye) { _ in } }

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

  /// Writes a member with an address.
  mutating func member(_ key: StaticString, _ address: NodeAddress) {
    self.key(key)
    switch address {
    case .id(let id): integer(id)
    case .path(let path): string(path)
    }
  }

  /// Writes a member with an `ack`, or nothing for nil.
  private mutating func member(_ key: StaticString, _ acknowledgement: Acknowledgement?) {
    guard let acknowledgement else { return }
    self.key(key)
    beginObject()
    acknowledgement.write(into: &self)
    endObject()
  }
}
