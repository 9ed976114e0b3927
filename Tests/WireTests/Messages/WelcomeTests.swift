import Testing

@testable import Wire

@Suite("The answer to a hello")
struct WelcomeTests {
  static let full = Welcome(
    sessionID: "s", clientID: 1, token: "t", epoch: "e", revision: 2, number: 3,
    nacks: [Nack(number: 2, code: .badAction, message: "no"), Nack(number: 3, code: .gone, message: "")], resumed: true,
    durability: .disk, build: "0.1", timeToLive: 86_400_000, heartbeat: 25_000,
    limits: Welcome.Limits(messageBytes: 1, actionsPerSecond: 0, actionBurst: 9_007_199_254_740_991))

  static let text = #"""
    {"t":"welcome","sid":"s","cid":1,"token":"t","epoch":"e","rev":2,"n":3,"nacks":[{"n":2,"code":"bad_action",\#
    "message":"no"},{"n":3,"code":"gone","message":""}],"resumed":true,"durability":"disk","build":"0.1","ttl":86400000,\#
    "heartbeat":25000,"limits":{"messageBytes":1,"actionsPerSecond":0,"actionBurst":9007199254740991}}
    """#

  @Test("a welcome is written and read")
  func welcome_isWrittenAndRead() throws {
    #expect(JSONWriter.text { $0.welcome(Self.full) } == Self.text)
    #expect(try Welcome(JSONElement(parsing: Self.text)) == Self.full)
  }

  @Test(
    "every durability is known",
    arguments: [(.disk, "disk"), (.process, "process"), (.none, "none")] as [(Welcome.Durability, String)])
  func durability_isWrittenAndRead(durability: Welcome.Durability, name: String) throws {
    var welcome = Self.full
    welcome.durability = durability
    welcome.nacks = []
    let text = JSONWriter.text { $0.welcome(welcome) }
    #expect(text.contains(#""nacks":[],"resumed":true,"durability":"\#(name)""#))
    #expect(try Welcome(JSONElement(parsing: text)) == welcome)
  }

  @Test("what a client may do is said if it is not all")
  func scope_isWrittenAndRead() throws {
    #expect(try Welcome(JSONElement(parsing: Self.text)).scope == .act)
    var welcome = Self.full
    welcome.scope = .view
    let text = JSONWriter.text { $0.welcome(welcome) }
    #expect(text == Self.text.dropLast() + #","scope":"view"}"#)
    #expect(try Welcome(JSONElement(parsing: text)) == welcome)
    // What a later server may say, and this client does not know, the server decides about.
    #expect(try Welcome(JSONElement(parsing: text.replacing(#""view""#, with: #""edit""#))).scope == .act)
  }

  @Test("a client may send as much as the protocol says, unless told otherwise")
  func limits_haveDefaults() {
    #expect(Welcome.Limits() == Welcome.Limits(messageBytes: 65_536, actionsPerSecond: 50, actionBurst: 100))
  }

  /// Each field with what it may not be.
  static let fields: [(key: String, wrong: [String])] = [
    ("sid", ["1", "null"]), ("cid", [#""1""#, "-1", "1.5", "9007199254740992"]), ("token", ["null", "{}"]),
    ("epoch", ["1"]),
    ("rev", [#""2""#, "null"]), ("n", ["[]", "-1"]), ("nacks", ["{}", "null", #""""#]),
    ("resumed", ["0", #""true""#, "null"]),
    ("durability", ["1", #""""#, #""Disk""#]), ("build", ["1"]), ("ttl", [#""1""#, "1.5"]), ("heartbeat", ["true"]),
    ("limits", ["[]", "null", "1"]), ("messageBytes", ["-1", #""1""#]), ("actionsPerSecond", ["0.5"]),
    ("actionBurst", ["null"]),
  ]

  @Test("a missing or mistyped field is named", arguments: fields)
  func otherField_isRefused(key: String, wrong: [String]) throws {
    for value in [nil] + wrong.map(Optional.some) {
      let text = try Self.replacing(key, by: value, in: JSONElement(parsing: Self.text))
      let error = #expect(throws: MessageError.self) { try Welcome(JSONElement(parsing: text)) }
      #expect(error?.description.contains("needs \"\(key)\", ") == true, "\(error?.description ?? "") for \(text)")
    }
  }

  @Test("a refusal in it that is none is refused")
  func otherNack_isRefused() throws {
    let text = Self.text.replacing(#""code":"gone""#, with: #""code":7"#)
    let error = #expect(throws: MessageError.self) { try Welcome(JSONElement(parsing: text)) }
    #expect(error?.description.contains(#""code""#) == true)
  }

  /// The object with another value, or none, for a key, in it or in an object in it.
  private static func replacing(_ key: String, by value: String?, in object: JSONElement) -> String {
    var members: [String] = []
    object.forEachMember { name, old in
      if name.isString(key) {
        if let value { members.append("\(name.source):\(value)") }
      } else if old.kind == .object {
        members.append("\(name.source):\(replacing(key, by: value, in: old))")
      } else {
        members.append("\(name.source):\(old.source)")
      }
    }
    return "{\(members.joined(separator: ","))}"
  }
}
