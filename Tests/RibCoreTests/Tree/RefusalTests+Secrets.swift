import RibCore
import RibTesting
import Testing
import Wire

/// What a refusal repeats of an action that holds a secret: nothing.
extension RefusalTests {
  @Test(arguments: [
    (#"{"1234":{}}"#, "There is no such action of Vault; there are: open, check, count."),
    (#""1234""#, "There is no such action of Vault; there are: open, check, count."),
    (
      #"{"open":{"name":"Ada","code":["1234"]}}"#,
      #"Not a view action of Vault at "open.code": its type does not accept it."#
    ),
    (
      #"{"open":{"name":["1234"],"code":"1"}}"#,
      #"Not a view action of Vault at "open.name": its type does not accept it."#
    ),
    (#"{"open":{"name":"Ada","1234":""}}"#, #"Not a view action of Vault at "open": there is no "code"."#),
    (#"{"count":1234.5}"#, #"Not a view action of Vault at "count": its type does not accept it."#),
    ("1234", "Not a view action of Vault: its type does not accept it."),
  ])
  func action_withSecret_isNotRepeated(action: String, message: String) throws {
    let refusal = try TestSession(Vault()).refusal(of: action)
    #expect(refusal == Refusal(.badAction, message))
    #expect(refusal.cause == nil)
  }

  /// Has a ``Vault`` behind it, and takes no secret.
  private struct Hallway: Riblet {
    static let typeName = "Hallway"
    enum ViewAction: Decodable { case leave, wait(Int) }
    var routes: [Route<Self>] { [Route("vault", \.self) { Child(Vault()) }] }
    func makeState() -> Slot<NoConfig> { Slot(NoConfig()) }
    func reduce(into vault: inout Slot<NoConfig>, viewAction: ViewAction) -> Effect<Self> {
      vault.detach()
      return .none
    }
    func view(_ vault: Slot<NoConfig>) -> Int { 0 }
  }

  @Test func action_thatWentAstray_isNotRepeatedEither() throws {
    let session = try TestSession(Hallway())
    #expect(
      try session.refusal(of: #"{"open":"1234"}"#).message
        == "There is no such action of Hallway; there are: leave, wait.")
    #expect(
      try session.refusal(of: #"{"wait":12.5}"#).message
        == #"Not a view action of Hallway at "wait": its type does not accept it."#)
    try session.act(#""leave""#)
    #expect(
      try session.refusal(of: #"{"open":1}"#).message
        == #"There is no action "open" of Hallway; there are: leave, wait."#)
  }

  /// Whether it takes a secret is not known: it accepts no example.
  private struct Sealed: Riblet {
    static let typeName = "Sealed"
    enum ViewAction: Decodable { case enter(Email, Secret<String>) }
    struct Email: Decodable {
      init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard text.contains("@") else {
          throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "No address."))
        }
      }
    }
    func makeState() -> Int { 0 }
    func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> { .none }
    func view(_ state: Int) -> Int { state }
  }

  @Test func name_ofAnActionThatMayHoldASecret_isNotRepeated() throws {
    let session = try TestSession(Sealed())
    #expect(try session.refusal(of: #""1234""#).message == "There is no such action of Sealed; there is: enter.")
    let refusal = try session.refusal(of: #"{"enter":{"_0":"ada","_1":"1234"}}"#)
    #expect(refusal.message == #"Not a view action of Sealed at "enter._0": No address."#)
  }

  /// Says what it was given.
  private struct Gossip: Riblet {
    static let typeName = "Gossip"
    struct ViewAction: Decodable {
      init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(Secret<String>.self).reveal() ?? ""
        throw Failure(text: text)
      }
    }
    struct Failure: Error { let text: String }
    func makeState() -> Int { 0 }
    func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> { .none }
    func view(_ state: Int) -> Int { state }
  }

  @Test func error_ofATypeWithSecret_isNamedAndNotRepeated() throws {
    let refusal = try TestSession(Gossip()).refusal(of: #""1234""#)
    #expect(refusal.message == "Not a view action of Gossip: its type does not accept it.")
    #expect(refusal.cause == "Failure")
  }
}
