import CurlTransport
import Foundation
import RibClient
import RibCore
import RibServer
import RibTestSupport
import Testing
import Wire

/// What an action holds costs its action at most, and what was taken can be read again.
@Suite struct ContentTests {
  /// Keeps and shows what it is sent.
  struct Document: Riblet {
    static let typeName = "Document"
    struct State: Codable, Equatable {
      var content = JSONValue.null
      var count = 0
    }
    enum ViewAction: Decodable {
      case set(JSONValue)
      case nest(Int)
      case widen(Int)
      case add(Double)
      case increment
    }

    func makeState() -> State { State() }

    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .set(let content): state.content = content
      case .nest(let levels): state.content = (0..<levels).reduce(.integer(1)) { inner, _ in .array([inner]) }
      case .widen(let count): state.content = .array(Array(repeating: .string("a"), count: count))
      case .add(let number): state.count += Int(number)
      case .increment: state.count += 1
      }
      return .none
    }

    func view(_ state: State) -> State { state }
  }

  private static let app = App("document") { Document() }

  /// Brackets that are open at a time, and close.
  private static func nested(_ levels: Int) -> String {
    String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
  }

  /// An action, and what it is answered with.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let action: String
    /// The answer's kind and, of a refusal, a part of its message.
    let answer: String
    var says = ""
  }

  static let rows: [Row] = [
    Row(
      testDescription: "half a surrogate pair", action: #"{"set":"half \ud83d"}"#, answer: "patch",
      says: "half \u{FFFD}"),
    Row(
      testDescription: "half a pair in a key", action: #"{"set":{"\udc00":1}}"#, answer: "patch",
      says: "{\"\u{FFFD}\":1}"),
    Row(
      testDescription: "half a pair as the action's name", action: #""\ud83d""#, answer: "nack",
      says: "There is no action"),
    Row(
      testDescription: "an action that is nested as deep as may be", action: #"{"set":\#(nested(503))}"#,
      answer: "patch"),
    Row(
      testDescription: "an action that is nested too deeply", action: #"{"set":\#(nested(504))}"#, answer: "nack",
      says: "nested more than 504 levels deep"),
    Row(
      testDescription: "an action of brackets alone", action: nested(32_000), answer: "nack",
      says: "nested more than 504 levels deep"),
    Row(
      testDescription: "what is ignored is too deep", action: #"{"increment":{"x":\#(nested(600))}}"#, answer: "nack",
      says: "nested more than 504 levels deep"),
    Row(
      testDescription: "a number beyond a double", action: #"{"set":1e999}"#, answer: "nack",
      says: "1e999 is no value of Double."),
    Row(
      testDescription: "a number with an endless exponent", action: #"{"add":1e99999999999999999999}"#, answer: "nack"),
    Row(
      testDescription: "an integer that is none", action: #"{"nest":1.5}"#, answer: "nack",
      says: "1.5 is no value of Int."),
    Row(testDescription: "a key twice", action: #"{"set":{"a":1,"a":2}}"#, answer: "patch", says: #"{"a":2}"#),
    Row(
      testDescription: "a case twice", action: #"{"increment":{},"increment":{}}"#, answer: "nack", says: "one with 2"),
    Row(
      testDescription: "a long text", action: #"{"set":"\#(String(repeating: "a", count: 60_000))"}"#, answer: "patch"),
    Row(testDescription: "null", action: "null", answer: "nack"),
    Row(
      testDescription: "a state that is too deep", action: #"{"nest":504}"#, answer: "nack",
      says: "cannot be encoded: content"),
    Row(
      testDescription: "a state that is far too deep", action: #"{"nest":20000}"#, answer: "nack",
      says: "nested more than 504 levels deep"),
  ]

  @Test("what an action holds costs its action at most, alone and in an array", arguments: rows)
  func content_costsItsActionAtMost(_ row: Row) async throws {
    try await withServer(apps: [Self.app]) { _, url in
      try await blocking {
        let socket = try CurlWebSocket(url: url)
        try socket.send(#"{"t":"hello","app":"document","client":{"name":"\ud83d"},"features":["\udc00"]}"#)
        _ = try socket.text()
        _ = try socket.text()
        try socket.send(#"{"t":"act","n":1,"to":1,"a":\#(row.action)}"#)
        let answer = try #require(try socket.text())
        #expect(answer.hasPrefix(#"{"t":"\#(row.answer)","#), "\(answer.prefix(200))")
        if row.answer == "nack" {
          let isOfTheState = row.action.hasPrefix(#"{"nest":504}"#) || row.action.hasPrefix(#"{"nest":20000}"#)
          #expect(answer.hasPrefix(#"{"t":"nack","n":1,"code":"\#(isOfTheState ? "failed" : "bad_action")""#))
        }
        if !row.says.isEmpty, !row.says.contains("one with") {
          #expect(answer.contains(row.says), "\(answer.prefix(300))")
        }
        // In an array it costs none of its neighbours.
        try socket.send(
          #"[{"t":"act","n":2,"to":1,"a":"increment"},{"t":"act","n":3,"to":1,"a":\#(row.action.utf8.count > 20_000 ? "null" : row.action)},"#
            + #"{"t":"act","n":4,"to":1,"a":"increment","ack":{"rev":1,"n":1}}]"#)
        for number in 2...4 {
          let next = try #require(try socket.text())
          #expect(next.contains(#""n":\#(number)"#) && !next.hasPrefix(#"{"t":"bye""#), "\(next.prefix(200))")
        }
        try socket.send(#"{"t":"check"}"#)
        #expect(try socket.text()?.contains(#""hash":""#) == true)
      }
    }
  }

  @Test("one bad action of a request costs none of the others")
  func badActionOfARequest_costsItselfAlone() async throws {
    try await withServer(apps: [Self.app]) { _, url in
      try await blocking {
        let client = try TwinClient(url)
        #expect(
          try client.create(#"{"app":"document","client":{"name":"\ud83d","x":\#(Self.nested(600))}}"#).status == 201)
        let deep = #"{"to":1,"a":{"set":\#(Self.nested(2000))}}"#
        let body = #"[{"to":1,"a":"increment"},\#(deep),{"to":1,"a":{"set":"\ud83d"}},{"to":1,"a":"increment"}]"#
        let answer = try client.act(#""1""#, body)
        #expect(answer.status == 200, "\(answer.body)")
        #expect(answer.body.hasPrefix(#"{"rev":4,"n":4,"nacks":[{"n":2,"code":"bad_action""#), "\(answer.body)")
        #expect(try client.act(#""1""#, body).body == answer.body)
        let state = try client.view().json["nodes"]?["1"]?["state"]
        #expect(state?["count"] == .integer(2) && state?["content"] == .string("\u{FFFD}"))
      }
    }
  }

  @Test("what a hello holds besides the protocol's own costs no session")
  func contentOfAHello_costsNoSession() async throws {
    try await withServer(apps: [Self.app]) { _, url in
      try await blocking {
        let client = try CurlClient(url: url, app: "document")
        let welcome = try #require(client.session.welcome)
        let socket = try CurlWebSocket(url: url)
        let resume =
          #"{"sid":"\#(welcome.sessionID)","cid":1,"token":"\#(welcome.token)","try":1,"epoch":"\ud83d","rev":0,"x":"\udc00"}"#
        try socket.send(
          #"{"t":"hello","app":"\ud83d","params":\#(Self.nested(3000)),"client":\#(Self.nested(600)),"resume":\#(resume)}"#
        )
        let answer = try #require(try socket.text())
        #expect(answer.hasPrefix(#"{"t":"welcome""#) && answer.contains(#""resumed":true"#), "\(answer)")
      }
    }
  }

  @Test("a session whose connection has ended with 4400 goes on, also before its first action")
  func sessionAfterABadMessage_goesOn() async throws {
    try await withServer(apps: [Self.app]) { _, url in
      try await blocking {
        let client = try CurlClient(url: url, app: "document")
        let welcome = try #require(client.session.welcome)
        for attempt in 1...2 {
          let socket = try CurlWebSocket(url: url)
          let resume =
            #"{"sid":"\#(welcome.sessionID)","cid":1,"token":"\#(welcome.token)","try":\#(attempt),"epoch":"","rev":0}"#
          try socket.send(#"{"t":"hello","resume":\#(resume)}"#)
          #expect(try socket.text()?.hasPrefix(#"{"t":"welcome""#) == true)
          #expect(try socket.text()?.hasPrefix(#"{"t":"snap""#) == true)
          try socket.send("{")
          #expect(try socket.text()?.hasPrefix(#"{"t":"bye","code":"bad_message""#) == true)
        }
      }
    }
  }

  // MARK: What was taken is read again

  @Test("what is committed is read back, and shown to a client", arguments: ["nest 60", "nest 500", "widen 100000"])
  func committedContent_isReadBack(_ action: String) async throws {
    let directory = try TemporaryDirectory()
    let store = { (settings: inout ServerSettings) in
      settings.store = .sqlite
      settings.stateDirectory = directory.path
    }
    let parts = action.split(separator: " ")
    let content = JSONValue.object([String(parts[0]): .integer(Int64(parts[1]) ?? 0)])
    let kept = Kept()
    try await withServer(apps: [Self.app], store) { _, url in
      try await blocking {
        let client = try CurlClient(url: url, app: "document")
        try client.act(.string("increment"), to: .id(1))
        try client.act(content, to: .id(1))
        try client.act(.string("increment"), to: .id(1))
        let events = try client.settle()
        #expect(events.filter { if case .applied = $0 { true } else { false } }.count == 3, "\(events)")
        #expect(client.session.view?.count == 2)
        try client.check()
        let answers = try client.receive()
        #expect(answers.contains { if case .verified = $0 { true } else { false } }, "\(answers)")
        kept.set(client)
      }
    }
    try await withServer(apps: [Self.app], store) { _, url in
      try await blocking {
        let before = try #require(kept.client?.session)
        let welcome = try #require(before.lastWelcome)
        let twin = try TwinClient(url, sessionID: welcome.sessionID, token: welcome.token)
        let view = try twin.view()
        #expect(view.status == 200, "\(view.body.prefix(300))")
        #expect(try view.json == before.view)
        #expect(try twin.act(#""4""#, #"{"to":1,"a":"increment"}"#).json["n"] == .integer(4))
        // A client that was not there before.
        let socket = try CurlWebSocket(url: url)
        let resume = #"{"sid":"\#(welcome.sessionID)","cid":1,"token":"\#(welcome.token)","try":9,"epoch":"","rev":0}"#
        try socket.send(#"{"t":"hello","resume":\#(resume)}"#)
        _ = try socket.text()
        let snap = try #require(try socket.text())
        #expect(throws: Never.self) { try JSONValue(parsing: snap) }
      }
    }
  }

  @Test(
    "docs/client.py reads what is shown, and loses only what cannot be read",
    .enabled(if: TestRun.includesTests(of: InteropTests.python), "make test sets RIB_PYTHON"))
  func pythonClient_readsWhatIsShown() async throws {
    let python = try #require(InteropTests.python)
    try await withServer(apps: [Self.app]) { _, url in
      try await blocking {
        let script = repository.appendingPathComponent("Tests/Interop/content.py").path
        let socket = "ws\(url.dropFirst(4))/v1/socket"
        let (status, output, errors) = try Program.run(URL(fileURLWithPath: python), [script, socket, "document"])
        #expect(status == 0, "\(errors)")
        #expect(output == "{\"refused\": 2, \"unknown\": 0}\n")
      }
    }
  }

  private final class Kept: @unchecked Sendable {
    // Used by one thread after the other.
    var client: CurlClient?
    func set(_ client: CurlClient) { self.client = client }
  }
}

extension JSONValue {
  fileprivate var count: Int? {
    if case .integer(let count)? = self["nodes"]?["1"]?["state"]?["count"] { Int(count) } else { nil }
  }
}
