import CurlTransport
import RibClient
import RibCore
import RibServer
import Testing
import Wire
import WireHTTP

@testable import Showcase

/// What bad input is answered with: the rows of the table in ARCHITECTURE.md.
@Suite struct BadInputTests {
  /// A message after which the connection is over, and its answer.
  struct Fatal: Sendable, CustomTestStringConvertible {
    let name: String
    let message: String
    let bye: Bye
    let says: String
    var testDescription: String { name }
  }

  static let fatal: [Fatal] = [
    Fatal(name: "not JSON", message: "{\"t\":", bye: .badMessage, says: "the text ends inside a value, at byte 5"),
    Fatal(name: "a number", message: "42", bye: .badMessage, says: "A message is an object, this is a number."),
    Fatal(name: "no kind", message: "{}", bye: .badMessage, says: #"A message needs "t""#),
    Fatal(name: "an act without n", message: #"{"t":"act","to":1,"a":"reset"}"#, bye: .badMessage, says: #"needs "n""#),
    Fatal(
      name: "an act without to", message: #"{"t":"act","n":1,"a":"reset"}"#, bye: .badMessage, says: #"needs "to""#),
    Fatal(name: "an act without a", message: #"{"t":"act","n":1,"to":1}"#, bye: .badMessage, says: #"needs "a""#),
    Fatal(name: "unknown kind", message: #"{"t":"jump"}"#, bye: .badMessage, says: #"no message of kind "jump""#),
    Fatal(
      name: "a skipped n", message: #"{"t":"act","n":2,"to":1,"a":"reset"}"#, bye: .badMessage,
      says: "Action 2 came after 0"),
    Fatal(name: "an early ack", message: #"{"t":"ack","rev":7,"n":0}"#, bye: .badMessage, says: "not there yet"),
    Fatal(
      name: "a long path", message: #"{"t":"act","n":1,"to":"\#(String(repeating: "a/", count: 129))","a":"reset"}"#,
      bye: .badMessage, says: "at most 256 bytes"),
    Fatal(name: "a second hello", message: #"{"t":"hello","app":"counter"}"#, bye: .badMessage, says: "said once"),
  ]

  @Test(arguments: fatal)
  func fatalMessage_isAnsweredByByeAndClose(_ row: Fatal) async throws {
    try await withServer { server, url in
      try await blocking {
        let bystander = try CurlClient(url: url, app: "counter")
        let socket = try CurlWebSocket.counter(url)
        try socket.send(row.message)
        let bye = try #require(try socket.text())
        #expect(bye.hasPrefix(#"{"t":"bye","code":"\#(row.bye.rawValue)","message":""#))
        #expect(bye.replacing(#"\""#, with: #"""#).contains(row.says))
        guard case .closed(let code, _) = try socket.receive() else {
          Issue.record("a bye is followed by the close")
          return
        }
        #expect(code == row.bye.closeCode)
        try bystander.act(.string("increment"), to: .id(1))
        #expect(try bystander.settle().count == 2)
      }
    }
  }

  /// Parameters that an app cannot read are told like actions that no riblet can.
  @Test func parametersThatDoNotFit_areToldWhere() async throws {
    try await withServer(apps: Showcase.apps) { _, url in
      try await blocking {
        let marks = String(repeating: "\u{301}", count: 40)
        let socket = try CurlWebSocket(url: url)
        try socket.send(#"{"t":"hello","app":"room","params":{"name":"a\#(marks)"}}"#)
        let bye = try socket.text() ?? ""
        #expect(bye.hasPrefix(#"{"t":"bye","code":"bad_message""#), "\(bye)")
        #expect(bye.contains(#"do not fit the app \"room\" at \"name\": A text has "#), "\(bye)")
      }
    }
  }

  @Test(arguments: [
    (#"{"t":"hello","app":"nothing"}"#, Bye.unknownApp), (#"{"t":"act","n":1,"to":1,"a":"reset"}"#, .badMessage),
    (#"{"t":"ping"}"#, .badMessage), (#"{"t":"hello"}"#, .badMessage),
    (#"{"t":"hello","app":"counter","resume":{"sid":"x"}}"#, .badMessage),
    (#"{"t":"hello","resume":{"sid":"x","cid":1,"token":"t","try":1,"epoch":"e","rev":1}}"#, .gone),
  ])
  func firstMessage_thatIsNoHello_isAnsweredByBye(_ message: String, _ bye: Bye) async throws {
    try await withServer { _, url in
      try await blocking {
        let socket = try CurlWebSocket(url: url)
        try socket.send(message)
        #expect(try socket.text()?.hasPrefix(#"{"t":"bye","code":"\#(bye.rawValue)""#) == true)
        guard case .closed(let code, _) = try socket.receive() else { throw CancellationError() }
        #expect(code == bye.closeCode)
      }
    }
  }

  @Test(arguments: [
    (#"{"t":"act","n":1,"to":9,"a":"increment"}"#, Nack.Code.gone, "There is no node 9."),
    (#"{"t":"act","n":1,"to":"detail","a":"increment"}"#, .gone, "There is no node at"),
    (#"{"t":"act","n":1,"to":1,"a":"jump"}"#, .badAction, #"of Counter; there are: increment, decrement, reset."#),
    (#"{"t":"act","n":1,"to":1,"a":{"jump":{}}}"#, .badAction, #"of Counter; there are: increment, decrement, reset."#),
    (#"{"t":"act","n":1,"to":1,"a":{"increment":{},"reset":{}}}"#, .badAction, "one key"),
    (#"{"t":"act","n":1,"to":1,"a":7}"#, .badAction, "Expected a string"),
    (#"{"t":"act","n":1,"to":1,"a":null}"#, .badAction, "Not a view action of Counter"),
    (#"{"t":"act","n":1,"to":1,"a":"\#(String(repeating: "a", count: 257))"}"#, .badAction, "at most 256 bytes"),
    (
      #"{"t":"act","n":1,"to":1,"a":{"reset":["\#(String(repeating: "\u{301}", count: 31))"]}}"#, .badAction,
      "more than 30 combining marks"
    ),
  ])
  func refusedAction_usesUpItsNumber(_ message: String, _ code: Nack.Code, _ says: String) async throws {
    try await withServer { _, url in
      try await blocking {
        let socket = try CurlWebSocket.counter(url)
        try socket.send(message)
        let nack = try #require(try socket.text())
        #expect(nack.hasPrefix(#"{"t":"nack","n":1,"code":"\#(code.rawValue)","message":""#))
        #expect(nack.contains(says))
        try socket.send(#"{"t":"act","n":2,"to":1,"a":"increment"}"#)
        #expect(
          try socket.text()
            == #"{"t":"patch","rev":2,"base":1,"n":2,"ops":[{"op":"replace","path":"/nodes/1/state/count","value":1}]}"#
        )
      }
    }
  }

  @Test func repeatedNumber_isAnsweredAndNotRun() async throws {
    try await withServer { _, url in
      try await blocking {
        let socket = try CurlWebSocket.counter(url)
        let act = #"{"t":"act","n":1,"to":1,"a":"increment"}"#
        try socket.send(act)
        _ = try socket.text()
        try socket.send(act)
        #expect(try socket.text() == #"{"t":"patch","rev":2,"base":2,"n":1,"ops":[]}"#)
        try socket.send(#"{"t":"act","n":2,"to":1,"a":"increment"}"#)
        #expect(try socket.text()?.contains(#""value":2"#) == true)
      }
    }
  }

  /// Bytes that are no frame of a client, and the code that the connection is closed with.
  struct Frame: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    let code: UInt16
    var testDescription: String { name }
  }

  static let frames: [Frame] = [
    Frame(name: "not masked", bytes: [0x81, 0x02, 0x7B, 0x7D], code: 1002),
    Frame(name: "reserved bit", bytes: [0xC1, 0x80, 0, 0, 0, 0], code: 1002),
    Frame(name: "unknown opcode", bytes: [0x83, 0x80, 0, 0, 0, 0], code: 1002),
    Frame(name: "continuation of nothing", bytes: [0x80, 0x80, 0, 0, 0, 0], code: 1002),
    Frame(name: "not UTF-8", bytes: [0x81, 0x81, 0, 0, 0, 0, 0xFF], code: 1007),
    Frame(name: "header of 100 MB", bytes: [0x81, 0xFF, 0, 0, 0, 0, 0x05, 0xF5, 0xE1, 0x00], code: 1009),
    Frame(
      name: "message of 65 KiB",
      bytes: [0x81, 0xFF, 0, 0, 0, 0, 0, 1, 4, 0, 0, 0, 0, 0] + [UInt8](repeating: 0x20, count: 66_560), code: 1009),
  ]

  @Test(arguments: frames)
  func badFrame_closesTheConnection(_ row: Frame) async throws {
    try await withServer { _, url in
      try await blocking {
        let bystander = try CurlClient(url: url, app: "counter")
        let socket = try CurlWebSocket.counter(url)
        try socket.socket.send(row.bytes)
        guard case .closed(let code, _) = try socket.receive() else { throw CancellationError() }
        #expect(code?.rawValue == row.code)
        try bystander.act(.string("increment"), to: .id(1))
        #expect(try bystander.settle().count == 2)
      }
    }
  }

  @Test func binaryMessage_isAnsweredByBye() async throws {
    try await withServer { _, url in
      try await blocking {
        let socket = try CurlWebSocket.counter(url)
        try socket.socket.send([0x82, 0x80, 0, 0, 0, 0])
        #expect(try socket.text()?.hasPrefix(#"{"t":"bye","code":"bad_message""#) == true)
      }
    }
  }

  @Test func halfAHandshake_isClosedInTime() async throws {
    try await withServer({ $0.timeouts.handshakeSeconds = 1 }) { server, url in
      try await blocking {
        let socket = try CurlSocket(url: url)
        try socket.send(Array("GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nUpgr".utf8))
        var buffer = ReceiveBuffer()
        while try socket.receive(into: &buffer) {}
        #expect(buffer.text.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
        // And one that says nothing at all, and one that upgrades and never says hello.
        let silent = try CurlSocket(url: url)
        var nothing = ReceiveBuffer()
        #expect(try !silent.receive(into: &nothing))
        let upgraded = try CurlWebSocket(url: url)
        #expect(try upgraded.text()?.hasPrefix(#"{"t":"bye","code":"no_hello""#) == true)
      }
      #expect(await eventually { server.connectionCount == 0 })
    }
  }

  /// An offer that could be a list of extensions is declined; one that is none is malformed.
  @Test func extensionsThatAreNoList_areRefused() async throws {
    try await withServer { _, url in
      try await blocking {
        for (offer, status) in [("x; =", 400), ("permessage-deflate; a=\"", 400), ("x-unknown; a=1", 101)] {
          let socket = try CurlSocket(url: url)
          try socket.send(
            Array(
              ("GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                + "Sec-WebSocket-Extensions: \(offer)\r\n\r\n").utf8))
          var buffer = ReceiveBuffer()
          while !buffer.text.contains("\r\n\r\n") { try #require(try socket.receive(into: &buffer)) }
          #expect(buffer.text.hasPrefix("HTTP/1.1 \(status) "), "\(offer): \(buffer.text)")
          #expect(!buffer.text.contains("\r\nSec-WebSocket-Extensions:"))
        }
      }
    }
  }

  /// What says that it is compressed and is not, or ends too early.
  @Test(arguments: [[0xFF, 0xFF, 0xFF], [0x4A]] as [[UInt8]])
  func compressedMessage_thatIsNone_closesTheConnection(_ payload: [UInt8]) async throws {
    try await withServer { _, url in
      try await blocking {
        let socket = try CurlWebSocket(url: url, compression: CompressionTests.offer)
        try socket.socket.send([0xC1, 0x80 | UInt8(payload.count), 0, 0, 0, 0] + payload)
        guard case .closed(let code, _) = try socket.receive() else { throw CancellationError() }
        #expect(code?.rawValue == 1007)
      }
    }
  }

  /// Two pages, of which only the one in front is active.
  private struct Pages: Riblet {
    static let typeName = "Pages"
    enum ViewAction: Decodable { case select(Int) }
    struct State: Codable { var pages = Tabs(0, 1) }
    func makeState() -> State { State() }
    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      if case .select(let index) = viewAction { state.pages.select(at: index) }
      return .none
    }
    func view(_ state: State) -> Int { 0 }
    var routes: [Route<Self>] { [Route("pages", \.pages, activation: .selectedOnly) { _ in Child(Counter()) }] }
  }

  /// An action for what is not in front is refused, whether it is meant by its id or by its place.
  @Test func actionForARibletThatIsNotActive_isRefused() async throws {
    try await withServer(apps: [App("pages") { Pages() }]) { _, url in
      try await blocking {
        let client = try PlainClient(url, app: "pages")
        for (number, to) in [(1, "3"), (2, #""pages[1]""#)] {
          try client.act(number, #""increment""#, to: to)
          let nack = try client.next(#"{"t":"nack","n":\#(number),"code":"inactive","message":""#)
          #expect(nack.contains("Counter 3 is not active"))
        }
        try client.act(3, #"{"select":{"_0":1}}"#)
        try client.next(#"{"t":"patch","rev":2,"base":1,"n":3,"#)
        try client.act(4, #""increment""#, to: "3")
        try client.next(#"{"t":"patch","rev":3,"base":2,"n":4,"#)
        try client.act(5, #""increment""#, to: "2")
        try client.next(#"{"t":"nack","n":5,"code":"inactive","#)
      }
    }
  }

  static let requests = [
    400: "GARBAGE\r\n\r\n",
    404: "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    405: "POST /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    414: "GET /\(String(repeating: "x", count: 9000)) HTTP/1.1\r\n",
    426: "GET /v1/socket HTTP/1.1\r\nHost: localhost\r\n\r\n",
    431: "GET / HTTP/1.1\r\nHost: localhost\r\nA: \(String(repeating: "x", count: 33_000))",
    505: "GET /healthz HTTP/2.0\r\n\r\n",
  ]

  @Test(arguments: requests.keys.sorted())
  func badRequest_isAnsweredByItsStatus(_ status: Int) async throws {
    let request = try #require(Self.requests[status])
    try await withServer { _, url in
      try await blocking {
        let socket = try CurlSocket(url: url)
        // What comes after a request that was understood is answered, too.
        let isUnderstood = [404, 405, 426].contains(status)
        let last = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        try socket.send(Array((request + (isUnderstood ? last : "")).utf8))
        var buffer = ReceiveBuffer()
        while try socket.receive(into: &buffer) {}
        #expect(buffer.text.hasPrefix("HTTP/1.1 \(status) "))
        #expect(buffer.text.contains("HTTP/1.1 200 OK\r\n") == isUnderstood)
        #expect(buffer.text.contains("Connection: close\r\n"))
      }
    }
  }
}

extension ReceiveBuffer {
  /// What was received, as text.
  var text: String {
    withUnread { bytes in String(decoding: bytes.withUnsafeBufferPointer { Array($0) }, as: UTF8.self) }
  }
}
