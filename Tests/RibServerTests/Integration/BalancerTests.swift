import CurlTransport
import Foundation
import RibClient
import RibTestSupport
import Synchronization
import Testing
import Wire

@testable import RibPostgres
@testable import RibServer

/// Three nodes behind a real balancer, as `config/haproxy.cfg` and `config/nginx-cluster.conf` have it.
@Suite(
  .enabled(if: Balancer.areTested, "scripts/setup --tests installs PostgreSQL, and unpacks haproxy and nginx"),
  .timeLimit(.minutes(10)))
struct BalancerTests {
  /// The nodes, the balancer, and the database that says who holds what.
  ///
  /// `@unchecked Sendable`: used by one thread.
  private final class Cluster: @unchecked Sendable {
    var nodes: [Daemon]
    var url: String { balancer.url }
    private let balancer: BalancerProcess
    private let connection: PostgresConnection
    /// The nodes' numbers, in the order of their starts.
    private let ids: [Int]

    init(behind balancer: Balancer) throws {
      let database = try PostgresServer.makeDatabase()
      nodes = try (0..<3).map { _ in try Self.node(database) }
      connection = try PostgresConnection(database)
      let query = PostgresQuery("SELECT id FROM rib_node ORDER BY id")
      ids = try connection.run([PostgresStatement(query)])[0].rows.map { $0.integer(0) }
      self.balancer = try BalancerProcess(balancer, to: nodes.map(\.port))
    }

    private static func node(_ database: String) throws -> Daemon {
      try Daemon(
        [
          "--store", "postgres", "--node-listen", "127.0.0.1:0", "--timeouts-drain-seconds", "5", "--hosts", "*",
          "--limits-actions-per-second", "0",
        ], environment: ["RIBD_STORE_URL": database], program: "ribd-cluster")
    }

    /// The node that holds the only session.
    func holder() throws -> Int {
      let query = PostgresQuery("SELECT holder FROM rib_session")
      let id = try connection.run([PostgresStatement(query)])[0].first?.integer(0)
      return try #require(ids.firstIndex { $0 == id })
    }
  }

  /// A client that comes back names its session: its sockets and its requests go to one node, and the session stays there.
  @Test(arguments: Balancer.allCases) func clientsOfASession_comeToOneNode(balancer: Balancer) async throws {
    try await blocking {
      let cluster = try Cluster(behind: balancer)
      let client = try CurlClient(url: cluster.url, app: "counter")
      // The first connection goes anywhere.
      try client.reconnect()
      try client.perform(#""increment""#)
      let (holder, welcome) = (try cluster.holder(), try #require(client.session.welcome))
      for number in 2...6 {
        try client.reconnect()
        try client.perform(#""increment""#)
        let twin = try TwinClient(cluster.url, sessionID: welcome.sessionID, token: welcome.token)
        #expect(try twin.view().body.contains(#""count":\#(number)"#))
        #expect(try cluster.holder() == holder)
      }
      let shared = try CurlClient(url: cluster.url, joining: try client.shareToken())
      #expect(try cluster.holder() == holder && shared.state()["count"] == .integer(6))
      for node in cluster.nodes { #expect(node.stop(SIGKILL) != 0) }
    }
  }

  /// Nodes end one after the other, politely and not: nothing is lost, and who comes back from a node that was told to stop is let in at once.
  @Test(arguments: Balancer.allCases, [SIGTERM, SIGKILL])
  func nodesThatEnd_loseNothing(balancer: Balancer, signal: Int32) async throws {
    try await blocking {
      let cluster = try Cluster(behind: balancer)
      let client = try CurlClient(url: cluster.url, app: "counter")
      // Where the second connection goes all later ones go, as long as the node is there.
      try client.reconnect()
      var count = 0
      for _ in 0..<2 {
        try Self.increment(client, &count, isPatient: false)
        let holder = cluster.nodes[try cluster.holder()]
        let end = End()
        BlockingThread.start {
          let status = holder.stop(signal)
          end.status.withLock { $0 = status }
        }
        while end.status.withLock({ $0 == nil }) {
          try Self.increment(client, &count, isPatient: signal == SIGKILL)
        }
        try Self.increment(client, &count, isPatient: signal == SIGKILL)
        #expect(try client.state()["count"] == .integer(Int64(count)))
        #expect(end.status.withLock { $0 } == (signal == SIGTERM ? 0 : SIGKILL))
      }
    }
  }

  /// How a node has ended; nil as long as it has not.
  private final class End: Sendable {
    let status = Mutex<Int32?>(nil)
  }

  /// Acts, and comes back if it has to: also after a while, if it is patient.
  private static func increment(_ client: CurlClient, _ count: inout Int, isPatient: Bool) throws {
    count += 1
    do {
      try client.perform(#""increment""#)
    } catch  where error is CurlClientError || error is CurlError {
      if isPatient {
        try waitUntil { (try? client.reconnect()) != nil }
      } else {
        try client.reconnect()
      }
      try client.settle()
    }
  }
}
