import CurlTransport
import Foundation
import RibCore
import RibTestSupport
import Synchronization
import Testing
import Wire
import WireHTTP

@testable import RibServer
@testable import Showcase

/// Budgets are the client's, its person's and its place's, whatever connections their requests come by.
@Suite struct BudgetTests {
  static let forwarded = "X-Forwarded-For: 203.0.113.7"

  /// So slow that a client which has used up its budget stays so for the rest of the test.
  static func isSlow(_ settings: inout ServerSettings) {
    settings.limits.actionsPerSecond = 1
    settings.limits.actionBurst = 20
  }

  static func act(
    _ client: TwinClient, from first: Int, _ count: Int, _ action: String = "increment", _ headers: String...
  ) throws -> TwinClient.Answer {
    let actions = Array(repeating: #"{"to":"","a":"\#(action)"}"#, count: count).joined(separator: ",")
    return try client.ask(
      "POST", "/v1/sessions/\(client.sessionID)/actions", "[\(actions)]",
      headers: ["Riblet-Token: \(client.token)", "Idempotency-Key: \"\(first)\""] + headers)
  }

  /// A connection for each request does not make a client faster than one connection does.
  @Test func client_hasOneBudget_overAllItsConnections() async throws {
    try await withServer(Self.isSlow) { _, url in
      try await blocking { () throws in
        let client = try TwinClient(url)
        _ = try client.create()
        #expect(try Self.act(client, from: 1, 256).status == 200)
        for headers in [[], [Self.forwarded]] {
          let again = try TwinClient(url, like: client)
          let answer = try again.ask(
            "POST", "/v1/sessions/\(client.sessionID)/actions", #"{"to":"","a":"increment"}"#,
            headers: ["Riblet-Token: \(client.token)", #"Idempotency-Key: "257""#] + headers)
          #expect(answer.isProblem(429), "\(headers)")
          #expect(answer.headers["Retry-After"].flatMap { Int($0) }.map { 100...240 ~= $0 } == true)
          #expect(try again.view(headers.first ?? "X: y").isProblem(429))
        }
        // Nothing of it was done, and whoever goes may go.
        #expect(try TwinClient(url, like: client).end().status == 204)
      }
    }
  }

  /// A repetition of what is done costs a message, and not its actions once more.
  @Test func repetition_isNotChargedAgain() async throws {
    try await withServer({
      $0.limits.actionsPerSecond = 10
      $0.limits.actionBurst = 100
    }) { _, url in
      try await blocking { () throws in
        let client = try TwinClient(url)
        _ = try client.create()
        let start = ContinuousClock.now
        for _ in 0..<2 { #expect(try Self.act(client, from: 1, 90).status == 200) }
        #expect(try Self.act(client, from: 91, 1).status == 200)
        // Ninety actions would take nine seconds more.
        #expect(ContinuousClock.now - start < .seconds(6))
      }
    }
  }

  /// A request waits for ten seconds in all, also if other requests take what it has waited for.
  @Test func requestsOnSeveralConnections_waitInTurn() async throws {
    try await withServer(Self.isSlow) { _, url in
      let first = try await blocking { () throws in
        let client = try TwinClient(url)
        _ = try client.create()
        // A client has ten messages a second, and 200 at once.
        for _ in 0..<205 { #expect(try client.view().status == 200) }
        return client
      }
      let start = ContinuousClock.now
      let statuses = try await withThrowingTaskGroup(of: [Int].self) { group in
        for _ in 0..<4 {
          group.addTask {
            try await blocking { () throws in
              let client = try TwinClient(url, like: first)
              return try (0..<5).map { _ in try client.view().status }
            }
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(statuses == Array(repeating: 200, count: 20))
      #expect(ContinuousClock.now - start > .seconds(1))
    }
  }

  /// A proxy has the requests of many clients come by one connection: it is read whatever one of them has used up.
  @Test func sharedConnection_isAlwaysRead() async throws {
    try await withServer(Self.isSlow) { _, url in
      try await blocking { () throws in
        let proxy = try TwinClient(url)
        _ = try proxy.create()
        let (flooder, other) = (proxy, try TwinClient(url))
        _ = try other.create()
        #expect(try Self.act(flooder, from: 1, 256, "increment", Self.forwarded).status == 200)
        #expect(try Self.act(flooder, from: 257, 1, "increment", Self.forwarded).isProblem(429))
        // The next request on the same connection is another client's.
        let view = try proxy.ask(
          "GET", "/v1/sessions/\(other.sessionID)/view",
          headers: ["Riblet-Token: \(other.token)", "X-Forwarded-For: 203.0.113.8"])
        #expect(view.status == 200)
      }
    }
  }

  /// What others have asked for on a proxy's connection is no debt of the client whose events come by it.
  @Test func sharedConnection_leavesNoDebt() async throws {
    try await withServer(Self.isSlow) { _, url in
      try await blocking { () throws in
        let proxy = try TwinClient(url)
        _ = try proxy.create()
        for number in 1...60 {
          let answer = try proxy.ask(
            "POST", "/v1/sessions", #"{"app":"counter"}"#, headers: ["X-Forwarded-For: 203.0.113.\(number)"])
          #expect(answer.status == 201)
        }
        #expect(try proxy.open(headers: [Self.forwarded]).status == .ok)
        #expect(try Self.act(try TwinClient(url, like: proxy), from: 1, 1).status == 200)
      }
    }
  }

  /// A client's own connection waits for its turn: nothing is refused.
  @Test func clientOfItsOwnConnection_waits() async throws {
    try await withServer({
      $0.limits.actionsPerSecond = 1000
      $0.limits.actionBurst = 1
    }) { _, url in
      try await blocking { () throws in
        let client = try TwinClient(url)
        _ = try client.create()
        let start = ContinuousClock.now
        for number in 0..<5 { #expect(try Self.act(client, from: 1 + 50 * number, 50).status == 200) }
        // The last has waited for the 200 before it, of which one was at once.
        #expect(ContinuousClock.now - start >= .milliseconds(180))
        let socket = try CurlWebSocket(url: url)
        try socket.send(
          #"{"t":"hello","resume":{"sid":"\#(client.sessionID)","cid":1,"token":"\#(client.token)","try":1,"epoch":"","rev":0}}"#
        )
        #expect(try socket.text()?.hasPrefix(#"{"t":"welcome","#) == true)
      }
    }
  }

  @Test func clientThatHasUsedUpItsBudget_doesNotGetANewOneByAConnection() async throws {
    try await withServer(Self.isSlow) { _, url in
      try await blocking { () throws in
        let client = try TwinClient(url)
        _ = try client.create()
        #expect(try Self.act(client, from: 1, 256).status == 200)
        let socket = try CurlWebSocket(url: url)
        try socket.send(
          #"{"t":"hello","resume":{"sid":"\#(client.sessionID)","cid":1,"token":"\#(client.token)","try":1,"epoch":"","rev":0}}"#
        )
        #expect(try socket.text()?.hasPrefix(#"{"t":"bye","code":"busy","#) == true)
        #expect(try TwinClient(url, like: client).open(headers: [Self.forwarded]).status == .tooManyRequests)
      }
    }
  }

  @Test func placeOfManyClients_hasABudgetAsWell() async throws {
    try await withServer({
      $0.limits.actionsPerSecond = 1
      $0.limits.actionBurst = 256
    }) { _, url in
      try await blocking { () throws in
        // 50 ms of the place's budget each, of two seconds: one client's action costs as much as twenty may do in a second.
        var statuses: [Int] = []
        for _ in 0..<2 {
          let client = try TwinClient(url)
          _ = try client.create()
          statuses.append(try Self.act(client, from: 1, 200, "increment", Self.forwarded).status)
        }
        #expect(statuses == [200, 429])
        let other = try TwinClient(url)
        _ = try other.create()
        #expect(try Self.act(other, from: 1, 200, "increment", "X-Forwarded-For: 203.0.113.8").status == 200)
      }
    }
  }

  /// Also without a proxy, on a connection of each client's own.
  @Test func placeWithoutAProxy_hasTheSameBudget() async throws {
    var environment = Environment.system
    let number = Atomic(0)
    environment.sockets.caller = { _ in
      // Two clients from one place, and a third from another.
      Caller(address: IPAddress(text: number.add(1, ordering: .relaxed).newValue <= 2 ? "203.0.113.7" : "203.0.113.8"))
    }
    try await withServer(
      environment: environment,
      {
        $0.limits.actionsPerSecond = 1
        $0.limits.actionBurst = 256
      }
    ) { _, url in
      try await blocking { () throws in
        let clients = try (0..<3).map { _ in
          let client = try TwinClient(url)
          _ = try client.create()
          return client
        }
        #expect(try Self.act(clients[0], from: 1, 200).status == 200)
        let start = ContinuousClock.now
        #expect(try Self.act(clients[1], from: 1, 200).status == 429)
        // A refusal on the client's own connection is delayed.
        #expect(ContinuousClock.now - start > .milliseconds(200))
        #expect(try Self.act(clients[2], from: 1, 200).status == 200)
      }
    }
  }

  /// However many places a person's requests come from.
  @Test func personOfManyClients_hasABudgetAsWell() async throws {
    try await withServer(
      authenticator: Doorman(),
      {
        $0.limits.actionsPerSecond = 1
        $0.limits.actionBurst = 256
      }
    ) { _, url in
      try await blocking { () throws in
        var statuses: [Int] = []
        for (number, name) in ["ada", "ada", "grace"].enumerated() {
          let client = try TwinClient(url, credential: { name })
          _ = try client.create()
          let place = "X-Forwarded-For: 203.0.113.\(number)"
          statuses.append(try Self.act(client, from: 1, 200, "increment", place).status)
        }
        #expect(statuses == [200, 429, 200])
      }
    }
  }

  // MARK: Refusals

  /// What was refused is kept up to a limit, and counted beyond it; after that nothing looks like a success.
  @Test(arguments: ServerSettings.Store.own)
  func refusalsThatNobodyAcknowledges_areCounted(_ store: ServerSettings.Store) async throws {
    let directory = try TemporaryDirectory()
    let change = { @Sendable (settings: inout ServerSettings) in
      settings.store = store
      settings.stateDirectory = directory.path
    }
    let count = 1024
    let name = String(repeating: "x", count: 400)
    let resume = { @Sendable (client: TwinClient, attempt: Int) in
      #"{"t":"hello","resume":{"sid":"\#(client.sessionID)","cid":1,"token":"\#(client.token)","try":\#(attempt),"epoch":"","rev":0}}"#
    }
    let check = { @Sendable (text: String) throws in
      let welcome = try JSONValue(parsing: text)
      let nacks = welcome["nacks"]?.array ?? []
      let omitted = try #require(welcome["nacksOmitted"]?.integer)
      #expect(nacks.count + Int(omitted) == count && 30_000...70_000 ~= text.utf8.count)
      #expect(nacks.last?["n"] == .integer(Int64(count)) && nacks.first?["n"] == .integer(omitted + 1))
    }
    try await withServer(change) { _, url in
      try await blocking { () throws in
        let client = try TwinClient(url)
        _ = try client.create()
        // Never acknowledged: with a key of its own each request would say that it has read what came before.
        let socket = try CurlWebSocket(url: url)
        try socket.send(resume(client, 1))
        _ = try (socket.text(), socket.text())
        for first in stride(from: 1, through: count, by: 64) {
          let acts = (first..<first + 64).map { #"{"t":"act","n":\#($0),"to":1,"a":"\#(name)"}"# }
          try socket.send("[\(acts.joined(separator: ","))]")
          for _ in 0..<64 { #expect(try socket.text()?.hasPrefix(#"{"t":"nack","#) == true) }
        }
        let next = try CurlWebSocket(url: url)
        try next.send(resume(client, 2))
        try check(try next.text() ?? "")
        // An action that was told as omitted is no success: a repetition says so.
        let again = try client.act(#""1""#, #"{"to":1,"a":"reset"}"#)
        #expect(try again.json["nacksOmitted"]?.integer ?? 0 > 0)
        try next.send(#"{"t":"ack","rev":1,"n":\#(count)}"#)
        try next.send(#"{"t":"ping"}"#)
        let last = try CurlWebSocket(url: url)
        while let text = try next.text() { if text.contains("pong") { break } }
        try last.send(resume(client, 3))
        let welcome = try last.text() ?? ""
        #expect(welcome.contains(#""nacks":[],"resumed":true"#))
      }
    }
  }

  // MARK: Answers

  /// Compressed together with what an attacker has chosen, a token's length would reveal it (BREACH).
  @Test func answerWithAToken_isNeverCompressed() async throws {
    try await withServer(apps: Showcase.apps) { _, url in
      try await blocking { () throws in
        let client = try TwinClient(url)
        let created = try client.ask(
          "POST", "/v1/sessions", #"{"app":"catalog"}"#, headers: ["Accept-Encoding: gzip"])
        #expect(created.status == 201 && created.headers["Content-Encoding"] == nil)
        #expect(created.headers["Cache-Control"] == "no-store, no-transform")
        let json = try created.json
        let view = try client.ask(
          "GET", "/v1/sessions/\(json["sid"]?.string ?? "")/view",
          headers: ["Riblet-Token: \(json["token"]?.string ?? "")", "Accept-Encoding: gzip"])
        #expect(view.headers["Content-Encoding"] == "gzip")
      }
    }
  }
}

extension JSONValue {
  /// The number; nil for anything else.
  fileprivate var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  /// The elements; nil for anything else.
  fileprivate var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
}
