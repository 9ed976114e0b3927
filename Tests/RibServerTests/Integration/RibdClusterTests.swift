import CurlTransport
import Foundation
import RibClient
import RibTestSupport
import Testing
import Wire

@testable import RibPostgres
@testable import RibServer

/// `ribd-cluster` with sessions in a real PostgreSQL.
@Suite(.enabled(if: PostgresServer.isTested, "scripts/setup --tests installs PostgreSQL")) struct RibdClusterTests {
  private static func node(_ url: String, port: Int = 0) throws -> Daemon {
    try Daemon(
      ["--store", "postgres", "--limits-actions-per-second", "0"], port: port, environment: ["RIBD_STORE_URL": url],
      program: "ribd-cluster")
  }

  /// A node is killed; another one, which has nothing of it but the database, goes on where clients were.
  @Test func sessionOfANodeThatWasKilled_goesOnOnAnother() async throws {
    try await blocking {
      let url = try PostgresServer.makeDatabase()
      let one = try Self.node(url)
      let client = try CurlClient(url: one.url, app: "counter")
      for _ in 0..<5 { try client.perform(#""increment""#) }
      _ = one.stop(SIGKILL)
      let two = try Self.node(url, port: one.port)
      try client.reconnect()
      for _ in 0..<2 { try client.perform(#""increment""#) }
      #expect(try client.state()["count"] == .integer(7))
      #expect(two.stop() == 0)
    }
  }

  /// The database is away for a moment: nothing is answered that it does not have, and nothing is lost.
  @Test func connectionsToTheDatabaseThatEnd_loseNothing() async throws {
    try await blocking {
      let url = try PostgresServer.makeDatabase()
      let node = try Self.node(url)
      let client = try CurlClient(url: node.url, app: "counter")
      for number in 1...30 {
        try client.act(.string("increment"), to: .path(""))
        if number % 10 == 0 { try PostgresServer.endConnections(to: url) }
      }
      try client.settle()
      #expect(try client.state()["count"] == .integer(30))
      _ = node.stop(SIGKILL)
      let again = try Self.node(url, port: node.port)
      try client.reconnect()
      #expect(try client.state()["count"] == .integer(30))
      #expect(again.stop() == 0)
    }
  }

  /// Nodes have addresses and limits of their own in their arguments, and are of one program nevertheless: a client takes its session along also to a
  /// node that has begun earlier.
  @Test func argumentsOfNodes_keepNoSessionWhereItIs() async throws {
    try await blocking {
      let url = try PostgresServer.makeDatabase()
      let log = Daemon.makeDirectory()
      defer { try? FileManager.default.removeItem(atPath: log) }
      let nodes = try (0..<2).map { number in
        try Daemon(
          [
            "--store", "postgres", "--node-listen", "127.0.0.1:0", "--log-level", "info", "--limits-action-burst",
            "\(200 + number)",
          ],
          environment: ["RIBD_STORE_URL": url], log: log, program: "ribd-cluster")
      }
      try waitUntil {
        try String(contentsOfFile: log, encoding: .utf8).split(separator: "There is a link to a node").count >= 3
      }
      let connection = try PostgresConnection(url)
      let holder = { try connection.run([PostgresStatement(PostgresQuery("SELECT holder FROM rib_session"))])[0] }
      let client = try PlainClient(nodes[1].url, app: "counter")
      let welcome = try client.welcome
      try client.act(1, #""increment""#)
      try client.next(#"{"t":"patch""#)
      let first = try holder().first?.integer(0)
      let again = try PlainClient(nodes[0].url, resuming: welcome, attempt: 2, revision: 2)
      try again.act(2, #""increment""#)
      try again.next(#"{"t":"patch""#)
      let second = try holder().first?.integer(0)
      #expect(first != nil && second != nil && first != second)
      again.cut()
      client.cut()
      for node in nodes { #expect(node.stop() == 0) }
    }
  }

  /// Nodes that reach each other ask before they take a session.
  ///
  /// A client that comes by another node goes on with its view, and sees nothing anew. It takes its session along, and is passed on where that has just come.
  @Test func clientThatComesByAnotherNode_seesNothingOfIt() async throws {
    try await blocking {
      let url = try PostgresServer.makeDatabase()
      let log = Daemon.makeDirectory()
      defer { try? FileManager.default.removeItem(atPath: log) }
      let nodes = try (0..<2).map { _ in
        try Daemon(
          ["--store", "postgres", "--node-listen", "127.0.0.1:0", "--log-level", "info"],
          environment: ["RIBD_STORE_URL": url], log: log, program: "ribd-cluster")
      }
      try waitUntil {
        try String(contentsOfFile: log, encoding: .utf8).split(separator: "There is a link to a node").count >= 3
      }
      let connection = try PostgresConnection(url)
      let query = PostgresQuery("SELECT holder FROM rib_session")
      var client = try PlainClient(nodes[0].url, app: "counter")
      let welcome = try client.welcome
      var holders: [Int] = []
      for number in 1...6 {
        try client.act(number, #""increment""#)
        #expect(try client.next(#"{"t":"patch""#).contains(#""value":\#(number)"#))
        holders.append(try connection.run([PostgresStatement(query)])[0].first?.integer(0) ?? 0)
        let next = try PlainClient(
          nodes[number % 2].url,
          saying: PlainClient.resume(welcome, attempt: number, epoch: welcome.epoch, revision: number + 1))
        try next.greet()
        #expect(next.greeting.contains(#""epoch":"\#(welcome.epoch)""#), "\(next.greeting)")
        #expect(try client.end() == (number == 1 ? "moved 4002" : "taken 4409"))
        client = next
      }
      #expect(holders[0] != holders[1] && Set(holders.dropFirst()).count == 1, "\(holders)")
      for node in nodes { #expect(node.stop() == 0) }
    }
  }

  /// A node is stopped for longer than it is trusted, with an action under way, and goes on: clients who have gone on elsewhere meanwhile see
  /// nothing of what it does, and it tells the others of their sessions' moves at once.
  @Test func nodeThatIsHeldUp_changesNothingThatOthersHaveTaken() async throws {
    try await blocking {
      let url = try PostgresServer.makeDatabase()
      let (one, two) = (try Self.node(url), try Self.node(url))
      let (busy, idle) = (try PlainClient(one.url, app: "counter"), try PlainClient(one.url, app: "counter"))
      try busy.act(1, #""increment""#)
      try busy.next(#"{"t":"patch""#)
      try #require(kill(one.pid, SIGSTOP) == 0)
      defer { kill(one.pid, SIGCONT) }
      try busy.act(2, #""increment""#)
      let elsewhere = try [busy, idle].map { try PlainClient(two.url, resuming: $0.welcome, attempt: 1) }
      for client in elsewhere { try client.next(#"{"t":"snap""#) }
      // For longer than a beat counts.
      let end = ContinuousClock.now + .seconds(7)
      // It may have run the action before it stood still.
      var number = try elsewhere[0].welcome.number
      while ContinuousClock.now < end {
        number += 1
        try elsewhere[0].act(number, #""increment""#)
        let patch = try elsewhere[0].next(#"{"t":"patch""#)
        try #require(patch.contains(#""value":\#(number)"#))
      }
      try #require(kill(one.pid, SIGCONT) == 0)
      for client in [busy, idle] { #expect(try client.end() == "moved 4002") }
      try elsewhere[0].act(number + 1, #""increment""#)
      #expect(try elsewhere[0].next(#"{"t":"patch""#).contains(#""value":\#(number + 1)"#))
      #expect(one.stop() == 0 && two.stop() == 0)
    }
  }

  /// What a node has held that was killed is free soon after it is started anew.
  @Test func nodeThatIsStartedAnew_freesWhatItHad() async throws {
    try await blocking {
      let url = try PostgresServer.makeDatabase()
      let one = try Self.node(url)
      let client = try CurlClient(url: one.url, app: "counter")
      try client.perform(#""increment""#)
      _ = one.stop(SIGKILL)
      let connection = try PostgresConnection(url)
      let query = PostgresQuery("SELECT count(*) FROM rib_session WHERE holder <> 0")
      let held = { try connection.run([PostgresStatement(query)])[0].first?.integer(0) }
      #expect(try held() == 1)
      let again = try Daemon(
        ["--store", "postgres"], stateDirectory: one.stateDirectory, environment: ["RIBD_STORE_URL": url],
        program: "ribd-cluster")
      try waitUntil { try held() == 0 }
      #expect(again.stop() == 0)
    }
  }

  @Test func daemonWithoutADatabase_saysWhatIsMissing() async throws {
    try await blocking {
      for (program, arguments, words) in [
        ("ribd", ["--store", "postgres", "--store-url", "host=/nowhere"], "start ribd-cluster"),
        ("ribd-cluster", ["--store", "postgres"], "RIBD_STORE_URL"),
        ("ribd-cluster", ["--store", "postgres", "--store-url", "host=/nowhere"], "no connection to PostgreSQL"),
      ] {
        let (status, _, errors) = try Program.run(Program.url(program), ["--port", "0"] + arguments)
        #expect(status != 0 && errors.contains(words), "\(errors)")
      }
    }
  }
}
