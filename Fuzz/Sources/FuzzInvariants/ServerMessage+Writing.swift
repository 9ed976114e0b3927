package import Wire

extension ServerMessage {
  /// Writes the message with the writer that the server uses; writes nothing for a kind or a code that is unknown.
  ///
  /// An element of an array can be moved within that array only.
  package func write(into json: inout JSONWriter) {
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
    case .clients(let clients): json.clients(clients)
    case .notice(let durability): json.notice(durability)
    case .drain(let milliseconds): json.drain(within: milliseconds)
    case .auth(let expires, let token): json.auth(expires: expires, token: token)
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
