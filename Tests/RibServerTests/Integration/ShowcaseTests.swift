import CurlTransport
import RibClient
import RibServer
import RibTesting
import Testing
import Wire

@testable import Showcase

/// The samples as a client sees them.
@Suite struct ShowcaseTests {
  private func withClient(of app: String, _ body: @escaping @Sendable (CurlClient) throws -> Void) async throws {
    try await withServer(apps: Showcase.apps(clock: ShrunkClock())) { _, url in
      try await blocking {
        let client = try CurlClient(url: url, app: app)
        try body(client)
        try client.end()
      }
    }
  }

  @Test func unknownApp_isRefused() async throws {
    try await withServer(apps: Showcase.apps) { _, url in
      let error = await #expect(throws: CurlClientError.self) {
        try await blocking { _ = try CurlClient(url: url, app: "nowhere") }
      }
      #expect(error?.reason.contains("nowhere") == true)
    }
  }

  @Test(arguments: ["counter", "counter-riv"])
  func counter_counts(app: String) async throws {
    try await withClient(of: app) { client in
      #expect(try client.node()["type"] == .string("Counter"))
      for _ in 1...3 { try client.perform("\"decrement\"") }
      #expect(try client.state() == .object(["count": .integer(-3), "isNegative": .bool(true)]))
      try client.perform(#"{"reset":{}}"#)
      try client.perform("\"increment\"")
      #expect(try client.state() == .object(["count": .integer(1), "isNegative": .bool(false)]))
    }
  }

  @Test func search_findsAndFails() async throws {
    try await withClient(of: "search") { client in
      try client.perform(#"{"updateSearchText":"fail"}"#)
      try client.perform("\"submitSearch\"")
      #expect(try client.state()["results"] == .object(["loading": .object([:])]))
      // A new search takes the place of the old one; what is typed meanwhile stays.
      try client.perform(#"{"updateSearchText":"fig"}"#)
      try client.perform("\"submitSearch\"")
      try client.perform(#"{"updateSearchText":"figs"}"#)
      var seen: [JSONValue?] = []
      try client.wait { client in
        seen.append(try client.state()["results"])
        return seen.last??["loaded"] != nil
      }
      #expect(!seen.contains { $0?["failed"] != nil })
      #expect(seen.last??["loaded"]?.text.contains("Fig") == true)
      #expect(try client.state()["text"] == .string("figs"))
      try client.perform(#"{"updateSearchText":"fail"}"#)
      try client.perform("\"submitSearch\"")
      try client.wait { try $0.state()["results"]?["failed"] != nil }
      try client.perform("\"clearSearch\"")
      #expect(try client.state()["results"] == .object(["idle": .object([:])]))
      try client.perform("\"load\"")
      try client.wait { try $0.state()["results"]?["loaded"] != nil }
    }
  }

  @Test func room_holdsAFloodBack() async throws {
    let clock = ManualClock()
    try await withServer(apps: Showcase.apps(clock: clock)) { _, url in
      try await blocking {
        let (ada, ben) = (try PlainClient(url, app: "room"), try PlainClient(url, app: "room"))
        // The room says something of its own at any time.
        func refusal(of number: Int, _ action: String, by client: PlainClient) throws -> String {
          try client.act(number, action)
          return try client.all(until: #"{"t":"nack""#).last ?? ""
        }
        for number in 1...FloodGate.most {
          #expect(try refusal(of: number, #""sendTapped""#, by: ada).contains("There is nothing to send."))
        }
        #expect(try refusal(of: FloodGate.most + 1, #""sendTapped""#, by: ada).contains("wait a moment"))
        // What is no message is let through, and so is what others send.
        #expect(try refusal(of: FloodGate.most + 2, #""retryTapped""#, by: ada).contains("Nothing has failed."))
        #expect(try refusal(of: 1, #""sendTapped""#, by: ben).contains("There is nothing to send."))
        clock.advance(by: FloodGate.window)
        #expect(try refusal(of: FloodGate.most + 3, #""sendTapped""#, by: ada).contains("There is nothing to send."))
      }
    }
  }

  @Test func search_alertsAndOpens() async throws {
    try await withClient(of: "search") { client in
      try client.perform(#"{"toggleAlert":true}"#)
      #expect(try client.state()["alert"]?["title"] == .string("Search"))
      try client.perform(#"{"toggleAlert":false}"#)
      #expect(try client.state()["alert"] == nil)
      try client.perform(#"{"open":"Fig"}"#)
      #expect(try client.state("detail") == .object(["item": .string("Fig")]))
      try client.perform("\"closeTapped\"", at: "detail")
      #expect(throws: CurlClient.Unexpected.self) { try client.node("detail") }
    }
  }

  @Test func login_isRetried() async throws {
    try await withClient(of: "login") { client in
      try client.perform("\"onTapLoginButton\"", at: "login")
      try client.wait { try $0.state("login")["error"] != nil }
      #expect(throws: CurlClient.Refused.self) {
        try client.perform(#"{"loginResult":{"success":{"_0":"Mallory"}}}"#, at: "login")
      }
      try client.perform("\"onTapLoginButton\"", at: "login")
      try client.wait { try $0.state()["user"] == .string("Blob") }
      try client.perform("\"logOut\"")
      #expect(try client.state("login")["error"] == nil)
    }
  }

  @Test func boundaries_holdTheirChildren() async throws {
    try await withClient(of: "boundaries") { client in
      try client.perform("\"increment\"", at: "child")
      try client.perform("\"showSheet\"")
      for _ in 1...2 { try client.perform("\"addRow\"") }
      for path in ["sheet", "rows[0]", "rows[1]", "rows[1]"] { try client.perform("\"increment\"", at: path) }
      #expect(try client.state()["total"] == .integer(5))
      for path in ["rows[1]", "sheet", "child"] { try client.perform("\"finish\"", at: path) }
      #expect(
        try client.state()["finished"] == .array([.string("row 2: 2"), .string("sheet: 1"), .string("child: 1")]))
      #expect(throws: CurlClient.Refused.self) { try client.perform("\"incremented\"", at: "child") }
    }
  }

  @Test func catalog_changesByOneOperation() async throws {
    try await withClient(of: "catalog") { client in
      func row(_ index: Int) throws -> JSONValue? {
        guard case .array(let rows)? = try client.state()["rows"] else { return nil }
        return rows[index]
      }
      try client.perform(#"{"toggle":{"id":5001}}"#)
      #expect(try row(5000)?["isDone"] == .bool(true))
      try client.perform(#"{"insert":{"at":0}}"#)
      #expect(try row(0)?["id"] == .integer(10_001))
      try client.perform(#"{"move":{"id":10001,"to":9999}}"#)
      #expect(try row(9999)?["id"] == .integer(10_001))
      try client.perform(#"{"remove":{"id":10001}}"#)
      try client.perform("\"sort\"")
      #expect(try row(0)?["id"] == .integer(10_000))
      #expect(try row(9999)?["id"] == .integer(1))
    }
  }
}
