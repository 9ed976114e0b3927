import FuzzInvariants
import Testing

@testable import Wire

@Suite("What a server says")
struct ServerMessageTests {
  // MARK: Written and read

  static let view = JSONValue.object(["root": .integer(1), "nodes": .object([:])])
  static let place = JSONPointer(["nodes", "1", "state", "a/b~\"\n\u{301}"])

  static let messages: [(text: String, message: ServerMessage)] = [
    (WelcomeTests.text, .welcome(WelcomeTests.full)),
    (
      #"{"t":"snap","epoch":"e","rev":1,"n":0,"view":{"nodes":{},"root":1}}"#,
      .snap(epoch: "e", revision: 1, number: 0, view: view)
    ),
    (
      #"{"t":"snap","epoch":"","rev":0,"n":9007199254740991,"view":null}"#,
      .snap(epoch: "", revision: 0, number: 9_007_199_254_740_991, view: .null)
    ),
    (#"{"t":"patch","rev":2,"base":1,"n":1,"ops":[]}"#, .patch(revision: 2, base: 1, number: 1, operations: [])),
    (
      "{\"t\":\"patch\",\"rev\":3,\"base\":2,\"n\":0,\"ops\":["
        + "{\"op\":\"replace\",\"path\":\"/nodes/1/state/a~1b~0\\\"\\n\u{301}\",\"value\":[4]},"
        + #"{"op":"remove","path":""},{"op":"add","path":"/x","value":null}]}"#,
      .patch(
        revision: 3, base: 2, number: 0,
        operations: [.replace(place, .array([.integer(4)])), .remove(JSONPointer()), .add(JSONPointer(["x"]), .null)])
    ),
    (
      #"{"t":"nack","n":1,"code":"bad_action","message":"no \"x\""}"#,
      .nack(Nack(number: 1, code: .badAction, message: "no \"x\""))
    ),
    (
      #"{"t":"patch","rev":2,"base":2,"n":1,"ops":[],"hash":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"}"#,
      .patch(
        revision: 2, base: 2, number: 1, operations: [],
        hash: "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a")
    ),
    (
      #"{"t":"patch","rev":2,"base":1,"n":1,"ops":[{"op":"remove","path":"/a"}],"hash":""}"#,
      .patch(revision: 2, base: 1, number: 1, operations: [.remove(JSONPointer(["a"]))], hash: "")
    ),
    (#"{"t":"share","token":"t\"","expires":600000}"#, .share(token: "t\"", expires: 600_000)),
    (#"{"t":"notice","durability":"disk"}"#, .notice(.disk)),
    (#"{"t":"notice","durability":"process"}"#, .notice(.process)),
    (#"{"t":"notice","durability":"none"}"#, .notice(.none)),
    (#"{"t":"clients","clients":[]}"#, .clients([])),
    (
      #"{"t":"clients","clients":[{"cid":1,"scope":"act"},{"cid":3,"scope":"view"}]}"#,
      .clients([ConnectedClient(id: 1, scope: .act), ConnectedClient(id: 3, scope: .view)])
    ),
    (#"{"t":"drain","within":0}"#, .drain(within: 0)),
    (#"{"t":"drain","within":9007199254740991}"#, .drain(within: 9_007_199_254_740_991)),
    (#"{"t":"pong"}"#, .pong),
    (#"{"t":"bye","code":"no_hello","message":"say hello"}"#, .bye(.noHello, message: "say hello")),
  ]

  @Test("a message is written", arguments: messages)
  func message_isWritten(text: String, message: ServerMessage) {
    #expect(haveSameUTF8(JSONWriter.text(message.write), text))
  }

  @Test("a message is read", arguments: messages)
  func message_isRead(text: String, message: ServerMessage) throws {
    #expect(try Self.read(text) == message)
  }

  @Test("keys come in any order, and those that the protocol does not know are ignored", arguments: messages)
  func unknownKeys_areIgnored(text: String, message: ServerMessage) throws {
    var members: [String] = [#""x":{"t":"bye"}"#, #""":0"#]
    try JSONElement(parsing: text).forEachMember { key, value in members.append("\(key.source): \(value.source)") }
    #expect(try Self.read("{ \(members.reversed().joined(separator: " , ")) }") == message)
  }

  @Test("a patch without operations is written alike, whether it was looked for or not")
  func emptyPatch_isWritten() {
    let text = #"{"t":"patch","rev":2,"base":1,"n":1,"ops":[]}"#
    let nothing: [UInt8] = []
    #expect(JSONWriter.text { $0.patch(revision: 2, base: 1, number: 1, operations: nothing.span) } == text)
  }

  // MARK: Read alone

  static let lenient: [(text: String, message: ServerMessage)] = [
    (#"{"t":"drains","within":5000}"#, .unknown("drains")), (#"{"t":""}"#, .unknown("")),
    (#"{"t":"Pong"}"#, .unknown("Pong")),
    (#"{"t":"hello","app":"a"}"#, .unknown("hello")), (#"{"t":"a\nb"}"#, .unknown("a\nb")),
    (
      #"{"t":"patch","rev":2,"base":1,"n":1,"ops":[],"hash":null}"#,
      .patch(revision: 2, base: 1, number: 1, operations: [])
    ),
    (#"{"t":"bye"}"#, .bye(nil, message: "")), (#"{"t":"bye","code":"unheard_of"}"#, .bye(nil, message: "")),
    (#"{"t":"bye","code":1,"message":"m"}"#, .bye(nil, message: "m")),
    (#"{"t":"bye","code":"gone","message":2}"#, .bye(.gone, message: "")),
    (
      #"{"t":"patch","rev":2,"base":1,"n":1,"ops":[{"op":"move","from":"/a","path":"/b"}]}"#,
      .patch(revision: 2, base: 1, number: 1, operations: [.move(from: JSONPointer(["a"]), to: JSONPointer(["b"]))])
    ),
  ]

  @Test("a kind, a code or an operation of a later version is passed on as far as it is understood", arguments: lenient)
  func message_isReadLeniently(text: String, message: ServerMessage) throws {
    #expect(try Self.read(text) == message)
  }

  @Test("every reason for an end is read", arguments: Bye.allCases)
  func everyBye_isRead(bye: Bye) throws {
    let text = JSONWriter.text { $0.bye(bye, message: "m") }
    #expect(text == #"{"t":"bye","code":"\#(bye.rawValue)","message":"m"}"#)
    #expect(try Self.read(text) == .bye(bye, message: "m"))
  }

  // MARK: Refused

  static let refused: [(text: String, names: String)] = [
    ("[]", #""t""#), ("null", #""t""#), ("{}", #""t""#), (#"{"t":1}"#, #""t""#), (#"{"t":null}"#, #""t""#),
    (#"{"t":"snap","rev":1,"n":0,"view":{}}"#, #""epoch""#),
    (#"{"t":"snap","epoch":1,"rev":1,"n":0,"view":{}}"#, #""epoch""#),
    (#"{"t":"snap","epoch":"e","n":0,"view":{}}"#, #""rev""#),
    (#"{"t":"snap","epoch":"e","rev":1,"view":{}}"#, #""n""#),
    (#"{"t":"snap","epoch":"e","rev":1.5,"n":0,"view":{}}"#, #""rev""#),
    (#"{"t":"snap","epoch":"e","rev":1,"n":"0","view":{}}"#, #""n""#),
    (#"{"t":"snap","epoch":"e","rev":1,"n":0}"#, #""view""#), (#"{"t":"patch","base":1,"n":1,"ops":[]}"#, #""rev""#),
    (#"{"t":"patch","rev":2,"n":1,"ops":[]}"#, #""base""#), (#"{"t":"patch","rev":2,"base":1,"ops":[]}"#, #""n""#),
    (#"{"t":"patch","rev":2,"base":1,"n":1}"#, #""ops""#),
    (#"{"t":"patch","rev":2,"base":1,"n":1,"ops":{}}"#, #""ops""#),
    (#"{"t":"patch","rev":2,"base":"1","n":1,"ops":[]}"#, #""base""#),
    (#"{"t":"patch","rev":9007199254740992,"base":1,"n":1,"ops":[]}"#, #""rev""#),
    (#"{"t":"patch","rev":2,"base":1,"n":1,"ops":[1]}"#, "1 is no add"),
    (
      #"{"t":"patch","rev":2,"base":1,"n":1,"ops":[{"op":"remove","path":"/a"},{"op":"copy","from":"/a","path":"/b"}]}"#,
      #""op":"copy""#
    ),
    (#"{"t":"patch","rev":2,"base":1,"n":1,"ops":[{"op":"remove","path":"a"}]}"#, #""a" is no JSON Pointer"#),
    (#"{"t":"patch","rev":2,"base":1,"n":1,"ops":[],"hash":1}"#, #""hash""#),
    (#"{"t":"share","expires":1}"#, #""token""#), (#"{"t":"share","token":1,"expires":1}"#, #""token""#),
    (#"{"t":"share","token":"t"}"#, #""expires""#), (#"{"t":"share","token":"t","expires":-1}"#, #""expires""#),
    (#"{"t":"clients"}"#, #""clients""#), (#"{"t":"clients","clients":[{}]}"#, #""cid""#),
    (#"{"t":"notice"}"#, #""durability""#), (#"{"t":"notice","durability":"tape"}"#, #""durability", "disk""#),
    (#"{"t":"drain"}"#, #""within""#), (#"{"t":"drain","within":0.5}"#, #""within""#),
    (#"{"t":"nack","code":"gone"}"#, #""n""#), (#"{"t":"nack","n":1,"code":7}"#, #""code""#),
    (#"{"t":"welcome"}"#, #""welcome""#),
  ]

  @Test("a missing or mistyped field is named", arguments: refused)
  func otherJSON_isRefused(text: String, names: String) {
    let error = #expect(throws: MessageError.self) { try Self.read(text) }
    #expect(error?.description.contains(names) == true, "\(error?.description ?? "")")
  }

  private static func read(_ text: String) throws -> ServerMessage { try ServerMessage(JSONElement(parsing: text)) }
}
