import Wire

// What is a message is one again when it is written, and says the same.

extension FuzzTarget {
  /// The messages of `riblet.v1.json`, of both ends.
  static let messages = FuzzTarget(name: "messages") { bytes in
    var reader = JSONReader()
    guard let element = try? reader.read(bytes.span).root else { return }
    if let message = try? ClientMessage(element) { try requireSame(message) }
    if let message = try? ServerMessage(element) { try requireSame(message) }
  }

  private static func requireSame(_ message: ClientMessage) throws {
    let text = try text(of: message)
    let again = try requireSuccess("\(text) is no message") {
      var reader = JSONReader()
      return try self.text(of: ClientMessage(reader.read(text).root))
    }
    try require(again == text, "\(text) becomes \(again)")
  }

  private static func text(of message: ClientMessage) throws -> String {
    var json = JSONWriter()
    switch message {
    case .hello(let hello):
      json.hello(
        app: hello.app, parameters: hello.parameters.map { JSONValue($0) }, client: hello.client,
        share: hello.share, resume: hello.resume)
    case .act(let act):
      try require(1...largestNumber ~= act.number, "an action has the number \(act.number)")
      json.act(act.number, to: act.to, action: JSONValue(act.action), acknowledgement: act.acknowledgement)
    case .back(let back):
      try require(1...largestNumber ~= back.number, "a step back has the number \(back.number)")
      json.back(back.number, to: back.to, acknowledgement: back.acknowledgement)
    case .ack(let acknowledgement): json.ack(acknowledgement)
    case .resync: json.resync()
    case .check: json.check()
    case .share(let scope): json.share(scope)
    case .ping: json.ping()
    case .bye: json.bye()
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }

  private static func requireSame(_ message: ServerMessage) throws {
    guard let text = text(of: message) else { return }
    let again = try requireSuccess("\(text) is no message") {
      var reader = JSONReader()
      return try ServerMessage(reader.read(text).root)
    }
    try require(comparable(again) == comparable(message), "\(text) becomes \(again)")
  }

  /// A message whose view is its text: a double beyond 2^53 is written as an integer, whose digits say a little more.
  private static func comparable(_ message: ServerMessage) -> ServerMessage {
    guard case .snap(let epoch, let revision, let number, let view) = message else { return message }
    return .snap(epoch: epoch, revision: revision, number: number, view: .string(view.text))
  }

  /// Nil for a message that a client only reads.
  private static func text(of message: ServerMessage) -> String? {
    var json = JSONWriter()
    switch message {
    case .welcome(let welcome): json.welcome(welcome)
    case .snap(let epoch, let revision, let number, let view):
      json.beginSnap(epoch: epoch, revision: revision, number: number)
      view.write(into: &json)
      json.endObject()
    case .patch(let revision, let base, let number, let operations, let hash):
      guard operations.isEmpty else { return nil }
      let nothing: [UInt8] = []
      json.patch(revision: revision, base: base, number: number, operations: nothing.span, hash: hash)
    case .nack(let nack): json.nack(nack)
    case .share(let token, let expires): json.share(token: token, expires: expires)
    case .notice(let durability): json.notice(durability)
    case .drain(let milliseconds): json.drain(within: milliseconds)
    case .pong: json.pong()
    case .bye(let bye?, let message): json.bye(bye, message: message)
    case .bye(nil, _), .unknown: return nil
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
