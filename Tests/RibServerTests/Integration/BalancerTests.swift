import CurlTransport
import Foundation
import RibClient
import RibTestSupport
import Synchronization
import Testing
import Wire

@testable import RibPostgres
@testable import RibServer

/// What is in front of the nodes.
enum Balancer: String, CaseIterable {
  case haproxy, nginx

  /// The program; nil if it is not there.
  var program: URL? {
    let path = repository.appendingPathComponent(".tools/\(rawValue)")
    return FileManager.default.isExecutableFile(atPath: path.path) ? path : nil
  }

  static let areTested =
    PostgresServer.isTested && allCases.allSatisfy { TestRun.includesTests(of: $0.program) }
}

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
    let url: String
    private let directory: TemporaryDirectory
    private let proxy = Process()
    private let connection: PostgresConnection
    /// The nodes' numbers, in the order of their starts.
    private let ids: [Int]

    init(behind balancer: Balancer) throws {
      let database = try PostgresServer.makeDatabase()
      nodes = try (0..<3).map { _ in try Self.node(database) }
      directory = try TemporaryDirectory()
      connection = try PostgresConnection(database)
      let query = PostgresQuery("SELECT id FROM rib_node ORDER BY id")
      ids = try connection.run([PostgresStatement(query)])[0].rows.map { $0.integer(0) }
      // Free until now: a balancer does not say which one it has picked.
      let socket = try ListeningSocket(host: "127.0.0.1", port: 0)
      url = "http://127.0.0.1:\(socket.port)"
      let path = "\(directory.path)/configuration"
      let text = try Self.configuration(of: balancer, port: socket.port, nodes.map(\.port), in: directory.path)
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      closeDescriptor(socket.descriptor)
      proxy.executableURL = balancer.program
      // In the foreground.
      proxy.arguments =
        balancer == .haproxy
        ? ["-db", "-f", path] : ["-c", path, "-p", directory.path, "-e", "\(directory.path)/errors"]
      try proxy.run()
      try waitUntil { [proxy, url] in
        try #require(proxy.isRunning)
        return (try? TwinClient(url).ask("GET", "/readyz").status) == 200
      }
    }

    deinit {
      if proxy.isRunning { kill(proxy.processIdentifier, SIGTERM) }
    }

    /// The configuration that is shipped, without TLS, and with the test's ports.
    private static func configuration(
      of balancer: Balancer, port: Int, _ nodes: [Int], in directory: String
    ) throws -> String {
      let name = balancer == .haproxy ? "haproxy.cfg" : "nginx-cluster.conf"
      var text = try String(contentsOf: repository.appendingPathComponent("config/\(name)"), encoding: .utf8)
      var changes = nodes.enumerated().map { ("10.0.0.\($0 + 1):8080", "127.0.0.1:\($1)") }
      switch balancer {
      case .haproxy:
        // As many descriptors as a test may have.
        changes += [
          ("bind :443 ssl crt /etc/ssl/app.example.com.pem alpn h2,http/1.1", "bind 127.0.0.1:\(port)"),
          ("maxconn 60000", "maxconn 500"),
        ]
      case .nginx: changes.append(("listen 443 ssl http2;", "listen 127.0.0.1:\(port);"))
      }
      for (old, new) in changes {
        try #require(text.split(separator: old, omittingEmptySubsequences: false).count == 2, "\(old)")
        text = text.replacing(old, with: new)
      }
      guard balancer == .nginx else { return text }
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.contains(" ssl_") }
      let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(directory)/\($0);" }
      return """
        daemon off;
        pid \(directory)/pid;
        events { worker_connections 400; }
        http {
        access_log off;
        \(paths.joined(separator: "\n"))
        \(lines.joined(separator: "\n"))
        }
        """
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
