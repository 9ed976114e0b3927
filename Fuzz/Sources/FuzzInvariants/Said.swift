package import Wire

/// A client's message that can be compared and written, for the fuzzer and for tests.
package enum Said: Equatable, Sendable {
  case hello(
    app: String, parameters: JSONValue? = nil, client: ClientInfo, auth: String? = nil,
    share: String? = nil, resume: ClientMessage.Resume? = nil)
  case act(Int, to: NodeAddress, action: JSONValue, acknowledgement: Acknowledgement? = nil)
  case back(Int, to: NodeAddress, acknowledgement: Acknowledgement? = nil)
  case ack(Acknowledgement)
  case resync
  case check
  case share(ShareScope)
  case auth(String)
  case ping
  case bye

  /// The same message as the server has read it.
  package init(_ message: ClientMessage) {
    self =
      switch message {
      case .hello(let hello):
        .hello(
          app: hello.app, parameters: hello.parameters.map(JSONValue.init), client: hello.client,
          auth: hello.auth, share: hello.share, resume: hello.resume)
      case .act(let act):
        .act(act.number, to: act.to, action: JSONValue(act.action), acknowledgement: act.acknowledgement)
      case .back(let back): .back(back.number, to: back.to, acknowledgement: back.acknowledgement)
      case .ack(let acknowledgement): .ack(acknowledgement)
      case .resync: .resync
      case .check: .check
      case .share(let scope): .share(scope)
      case .auth(let token): .auth(token)
      case .ping: .ping
      case .bye: .bye
      }
  }

  /// Writes the message with the writer that clients use.
  package func write(into json: inout JSONWriter) {
    switch self {
    case .hello(let app, let parameters, let client, let auth, let share, let resume):
      // Where the session has its app already, none is named.
      json.hello(
        app: app.isEmpty && (share ?? resume?.token) != nil ? nil : app, parameters: parameters, client: client,
        auth: auth, share: share, resume: resume)
    case .act(let number, let to, let action, let acknowledgement):
      json.act(number, to: to, action: action, acknowledgement: acknowledgement)
    case .back(let number, let to, let acknowledgement):
      json.back(number, to: to, acknowledgement: acknowledgement)
    case .ack(let acknowledgement): json.ack(acknowledgement)
    case .resync: json.resync()
    case .check: json.check()
    case .share(let scope): json.share(scope)
    case .auth(let token): json.auth(token)
    case .ping: json.ping()
    case .bye: json.bye()
    }
  }
}
