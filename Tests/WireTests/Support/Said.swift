@testable import Wire

/// A client's message that can be compared and written.
enum Said: Equatable, Sendable {
  case hello(
    app: String, parameters: JSONValue? = nil, client: ClientInfo, share: String? = nil,
    resume: ClientMessage.Resume? = nil)
  case act(Int, to: NodeAddress, action: JSONValue, acknowledgement: Acknowledgement? = nil)
  case back(Int, to: NodeAddress, acknowledgement: Acknowledgement? = nil)
  case ack(Acknowledgement)
  case resync
  case check
  case share(ShareScope)
  case ping
  case bye

  init(_ message: ClientMessage) {
    self =
      switch message {
      case .hello(let hello):
        .hello(
          app: hello.app, parameters: hello.parameters.map(JSONValue.init), client: hello.client,
          share: hello.share, resume: hello.resume)
      case .act(let act):
        .act(act.number, to: act.to, action: JSONValue(act.action), acknowledgement: act.acknowledgement)
      case .back(let back): .back(back.number, to: back.to, acknowledgement: back.acknowledgement)
      case .ack(let acknowledgement): .ack(acknowledgement)
      case .resync: .resync
      case .check: .check
      case .share(let scope): .share(scope)
      case .ping: .ping
      case .bye: .bye
      }
  }

  /// Writes the message with the writer that clients use.
  func write(into json: inout JSONWriter) {
    switch self {
    case .hello(let app, let parameters, let client, let share, let resume):
      // Where the session has its app already, none is named.
      json.hello(
        app: app.isEmpty && (share ?? resume?.token) != nil ? nil : app, parameters: parameters, client: client,
        share: share, resume: resume)
    case .act(let number, let to, let action, let acknowledgement):
      json.act(number, to: to, action: action, acknowledgement: acknowledgement)
    case .back(let number, let to, let acknowledgement):
      json.back(number, to: to, acknowledgement: acknowledgement)
    case .ack(let acknowledgement): json.ack(acknowledgement)
    case .resync: json.resync()
    case .check: json.check()
    case .share(let scope): json.share(scope)
    case .ping: json.ping()
    case .bye: json.bye()
    }
  }
}

extension ServerMessage {
  /// Writes the message with the writer that the server uses; an unknown one there is none for.
  func write(into json: inout JSONWriter) {
    switch self {
    case .welcome(let welcome): json.welcome(welcome)
    case .snap(let epoch, let revision, let number, let view):
      json.beginSnap(epoch: epoch, revision: revision, number: number)
      view.write(into: &json)
      json.endObject()
    case .patch(let revision, let base, let number, let operations, let hash):
      var patch = PatchWriter()
      for operation in operations { operation.write(into: &patch) }
      let written = patch.json.bytes
      json.patch(revision: revision, base: base, number: number, operations: written.span, hash: hash)
    case .nack(let nack): json.nack(nack)
    case .share(let token, let expires): json.share(token: token, expires: expires)
    case .notice(let durability): json.notice(durability)
    case .drain(let milliseconds): json.drain(within: milliseconds)
    case .pong: json.pong()
    case .bye(let bye, let message): if let bye { json.bye(bye, message: message) }
    case .unknown: break
    }
  }
}

extension PatchOperation {
  fileprivate func write(into patch: inout PatchWriter) {
    switch self {
    case .add(let place, let value): patch.at(place.tokens[...]) { $0.add { value.write(into: &$0) } }
    case .replace(let place, let value): patch.at(place.tokens[...]) { $0.replace { value.write(into: &$0) } }
    case .remove(let place): patch.at(place.tokens[...]) { $0.remove() }
    case .move(let from, let to):
      guard let index = from.tokens.last.flatMap(Int.init), let end = to.tokens.last.flatMap(Int.init),
        from.tokens.dropLast() == to.tokens.dropLast()
      else { preconditionFailure("PatchWriter moves elements within their array") }
      patch.at(from.tokens.dropLast()) { $0.move(from: index, to: end) }
    }
  }
}

extension PatchWriter {
  fileprivate mutating func at(_ tokens: ArraySlice<String>, _ body: (inout PatchWriter) -> Void) {
    guard let token = tokens.first else { return body(&self) }
    at(token) { $0.at(tokens.dropFirst(), body) }
  }
}
