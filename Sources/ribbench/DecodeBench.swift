import Wire

/// What it takes to make an action of the bytes of its JSON.
enum DecodeBench {
  private enum Action: Decodable {
    case increment
    case move(from: Int, to: String)
  }

  static func report() throws {
    try measure("decode: bytes of a case without a payload", #"{"increment":{}}"#)
    try measure("decode: bytes of a case without a payload, its short form", #""increment""#)
    try measure("decode: bytes of a case with two fields", #"{"move":{"from":17,"to":"the end"}}"#)
    try measureMessage(
      "decode: bytes of a message, a case without a payload", #"{"t":"act","n":17,"to":1,"a":{"increment":{}}}"#)
    try measureMessage(
      "decode: bytes of a message, a case with two fields",
      #"{"t":"act","n":17,"to":1,"a":{"move":{"from":17,"to":"the end"}}}"#)
  }

  private static func measure(_ name: String, _ text: String) throws {
    let bytes = Array(text.utf8)
    var reader = JSONReader()
    try Bench.time(name) {
      _ = try ActionDecoder.decode(Action.self, from: reader.read(bytes.span).root)
    }
  }

  private static func measureMessage(_ name: String, _ text: String) throws {
    let bytes = Array(text.utf8)
    var reader = JSONReader()
    try Bench.time(name) {
      guard case .act(let act) = try ClientMessage(reader.read(bytes.span).root) else { fatalError("no action") }
      _ = try ActionDecoder.decode(Action.self, from: act.action)
    }
  }
}
