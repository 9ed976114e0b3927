import CurlTransport
import Foundation
import Logging
import RibClient
import RibCore
import RibInspector
import RibTestSupport
import RibTesting
import Synchronization
import Testing
import Wire
import WireHTTP

@testable import RibServer

/// The inspector of a real server, as operators use it over the wire.
@Suite struct InspectorTests {
  /// Runs a body against a server, and with the URL of its inspector; ada's token lets her act, eve's lets her look.
  static func withInspector(
    apps: [App] = Desk.apps, authenticator: (any SessionAuthenticator)? = Doorman(),
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    hooks: InspectorHooks = InspectorHooks(), clock: any Clock<Duration> = ContinuousClock(),
    change: (inout ServerSettings) -> Void = { _ in },
    _ body: @escaping @Sendable (Server, _ url: String, _ inspector: String) async throws -> Void
  ) async throws {
    let tokens = try AdminTokens(
      "ada:operate:\(SessionToken.hash("ada-secret"))\neve:look:\(SessionToken.hash("eve-secret"))")
    try await withServer(
      apps: apps, authenticator: authenticator, logger: logger,
      {
        $0.admin.listen = "127.0.0.1:0"
        change(&$0)
      }
    ) { server, url in
      var files = StaticFiles()
      files.add("index.html", Array("<!doctype html><title>Inspector</title>".utf8))
      try await AdminServer.with(
        server, apps: [.inspector(of: server, hooks, clock: clock)], files: files, tokens: tokens
      ) {
        try await body(server, url, $1)
      }
    }
  }

  static func look(_ url: String, as secret: String = "ada-secret") throws -> CurlClient {
    try CurlClient(url: url, app: "inspector", credential: { secret })
  }

