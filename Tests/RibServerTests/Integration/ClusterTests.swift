import CurlTransport
import Foundation
import RibClient
import RibTestSupport
import Testing
import Wire

@testable import RibServer

/// `ribd-cluster` with sessions in a real PostgreSQL.
@Suite(.enabled(if: PostgresServer.isTested, "scripts/setup --tests installs PostgreSQL")) struct ClusterTests {
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
