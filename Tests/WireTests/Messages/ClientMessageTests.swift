import FuzzInvariants
import Testing

@testable import Wire

@Suite("What a client says")
struct ClientMessageTests {
  // MARK: Written and read

  static let anonymous = ClientInfo()
  static let browser = ClientInfo(name: "b\"w", version: "1.2", locale: "de-AT")
  static let increment = JSONValue.object(["increment": .object([:])])

  static let messages: [(text: String, message: Said)] = [
    (#"{"t":"hello","app":"counter","client":{}}"#, .hello(app: "counter", parameters: nil, client: anonymous)),
    (
      #"{"t":"hello","app":"","params":{"a":[1]},"client":{"name":"b\"w","version":"1.2","locale":"de-AT"}}"#,
      .hello(app: "", parameters: .object(["a": .array([.integer(1)])]), client: browser)
    ),
    (
      #"{"t":"hello","app":"a","params":null,"client":{"version":"2"}}"#,
      .hello(app: "a", parameters: .null, client: ClientInfo(version: "2"))
    ),
    (#"{"t":"act","n":1,"to":1,"a":{"increment":{}}}"#, .act(1, to: .id(1), action: increment)),
    (
      #"{"t":"act","n":9007199254740991,"to":0,"a":"x"}"#,
      .act(9_007_199_254_740_991, to: .id(0), action: .string("x"))
    ),
    (#"{"t":"act","n":2,"to":"tabs[0]/detail","a":null}"#, .act(2, to: .path("tabs[0]/detail"), action: .null)),
    (
      #"{"t":"act","n":3,"to":"","a":[],"ack":{"rev":0,"n":2}}"#,
      .act(3, to: .path(""), action: .array([]), acknowledgement: Acknowledgement(revision: 0, number: 2))
    ),
    (#"{"t":"back","n":4,"to":7}"#, .back(4, to: .id(7))),
    (
      #"{"t":"back","n":9007199254740991,"to":"tabs[0]","ack":{"rev":3,"n":4}}"#,
      .back(
        9_007_199_254_740_991, to: .path("tabs[0]"), acknowledgement: Acknowledgement(revision: 3, number: 4))
    ),
    (#"{"t":"ack","rev":7,"n":0}"#, .ack(Acknowledgement(revision: 7, number: 0))),
    (
      #"{"t":"hello","app":"a","client":{},"resume":{"sid":"s","cid":1,"token":"t","try":2,"epoch":"e","rev":7}}"#,
      .hello(
        app: "a", parameters: nil, client: anonymous,
        resume: ClientMessage.Resume(sessionID: "s", clientID: 1, token: "t", attempt: 2, epoch: "e", revision: 7))
    ),
    (
      #"{"t":"hello","client":{},"resume":{"sid":"s","cid":2,"token":"t","try":1,"epoch":"","rev":0}}"#,
      .hello(
        app: "", client: anonymous,
        resume: ClientMessage.Resume(sessionID: "s", clientID: 2, token: "t", attempt: 1, epoch: "", revision: 0))
    ),
    (
      #"{"t":"hello","client":{"name":"b"},"share":"t\n"}"#,
      .hello(app: "", client: ClientInfo(name: "b"), share: "t\n")
    ),
    (#"{"t":"hello","app":"a","client":{},"share":""}"#, .hello(app: "a", client: anonymous, share: "")),
    (#"{"t":"resync"}"#, .resync),
    (#"{"t":"check"}"#, .check),
    (#"{"t":"share","scope":"view"}"#, .share(.view)),
    (#"{"t":"share","scope":"act"}"#, .share(.act)),
    (#"{"t":"ping"}"#, .ping),
    (#"{"t":"bye"}"#, .bye),
  ]

  @Test("a message is written", arguments: messages)
  func message_isWritten(text: String, message: Said) {
    #expect(JSONWriter.text(message.write) == text)
  }

  @Test("a message is read", arguments: messages)
  func message_isRead(text: String, message: Said) throws {
    #expect(try Self.read(text) == message)
  }

  @Test("keys come in any order, and those that the protocol does not know are ignored", arguments: messages)
  func unknownKeys_areIgnored(text: String, message: Said) throws {
    var members: [String] = [#""x":{"t":"bye","n":-1}"#, #""":[{"t":1}]"#]
    try JSONElement(parsing: text).forEachMember { key, value in members.append("\(key.source): \(value.source)") }
    #expect(try Self.read("{ \(members.reversed().joined(separator: " , ")) }") == message)
  }

  @Test("keys and kinds may be written with escapes", arguments: messages)
  func escapedKeys_areRead(text: String, message: Said) throws {
    var members: [String] = []
    try JSONElement(parsing: text).forEachMember { key, value in
      let first = key.source.utf8.dropFirst().first.map { String($0, radix: 16) } ?? ""
      members.append("\"\\u00\(first)\(key.source.dropFirst(2)):\(value.source)")
    }
    let escaped = "{\(members.joined(separator: ","))}".replacing(#":"act""#, with: #":"\u0061c\u0074""#)
    #expect(escaped.contains(#""\u0074""#))
    #expect(try Self.read(escaped) == message)
  }

  // MARK: Read alone

  static let lenient: [(text: String, message: Said)] = [
    (#"{"t":"hello","app":"a"}"#, .hello(app: "a", parameters: nil, client: anonymous)),
    (#"{"t":"hello","app":"a","client":null}"#, .hello(app: "a", parameters: nil, client: anonymous)),
    (#"{"t":"hello","app":"a","client":"b"}"#, .hello(app: "a", parameters: nil, client: anonymous)),
    (
      #"{"t":"hello","app":"a","client":{"name":1,"version":"2","locale":[]}}"#,
      .hello(app: "a", parameters: nil, client: ClientInfo(version: "2"))
    ),
    (#"{"t":"hello","app":"a","share":null,"resume":null}"#, .hello(app: "a", client: anonymous)),
    (#"{"t":"hello","share":"t","resume":null}"#, .hello(app: "", client: anonymous, share: "t")),
    (#"{"t":"hello","app":1,"share":"t"}"#, .hello(app: "", client: anonymous, share: "t")),
    (#"{"t":"check","n":-1,"scope":1}"#, .check),
    (#"{"t":"hello","app":"a","resume":null}"#, .hello(app: "a", parameters: nil, client: anonymous)),
    (
      #"{"t":"hello","resume":{"sid":"s","cid":1,"token":"t","try":2,"epoch":"e","rev":0,"more":1}}"#,
      .hello(
        app: "", parameters: nil, client: anonymous,
        resume: ClientMessage.Resume(
          sessionID: "s", clientID: 1, token: "t", attempt: 2, epoch: "e", revision: 0))
    ),
    // Of two members with one key the last counts.
    (#"{"t":"ping","t":"bye"}"#, .bye),
    (#"{"t":"act","n":"x","n":1,"to":1,"to":2,"a":1,"a":2}"#, .act(1, to: .id(2), action: .integer(2))),
    // Whole numbers, however they are written.
    (#"{"t":"act","n":1.0,"to":2e0,"a":1}"#, .act(1, to: .id(2), action: .integer(1))),
  ]

  @Test("what does not matter may be missing or wrong", arguments: lenient)
  func message_isReadLeniently(text: String, message: Said) throws {
    #expect(try Self.read(text) == message)
  }

  // MARK: Refused

  static let refused: [(text: String, names: String)] = [
    ("[]", "an array"), ("1", "a number"), (#""ping""#, "a string"), ("null", "null"), ("{}", #""t""#),
    (#"{"t":1}"#, #""t""#),
    (#"{"t":null}"#, #""t""#), (#"{"t":["ping"]}"#, #""t""#), (#"{"T":"ping"}"#, #""t""#),
    (#"{"t":"pong"}"#, #""pong""#),
    (#"{"t":""}"#, #""""#), (#"{"t":"Ping"}"#, #""Ping""#), (#"{"t":"ping "}"#, #""ping ""#),
    (#"{"t":"welcome"}"#, #""welcome""#),
    (#"{"t":"hello"}"#, #""app""#), (#"{"t":"hello","app":1}"#, #""app""#), (#"{"t":"hello","app":null}"#, #""app""#),
    (#"{"t":"hello","app":"a","resume":{}}"#, #""sid""#), (#"{"t":"hello","resume":1}"#, #""sid""#),
    (#"{"t":"hello","resume":{"sid":"s","cid":1,"token":"t","try":"2","epoch":"e","rev":7}}"#, #""try""#),
    (#"{"t":"hello","app":"a","share":1}"#, #""share""#), (#"{"t":"hello","share":{}}"#, #""share""#),
    (#"{"t":"hello","share":null}"#, #""app""#),
    (
      #"{"t":"hello","share":"t","resume":{"sid":"s","cid":1,"token":"t","try":2,"epoch":"e","rev":7}}"#,
      #"with "share" or goes on with one with "resume", not both"#
    ),
    (#"{"t":"back","to":1}"#, #"kind "back" needs "n", a whole number from 1"#),
    (#"{"t":"back","n":0,"to":1}"#, #""n""#), (#"{"t":"back","n":"1","to":1}"#, #""n""#),
    (#"{"t":"back","n":1}"#, #"kind "back" needs "to", a node id"#), (#"{"t":"back","n":1,"to":null}"#, #""to""#),
    (#"{"t":"back","n":1,"to":1,"ack":null}"#, #""ack""#), (#"{"t":"back","n":1,"to":1,"ack":{"rev":1}}"#, #""n""#),
    (#"{"t":"share"}"#, #""scope""#), (#"{"t":"share","scope":"all"}"#, #""scope", "view" or "act""#),
    (#"{"t":"share","scope":null}"#, #""scope""#), (#"{"t":"Check"}"#, #""Check""#), (#"{"t":"notice"}"#, #""notice""#),
    (#"{"t":"drain","within":1}"#, #""drain""#),
    (#"{"t":"act","to":1,"a":1}"#, #""n""#), (#"{"t":"act","n":1,"a":1}"#, #""to""#),
    (#"{"t":"act","n":1,"to":1}"#, #""a""#),
    (#"{"t":"act","n":1,"to":null,"a":1}"#, #""to""#), (#"{"t":"act","n":1,"to":1.5,"a":1}"#, #""to""#),
    (#"{"t":"act","n":1,"to":-1,"a":1}"#, #""to""#), (#"{"t":"act","n":1,"to":9007199254740992,"a":1}"#, #""to""#),
    (#"{"t":"act","n":1,"to":["a"],"a":1}"#, #""to""#), (#"{"t":"act","n":1,"to":1,"a":1,"ack":{}}"#, #""rev""#),
    (#"{"t":"act","n":1,"to":1,"a":1,"ack":{"rev":1}}"#, #""n""#),
    (#"{"t":"act","n":1,"to":1,"a":1,"ack":null}"#, #""ack""#),
    (#"{"t":"act","n":1,"to":1,"a":1,"ack":1}"#, #""ack""#), (#"{"t":"ack","rev":1}"#, #""n""#),
    (#"{"t":"ack","n":1}"#, #""rev""#),
    (#"{"t":"ack","rev":"1","n":1}"#, #""rev""#), (#"{"t":"ack","rev":1,"n":-1}"#, #""n""#),
    (#"{"t":"ack","rev":1,"n":9007199254740992}"#, #""n""#),
  ]

  @Test("a missing or mistyped field is named", arguments: refused)
  func otherJSON_isRefused(text: String, names: String) {
    let error = #expect(throws: MessageError.self) { try Self.read(text) }
    #expect(error?.description.contains(names) == true, "\(error?.description ?? "")")
  }

  @Test(
    "an action's number is a whole one from 1 to 2^53-1",
    arguments: [
      "0", "-0", "-1", "0.0", "1.5", #""1""#, "null", "true", "[1]", "9007199254740992", "9007199254740992.0",
      "9007199254740993.0", "9223372036854775808", "1e400", "1e30",
    ])
  func otherNumber_isRefused(number: String) {
    let error = #expect(throws: MessageError.self) { try Self.read(#"{"t":"act","n":\#(number),"to":1,"a":1}"#) }
    #expect(error?.description == #"A message of kind "act" needs "n", a whole number from 1 to 2^53-1."#)
  }

  @Test(
    "a name has at most 256 bytes",
    arguments: [
      #"{"t":"hello","app":"NAME"}"#, #"{"t":"hello","share":"NAME"}"#, #"{"t":"act","n":1,"to":"NAME","a":1}"#,
      #"{"t":"back","n":1,"to":"NAME"}"#,
      #"{"t":"hello","resume":{"sid":"NAME","cid":1,"token":"t","try":1,"epoch":"e","rev":1}}"#,
      #"{"t":"hello","resume":{"sid":"s","cid":1,"token":"NAME","try":1,"epoch":"e","rev":1}}"#,
      #"{"t":"hello","resume":{"sid":"s","cid":1,"token":"t","try":1,"epoch":"NAME","rev":1}}"#,
    ])
  func longName_isRefused(message: String) throws {
    for longest in [String(repeating: "a", count: 256), String(repeating: "\u{344}", count: 128)] {
      #expect(throws: Never.self) { try Self.read(message.replacing("NAME", with: longest)) }
      #expect(throws: MessageError.self) { try Self.read(message.replacing("NAME", with: longest + "a")) }
    }
    // An escape is longer than what it stands for.
    let escaped = String(repeating: #"\u0061"#, count: 256)
    #expect(throws: Never.self) { try Self.read(message.replacing("NAME", with: escaped)) }
    #expect(throws: MessageError.self) { try Self.read(message.replacing("NAME", with: escaped + #"\u0061"#)) }
  }

  @Test("a name that is too long is that of no feature")
  func longFeature_isIgnored() throws {
    let long = String(repeating: "\u{344}", count: 10_000)
    let json = try JSONElement(parsing: #"{"t":"hello","app":"a","features":["\#(long)","clients"]}"#)
    guard case .hello(let hello) = try ClientMessage(json) else { throw MessageError("no hello") }
    #expect(hello.features == [.clients])
  }

  @Test(
    "a text that goes to apps is Stream-Safe",
    arguments: [
      #"{"t":"hello","app":"a","client":{"name":"TEXT"}}"#, #"{"t":"hello","app":"a","client":{"version":"TEXT"}}"#,
      #"{"t":"hello","app":"a","client":{"locale":"TEXT"}}"#,
      #"{"t":"hello","app":"a","client":{"timeZone":"TEXT"}}"#,
      #"{"t":"hello","app":"a","auth":"TEXT"}"#, #"{"t":"auth","token":"TEXT"}"#,
    ])
  func unsafeText_isRefused(message: String) throws {
    for (scalar, most) in [("\u{301}", 30), ("\u{1F1E6}", 128)] {
      let longest = String(repeating: scalar, count: most)
      #expect(throws: Never.self) { try Self.read(message.replacing("TEXT", with: longest)) }
      let error = #expect(throws: MessageError.self) {
        try Self.read(message.replacing("TEXT", with: longest + scalar))
      }
      #expect(error?.description.contains("more than 30 combining marks") == true)
    }
  }

  private static func read(_ text: String) throws -> Said { Said(try ClientMessage(JSONElement(parsing: text))) }
}