  /// A client that has begun a session of the desk, as somebody.
  static func visit(_ url: String, _ app: String = "known", as person: String) throws -> PlainClient {
    let client = try PlainClient(url, saying: #"{"t":"hello","app":"\#(app)","auth":"\#(person)"}"#)
    try client.greet()
    try client.next(#"{"t":"snap""#)
    return client
  }

  static func ids(_ inspector: CurlClient) throws -> [String] {
    guard case .array(let rows)? = try inspector.state("page")["rows"] else { return [] }
    return rows.compactMap { $0["id"]?.string }
  }

  private static func items(_ value: JSONValue?) -> [JSONValue] {
    if case .array(let items)? = value { items } else { [] }
  }

  // MARK: Looking

  @Test func session_isFound_watched_andEnded() async throws {
    let log = CollectedLog()
    try await Self.withInspector(logger: log.logger) { server, url, admin in
      try await blocking {
        let (bob, cid) = (try Self.visit(url, as: "bob"), try Self.visit(url, as: "cid"))
        let id = try bob.welcome.sessionID
        let operating = try Self.look(admin)
        try operating.perform(#"{"pageTapped":"sessions"}"#)
        try operating.wait { try Self.ids($0).count == 2 }
        try operating.perform(#"{"textChanged":"bo"}"#, at: "page")
        try operating.wait { try Self.ids($0) == [id] && $0.state("page")["totalCount"] == .integer(2) }
        try operating.perform(#"{"openTapped":{"id":"\#(id)"}}"#, at: "page")
        try operating.wait { try $0.state("session")["detail"] != nil }
        try bob.act(1, #""count""#)
        _ = try bob.all(until: #"{"t":"patch","rev":3"#)
        try operating.wait { client in
          guard case .array(let events)? = try client.state("session")["detail"]?["events"] else { return false }
          return events.contains { $0["kind"] == .string("action") && $0["riblet"] == .string("Desk") }
        }
        let detail = try operating.state("session")["detail"]
        #expect(detail?["row"]?["subject"] == .string("bob"))
        #expect(detail?["cost"]?["actions"] == .integer(1))
        #expect(detail?["view"] == nil && detail?["states"] == nil)
        guard case .array(let clients)? = detail?["clients"] else { throw NeverTrue(seconds: 0) }
        #expect(clients.first?["transport"] == .string("websocket"))
        #expect(clients.first?["address"] == .string("127.0.0.1"))
        try operating.perform(#""endTapped""#, at: "session")
        try operating.perform(#""confirmTapped""#, at: "confirm")
        #expect(try bob.end() == "revoked 4402")
        try operating.wait { try $0.state("confirm")["step"] == .string("done") }
        try operating.wait { try $0.state("session")["isElsewhere"] == .bool(true) }
        try cid.act(1, #""count""#)
        _ = try cid.all(until: #"{"t":"patch","rev":3"#)
        let audit = log.all.filter { $0["audit"] == "true" }
        #expect(audit.map(\.level) == [.notice])
        #expect(audit.first?["who"] == "ada" && audit.first?["what"] == "end session" && audit.first?["session"] == id)
      }
    }
  }

  @Test func overview_countsWhatIsThere() async throws {
    try await Self.withInspector { server, url, admin in
      try await blocking {
        let bob = try Self.visit(url, as: "bob")
        let inspector = try Self.look(admin, as: "eve-secret")
        try inspector.wait { client in
          let overview = try client.state("page")["overview"]
          return overview?["connections"]?["websocket"] == .integer(1) && overview?["sessions"]?["awake"] == .integer(1)
        }
        for number in 1...20 { try bob.act(number, #""count""#) }
        // Samples are made of two looks: the second one has counted the actions.
        try inspector.wait { client in
          guard case .array(let samples)? = try client.state("page")["overview"]?["samples"] else { return false }
          return samples.contains { $0["actionsPerSecond"] != .number(0) && $0["answerP99"] != nil }
        }
      }
    }
  }

  @Test func pages_showTheStore_theSettings_theLog_andSlowRiblets() async throws {
    var hooks = InspectorHooks()
    let recent = RecentLog()
    hooks.log = recent
    hooks.settingSource = { $0 == "port" ? "flag" : nil }
    try await Self.withInspector(hooks: hooks, change: { $0.storeURL = "postgresql://ribs:mark-of-a-password@db/ribs" })
    {
      server, url, admin in
      Logger(label: "elsewhere") { recent.handler($0) }.warning("A mark.", metadata: ["what": "x"])
      try await blocking {
        let inspector = try Self.look(admin, as: "eve-secret")
        try inspector.perform(#"{"pageTapped":"log"}"#)
        try inspector.wait { client in
          guard case .array(let lines)? = try client.state("page")["lines"] else { return false }
          return lines.contains { $0["message"] == .string("A mark.") && $0["metadata"] == .string("what=x") }
        }
        try inspector.perform(#"{"pageTapped":"settings"}"#)
        try inspector.wait { client in
          guard case .array(let settings)? = try client.state("page")["settings"] else { return false }
          return settings.contains { $0["id"] == .string("port") && $0["source"] == .string("flag") }
        }
        let shown = try inspector.state("page")
        #expect(!shown.text.contains("mark-of-a-password"))
        guard case .array(let settings)? = shown["settings"] else { return #expect(Bool(false), "\(shown.text)") }
        #expect(settings.contains { $0["id"] == .string("storeURL") && $0["value"] == .string("set") })
        try inspector.perform(#"{"pageTapped":"store"}"#)
        try inspector.wait { try $0.state("page")["store"]?["kind"] == .string("memory") }
        try inspector.perform(#"{"pageTapped":"signIn"}"#)
        _ = try? Self.visit(url, as: "wrong")
        try inspector.wait { client in
          guard case .array(let outcomes)? = try client.state("page")["signIn"]?["outcomes"] else { return false }
          return outcomes.contains { $0["outcome"] == .string("invalid") }
        }
        try inspector.perform(#"{"pageTapped":"riblets"}"#)
        let bob = try Self.visit(url, as: "bob")
        var number = 0
        try inspector.wait { client in
          // An action before the loops keep books is not among them.
          number += 1
          try bob.act(number, #""count""#)
          guard case .array(let actions)? = try client.state("page")["actions"] else { return false }
          return actions.contains { $0["id"] == .string("Desk.count") && $0["count"] != .integer(0) }
        }
        try inspector.perform(#"{"pageTapped":"crashes"}"#)
        try inspector.wait { try $0.state("page")["crashes"]?["found"] == .integer(0) }
      }
    }
  }

  /// Nothing of the server is asked, watched or timed for operators who are gone.
  @Test func nothingRuns_whenNobodyLooks() async throws {
    let clock = ManualClock()
    try await Self.withInspector(clock: clock) { server, url, admin in
      let inspection = try #require(server.inspection)
      let bob = try await blocking { try Self.visit(url, as: "bob") }
      let id = try bob.welcome.sessionID
      @Sendable func isWatched() async throws -> Bool {
        try await inspection.askSession(id) { $0.watch != nil || $0.tree.observer != nil } ?? false
      }
      @Sendable func isTimed() async -> Bool {
        await inspection.ask(inspection.loops) { $1($0.work.book != nil) }.contains(true)
      }
      #expect(try await !isWatched())
      let inspector = try await blocking {
        let inspector = try Self.look(admin)
        try inspector.perform(#"{"pageTapped":"riblets"}"#)
        try inspector.wait { try $0.state("page")["since"] != nil }
        return HandedOn(inspector)
      }
      #expect(try await eventually { await isTimed() })
      try await blocking {
        try inspector.value.perform(#"{"pageTapped":"sessions"}"#)
        try inspector.value.wait { try Self.ids($0) == [id] }
        try inspector.value.perform(#"{"openTapped":{"id":"\#(id)"}}"#, at: "page")
        try inspector.value.wait { try $0.state("session")["detail"] != nil }
      }
      #expect(try await isWatched())
      #expect(try await eventually { await !isTimed() })
      try await blocking {
        try inspector.value.perform(#""closeTapped""#, at: "session")
      }
      #expect(try await eventually { try await !isWatched() })
      // The page is looked at again, and waits for its next second.
      #expect(await eventually { clock.sleeperCount > 0 })
      try await blocking { try inspector.value.end() }
      #expect(await eventually { clock.sleeperCount == 0 })
      #expect(inspection.looks.withLock { $0.watched.isEmpty && $0.readerCount == 0 && $0.waitingSearches == nil })
      let last = inspection.looks.withLock { $0.searchCount }
      clock.advance(by: .seconds(60))
      #expect(clock.sleeperCount == 0)
      #expect(inspection.looks.withLock { $0.searchCount } == last)
    }
  }

  @Test func state_isShown_onlyIfTheSettingsAllowIt_andTheAuditSaysSo() async throws {
    let log = CollectedLog()
    try await Self.withInspector(logger: log.logger, change: { $0.admin.showsState = true }) { _, url, admin in
      try await blocking {
        let bob = try Self.visit(url, as: "bob")
        let inspector = try Self.look(admin, as: "eve-secret")
        try inspector.perform(#"{"sessionEntered":{"id":"\#(try bob.welcome.sessionID)"}}"#)
        try inspector.wait { try $0.state("session")["detail"]?["view"] != nil }
        let view = try JSONValue(parsing: try inspector.state("session")["detail"]?["view"]?.string ?? "")
        #expect(view["nodes"]?["1"]?["state"]?["who"] == .string("bob"))
        let states = try JSONValue(parsing: try inspector.state("session")["detail"]?["states"]?.string ?? "")
        #expect(states["1"]?["count"] == .integer(0))
        #expect(log.all.contains { $0["audit"] == "true" && $0["who"] == "eve" && $0["what"] == "see the state" })
      }
    }
  }

  /// A look that has begun before states were shown is a line of the audit as well, and one only.
  @Test func stateThatIsShownFromAReloadOn_isALineOfTheAudit() async throws {
    let log = CollectedLog()
    try await Self.withInspector(logger: log.logger) { server, url, admin in
      try await blocking {
        let bob = try Self.visit(url, as: "bob")
        let inspector = try Self.look(admin, as: "eve-secret")
        try inspector.perform(#"{"sessionEntered":{"id":"\#(try bob.welcome.sessionID)"}}"#)
        try inspector.wait { try $0.state("session")["detail"] != nil }
        #expect(try inspector.state("session")["detail"]?["view"] == nil)
        let lines = { log.all.filter { $0["audit"] == "true" && $0["what"] == "see the state" } }
        #expect(lines().isEmpty)
        var settings = server.settings
        settings.admin.showsState = true
        try server.reload(settings)
        try inspector.wait { try $0.state("session")["detail"]?["view"] != nil }
        #expect(lines().count == 1 && lines().first?["who"] == "eve")
        // The next look but one is the same look.
        try bob.act(1, #""count""#)
        try inspector.wait { try $0.state("session")["detail"]?["cost"]?["actions"] == .integer(1) }
        #expect(lines().count == 1)
      }
    }
  }

  /// A riblet whose refusals, and the names of whose effects, have what a user has typed.
  private struct Room: Riblet {
    static let typeName = "Room"
    enum ViewAction: Codable { case say(String), watch(String) }
    enum Job: Hashable { case watching(String) }
    func makeState() -> Int { 0 }
    func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .say(let text): return .refuse("\(text) was said before.")
      case .watch(let text):
        let wait: @Sendable (Send<Self>) async throws -> Void = { _ in
          let (stream, end) = AsyncStream.makeStream(of: Never.self)
          for await _ in stream {}
          end.finish()
        }
        return .merge(.run(id: "watch \(text)", wait), .run(id: Job.watching(text), wait))
      }
    }
    func view(_ state: Int) -> Int { state }
  }

  /// What an operator who may not see states sees of a session has nothing that a user has typed.
  @Test(arguments: [false, true]) func whatUsersHaveTyped_isShown_onlyIfStatesAre(_ showsState: Bool) async throws {
    let apps = [App("room", access: .identified) { Room() }]
    try await Self.withInspector(apps: apps, change: { $0.admin.showsState = showsState }) { _, url, admin in
      try await blocking {
        let bob = try Self.visit(url, "room", as: "bob")
        let inspector = try Self.look(admin, as: "eve-secret")
        try inspector.perform(#"{"sessionEntered":{"id":"\#(try bob.welcome.sessionID)"}}"#)
        try inspector.wait { try $0.state("session")["detail"] != nil }
        try bob.act(1, #"{"watch":"mark"}"#)
        try bob.act(2, #"{"say":"mark"}"#)
        _ = try bob.all(until: #"{"t":"nack""#)
        try inspector.wait { try !Self.items($0.state("session")["detail"]?["refusals"]).isEmpty }
        let detail = try inspector.state("session")["detail"]
        let names = Self.items(Self.items(detail?["nodes"]).first?["effects"]).compactMap(\.string)
        #expect(Set(names) == (showsState ? ["watch mark", #"watching("mark")"#] : ["…", "watching"]))
        #expect(detail?.text.contains("mark") == showsState, "\(detail?.text ?? "")")
        let refusal = Self.items(detail?["refusals"]).first
        #expect(refusal?["code"] != nil)
        #expect(refusal?["message"] == (showsState ? .string("mark was said before.") : nil))
      }
    }
  }

  /// The order is that of all loops together, however many sessions there are, and a slice at a time.
  @Test func sessions_areOrdered_overAllLoops() async throws {
    try await Self.withInspector { server, url, _ in
      let start = ContinuousClock.now
      let clients = try await blocking {
        try (1...30).map { number in
          let client = try Self.visit(url, as: "p\(number)")
          for action in 1...number { try client.act(action, #""count""#) }
          _ = try client.all(until: #"{"t":"patch","rev":\#(number + 2)"#)
          return client
        }
      }
      let inspection = try #require(server.inspection)
      let first = await inspection.sessions(SessionSearch(order: .actions, count: 5))
      // The order is that of the last minute's actions: on a machine that has no time some are older.
      if ContinuousClock.now - start < .seconds(50) {
        #expect(first.rows.map(\.subject) == ["p30", "p29", "p28", "p27", "p26"])
      }
      #expect(first.matchCount == 30 && first.totalCount == 30)
      let last = await inspection.sessions(SessionSearch(order: .revision, isReversed: true, count: 2))
      #expect(last.rows.map(\.subject) == ["p1", "p2"])
      let found = await inspection.sessions(SessionSearch(app: "known", text: "p2"))
      #expect(Set(found.rows.compactMap(\.subject)) == Set(["p2"] + (20...29).map { "p\($0)" }))
      #expect(await inspection.sessions(SessionSearch(app: "open")).rows.isEmpty)
      _ = clients
    }
  }

  @Test func sessionAtRest_isListed_andCanBeEnded() async throws {
    try await Self.withInspector(change: { $0.sessions.idleRestSeconds = 0 }) { server, url, _ in
      let bob = try await blocking { try Self.visit(url, as: "bob") }
      let inspection = try #require(server.inspection)
      let id = try bob.welcome.sessionID
      let isListed = try await eventually {
        await inspection.sessions(SessionSearch()).rows.contains { $0.id == id && $0.state == .asleep }
      }
      #expect(isListed)
      #expect(try await inspection.session(SessionLook(at: id, by: "ada")) == nil)
      try await inspection.end(id)
      let isGone = try await eventually { await inspection.sessions(SessionSearch()).rows.isEmpty }
      #expect(isGone)
      _ = await #expect(throws: InspectionError.self) { try await inspection.end(id) }
    }
  }
}

/// Hands a client from one thread to the next.
///
/// `@unchecked Sendable`: used by one thread after the other, each of which the test waits for.
private final class HandedOn<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
