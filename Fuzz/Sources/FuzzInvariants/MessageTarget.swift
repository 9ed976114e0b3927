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
    switch message {
    case .act(let act): try require(1...largestNumber ~= act.number, "an action has the number \(act.number)")
    case .back(let back): try require(1...largestNumber ~= back.number, "a step back has the number \(back.number)")
    default: break
    }
    var json = JSONWriter()
    Said(message).write(into: &json)
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

  /// Nil for a message that is only read: of a kind or a code that is unknown; or a patch, whose operations may be any.
  private static func text(of message: ServerMessage) -> String? {
    switch message {
    case .patch(_, _, _, let operations, _) where !operations.isEmpty: return nil
    case .bye(nil, _), .unknown: return nil
    default: break
    }
    var json = JSONWriter()
    message.write(into: &json)
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
