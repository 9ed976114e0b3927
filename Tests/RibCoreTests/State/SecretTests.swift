import RibCore
import Testing
import Wire

struct SecretTests {
  private static let typed = "swordfish"

  private struct Form: Codable, Equatable {
    var name = "Ada"
    var password = Secret(SecretTests.typed)
    var others: [Secret<String>] = []
    var hint: Secret<String>?
  }

  // MARK: Coding

  @Test func value_isTakenAsItIs() throws {
    #expect(try decoded(Secret<String>.self, from: #""swordfish""#) == Secret(Self.typed))
    #expect(try decoded(Secret<Int>.self, from: "1234").reveal() == 1234)
    #expect(try decoded([Secret<[Bool]>].self, from: "[[true]]").first?.reveal() == [true])
  }

  @Test func null_isNoValue() throws {
    #expect(try decoded(Secret<String>.self, from: "null") == Secret())
    #expect(Secret<String>().reveal() == nil)
    #expect(Secret<String>.initial == Secret())
  }

  @Test func secret_isWrittenAsNull() throws {
    let form = Form(others: [Secret("a")], hint: Secret("b"))
    let expected = #"{"name":"Ada","password":null,"others":[null],"hint":null}"#
    #expect(String(decoding: try StateCoder.encode(form), as: UTF8.self) == expected)
    var json = JSONWriter()
    try ViewEncoder().write(form, into: &json)
    #expect(String(decoding: json.bytes, as: UTF8.self) == expected)
    #expect(try coded(Form()).password.reveal() == nil)
  }

  @Test(arguments: ["[1]", "5", #"{"swordfish":1}"#, "true"])
  func whatIsNoValue_isNotInTheError(_ json: String) throws {
    let error = #expect(throws: DecodingError.self) { try decoded([Secret<String>].self, from: "[\(json)]") }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(context.debugDescription == "The secret there is no String.")
    #expect(context.codingPath.map(\.stringValue) == ["0"])
    #expect(context.underlyingError == nil)
  }

  /// Says what it does not like.
  private struct Talkative: Decodable, Equatable {
    init(from decoder: any Decoder) throws {
      throw Failure(text: try decoder.singleValueContainer().decode(String.self))
    }
    struct Failure: Error { let text: String }
  }

  @Test func errorOfTheValue_isNotToldOn() {
    let error = #expect(throws: DecodingError.self) {
      try decoded(Secret<Talkative>.self, from: #""swordfish""#)
    }
    #expect(error.map { "\($0)".contains(Self.typed) } == false)
  }

  // MARK: Differences

  @Test func change_writesNothing() throws {
    func patch(_ old: Form, _ new: Form) throws -> String {
      var patch = PatchWriter()
      try ViewEncoder().writeDifference(from: old, to: new, into: &patch)
      return String(decoding: patch.json.bytes, as: UTF8.self)
    }
    #expect(try patch(Form(), Form(password: Secret("another"))) == "")
    #expect(try patch(Form(), Form(password: Secret())) == "")
    let (one, other) = (Secret("a"), Secret("b"))
    #expect(try patch(Form(others: [one, other]), Form(others: [other, one])) == "")
    #expect(try patch(Form(), Form(hint: one)) == #"{"op":"add","path":"/hint","value":null}"#)
    #expect(try patch(Form(others: [one]), Form(others: [one, other])).contains("swordfish") == false)
    #expect(
      try patch(Form(others: [one]), Form(others: [one, other])) == #"{"op":"add","path":"/others/1","value":null}"#)
  }

  // MARK: Descriptions

  @Test func description_isAlwaysTheSame() {
    struct Action { let password = Secret(SecretTests.typed) }
    let secret = Secret(Self.typed)
    var dumped = ""
    dump(Action(), to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), "\(Action())", "\(Optional(secret) as Any)", dumped] {
      #expect(text.contains("•••"))
      #expect(!text.contains(Self.typed))
    }
    #expect(Mirror(reflecting: secret).children.isEmpty)
  }

  @Test func secrets_areEqualByTheirValues() {
    #expect(Secret("a") == Secret("a"))
    #expect(Secret("a") != Secret("b"))
    #expect(Secret("a") != Secret())
  }

  // MARK: Transient

  @Test func transient_isLostWithTheSession() throws {
    struct State: Codable, Equatable {
      @Transient var password = Secret(SecretTests.typed)
      @Transient var again: Secret<String>? = Secret(SecretTests.typed)
    }
    #expect(String(decoding: try StateCoder.encode(State()), as: UTF8.self) == "{}")
    let restored = try coded(State())
    #expect(restored.password.reveal() == nil)
    #expect(restored.again == nil)
  }

  @Test func printing_showsNoSecret() throws {
    struct Printed: Riblet {
      static let typeName = "Printed"
      let print: (String) -> Void
      enum ViewAction: Decodable { case enter(Secret<String>) }
      var reducers: [Reducer<Self>] { [.printing(to: print)] }
      func makeState() -> Int { 0 }
      func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> { .none }
      func view(_ state: Int) -> Int { state }
    }
    var lines: [String] = []
    let tree = Tree(root: Printed { lines.append($0) })
    let renderer = ViewRenderer()
    _ = try tree.start(rendering: renderer)
    let action = try StateCoder.read(#"{"enter":"swordfish"}"#)
    _ = try tree.perform(action, for: .path(""), by: ActingClient(), rendering: renderer)
    #expect(lines.count == 2)
    #expect(lines.last?.contains("enter(•••)") == true, "\(lines)")
  }
}
