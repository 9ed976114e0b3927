import CurlTransport
import Foundation
import RibClient
import RibInspector
import RibTestSupport
import Synchronization
import Testing
import Wire
import WireHTTP

@testable import RibServer

// Operations of operators, and who is let in.

extension InspectorTests {
  // MARK: Acting

  @Test func clientThatIsSignedOut_cannotComeBack() async throws {
    try await Self.withInspector { _, url, admin in
      try await blocking {
        let (bob, other) = (try Self.visit(url, as: "bob"), try Self.visit(url, as: "bob"))
        let welcome = try bob.welcome
        let inspector = try Self.look(admin)
        try inspector.perform(#"{"sessionEntered":{"id":"\#(welcome.sessionID)"}}"#)
        try inspector.perform(#"{"signOutTapped":{"client":1}}"#, at: "session")
        try inspector.perform(#""confirmTapped""#, at: "confirm")
        #expect(try bob.end() == "revoked 4402")
        #expect(try other.end() == "revoked 4402")
        try inspector.wait { try $0.state("confirm")["result"] == .string("bob was signed out.") }
        let back = try PlainClient(url, saying: Self.hello(PlainClient.resume(welcome, attempt: 1), as: "bob;iat=-60"))
        #expect(["unauthenticated 4301", "revoked 4402"].contains(try back.end()))
      }
    }
  }

  /// A client that nobody has signed in to is put out of its session for good; nobody could come back to it, so that it ends.
  @Test func sessionOfNobody_whoseOnlyClientIsPutOut_ends() async throws {
    try await Self.withInspector { _, url, admin in
      try await blocking {
        let nobody = try PlainClient(url, app: "open")
        let welcome = try nobody.welcome
        let inspector = try Self.look(admin)
        try inspector.perform(#"{"sessionEntered":{"id":"\#(welcome.sessionID)"}}"#)
        try inspector.perform(#"{"signOutTapped":{"client":1}}"#, at: "session")
        try inspector.perform(#""confirmTapped""#, at: "confirm")
        #expect(try nobody.end() == "revoked 4402")
        let back = try PlainClient(url, saying: PlainClient.resume(welcome, attempt: 1))
        #expect(try back.end() == "gone 4200")
        try inspector.wait { try $0.state("session")["isElsewhere"] == .bool(true) }
      }
    }
  }

  @Test func clientThatIsAskedToReconnect_losesNothing() async throws {
    try await Self.withInspector { _, url, admin in
      try await blocking {
        let bob = try Self.visit(url, as: "bob")
        try bob.act(1, #""count""#)
        _ = try bob.all(until: #"{"t":"patch","rev":3"#)
        let welcome = try bob.welcome
        let inspector = try Self.look(admin)
        try inspector.perform(#"{"sessionEntered":{"id":"\#(welcome.sessionID)"}}"#)
        try inspector.perform(#"{"reconnectTapped":{"client":1}}"#, at: "session")
        try inspector.perform(#""confirmTapped""#, at: "confirm")
        #expect(try bob.end() == "moved 4002")
        let back = try PlainClient(url, saying: Self.hello(PlainClient.resume(welcome, attempt: 1), as: "bob"))
        try back.next(#"{"t":"welcome""#)
        #expect(try back.next(#"{"t":"snap""#).contains(#""count":1"#))
      }
    }
  }

  private static func hello(_ resume: String, as person: String) -> String {
    resume.dropLast() + #","auth":"\#(person)"}"#
  }

  @Test func session_isRecorded_fromItsNextReturnOn() async throws {
    let directory = try TemporaryDirectory()
    try await Self.withInspector(change: { $0.stateDirectory = directory.path }) { server, url, _ in
      let bob = try await blocking { try Self.visit(url, as: "bob") }
      let id = try bob.welcome.sessionID
      let inspection = try #require(server.inspection)
      try await blocking {
        try bob.act(1, #""count""#)
        _ = try bob.all(until: #"{"t":"patch","rev":3"#)
      }
      let file = directory.path + "/recordings/\(id).jsonl"
      // A session that is not here is not marked either.
      _ = await #expect(throws: InspectionError.self) { try await inspection.record("elsewhere") }
      let elsewhere = SessionIdentity(id: "elsewhere", app: "known", parameters: nil)
      #expect(server.context.makeRecorder(of: elsewhere) == nil)
      let (place, _) = try await inspection.record(id)
      #expect(place == directory.path + "/recordings")
      // The session leaves memory once nothing is under way.
      let hasLeft = try await eventually {
        if case .awake = server.context.sessions.whereabouts(of: id) {
          // It may have left by now.
          _ = try? await inspection.record(id)
          return false
        }
        return true
      }
      #expect(hasLeft)
      try await blocking {
        try bob.act(2, #""count""#)
        _ = try bob.all(until: #"{"t":"patch","rev":4"#)
      }
      #expect(
        await eventually {
          FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) }?.contains("count")
            ?? false
        })
    }
  }

  @Test func operatorWhoMayLook_mayNotAct() async throws {
    try await Self.withInspector { _, url, admin in
      try await blocking {
        let bob = try Self.visit(url, as: "bob")
        let inspector = try Self.look(admin, as: "eve-secret")
        #expect(try inspector.state()["mayOperate"] == .bool(false))
        try inspector.perform(#"{"sessionEntered":{"id":"\#(try bob.welcome.sessionID)"}}"#)
        for action in [#""endTapped""#, #"{"signOutTapped":{"client":1}}"#, #"{"reconnectTapped":{"client":1}}"#] {
          let refused = #expect(throws: CurlClient.Refused.self) { try inspector.perform(action, at: "session") }
          #expect(refused?.nack.code == .forbidden)
        }
        try bob.act(1, #""count""#)
        _ = try bob.all(until: #"{"t":"patch","rev":3"#)
      }
    }
  }

  @Test func programsOperations_areDoneByItsHooks_andOnlyIfThereAreAny() async throws {
    let said = Mutex<[String]>([])
    var hooks = InspectorHooks()
    hooks.backUp = {
      said.withLock { $0.append("backUp") }
      return "It is in /var/backups."
    }
    hooks.reload = { throw InspectionError("port is \"x\".") }
    try await Self.withInspector(hooks: hooks) { _, _, admin in
      try await blocking {
        let inspector = try Self.look(admin)
        #expect(try inspector.state("page")["canReload"] == .bool(true))
        #expect(try inspector.state("page")["canDrain"] == .bool(false))
        try inspector.perform(#""reloadTapped""#, at: "page")
        try inspector.perform(#""confirmTapped""#, at: "confirm")
        try inspector.wait { try $0.state("confirm")["result"] == .string("port is \"x\".") }
        try inspector.perform(#""closeTapped""#, at: "confirm")
        try inspector.perform(#"{"pageTapped":"store"}"#)
        try inspector.perform(#""backUpTapped""#, at: "page")
        try inspector.perform(#""confirmTapped""#, at: "confirm")
        try inspector.wait { try $0.state("confirm")["result"] == .string("It is in /var/backups.") }
      }
    }
    #expect(said.withLock { $0 } == ["backUp"])
  }

  // MARK: Who is let in

  @Test func inspector_isForOperatorsAlone() async throws {
    try await Self.withInspector { _, _, admin in
      try await blocking {
        for (hello, end) in [
          (#"{"t":"hello","app":"inspector"}"#, "unauthenticated 4301"),
          (#"{"t":"hello","app":"inspector","auth":"wrong"}"#, "unauthenticated 4301"),
        ] {
          #expect(try PlainClient(admin, saying: hello).end() == end)
        }
        let client = try TwinClient(admin)
        #expect(try client.create(#"{"app":"inspector"}"#).status == 401)
        // The page has no secrets; what there is besides is for operators.
        #expect(try client.ask("GET", "/").body.contains("Inspector"))
        for path in ["/metrics", "/livez", "/v1/apps", "/v1/apps/inspector/schema", "/nothing"] {
          #expect(try client.ask("GET", path).status == 401, "\(path)")
        }
      }
    }
  }

  /// A page of another site that reaches the listener under a name which points there (DNS rebinding), or tries to from its own.
  @Test func pageOfAnotherSite_isRefused() async throws {
    try await Self.withInspector { _, _, admin in
      try await blocking {
        let upgrade =
          "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        for (request, status) in [
          ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "421"),
          ("GET /v1/socket HTTP/1.1\r\nHost: evil.example\r\n\(upgrade)\r\n", "421"),
          ("GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\(upgrade)\r\n", "403"),
        ] {
          let socket = try CurlSocket(url: admin)
          try socket.send(Array(request.utf8))
          var answer = ReceiveBuffer()
          while !answer.text.contains("\r\n") { guard try socket.receive(into: &answer) else { break } }
          #expect(answer.text.hasPrefix("HTTP/1.1 \(status) "), "\(answer.text)")
        }
      }
    }
  }

  @Test func script_looksByTheTwin() async throws {
    try await Self.withInspector { _, url, admin in
      try await blocking {
        let bob = try Self.visit(url, as: "bob")
        let script = try TwinClient(admin, credential: { "eve-secret" })
        #expect(try script.create(#"{"app":"inspector"}"#).status == 201)
        #expect(try script.act(#""1""#, #"{"to":"","a":{"pageTapped":"sessions"}}"#).status == 200)
        let id = try bob.welcome.sessionID
        try waitUntil { try script.view().body.contains(id) }
        #expect(try script.act(#""2""#, #"{"to":"","a":{"sessionEntered":{"id":"\#(id)"}}}"#).status == 200)
        let answer = try script.act(#""3""#, #"{"to":"session","a":"endTapped"}"#)
        #expect(answer.body.contains("forbidden"))
      }
    }
  }

  @Test func terminal_isRibctl() async throws {
    let directory = try TemporaryDirectory()
    let tokens = directory.path + "/tokens"
    try Data("ada:operate:\(SessionToken.hash("ada-secret"))\n".utf8).write(to: URL(fileURLWithPath: tokens))
    // Of two that say where they listen, the daemon's URL may be the one that is said last.
    let (port, open) = (LocalSocket.freePort(), LocalSocket.freePort())
    let daemon = try Daemon(
      ["--admin-listen", "127.0.0.1:\(port)", "--admin-token-file", tokens, "--store", "memory"], port: open)
    try await blocking {
      var first: PlainClient?
      try waitUntil {
        first = try? PlainClient("http://127.0.0.1:\(open)", app: "counter")
        return first != nil
      }
      let counter = try #require(first)
      let id = try counter.welcome.sessionID
      let process = Process()
      process.executableURL = Program.url("ribctl")
      process.arguments = [
        "connect", "http://127.0.0.1:\(port)", "--app", "inspector", "--auth", "ada-secret",
      ]
      let (input, output) = (Pipe(), CollectedOutput())
      process.standardInput = input
      process.standardOutput = output.pipe
      try process.run()
      output.collect()
      defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
      func type(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }
      try waitUntil { output.text.contains("Overview") }
      try type(#"pageTapped "sessions""#)
      try waitUntil { output.text.contains(id) }
      try type(#"sessionEntered {"id":"\#(id)"}"#)
      try type("@session endTapped")
      try waitUntil { output.text.contains("End session \(id)?") }
      try type("@confirm confirmTapped")
      #expect(try counter.end() == "revoked 4402")
      try waitUntil { output.text.contains("The session has ended.") }
      try input.fileHandleForWriting.close()
    }
    withExtendedLifetime(daemon) {}
  }
}
