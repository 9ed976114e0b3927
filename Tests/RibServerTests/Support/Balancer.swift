import Foundation
import RibTestSupport
import Testing

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

/// A real balancer in front of three nodes, as `config/haproxy.cfg` or `config/nginx-cluster.conf` has it.
final class BalancerProcess {
  let port: Int
  var url: String { "http://127.0.0.1:\(port)" }
  private let directory: TemporaryDirectory
  private let process = Process()

  /// Starts it, and waits until it passes requests on.
  ///
  /// - Parameters:
  ///   - balancer: which.
  ///   - nodes: the nodes' ports.
  ///   - connections: how many connections it takes, as far as its configuration says; each wants two descriptors.
  /// - Throws: what the system says if it cannot be started.
  init(_ balancer: Balancer, to nodes: [Int], connections: Int = 500) throws {
    directory = try TemporaryDirectory()
    // Free until now: a balancer does not say which one it has picked.
    port = LocalSocket.freePort()
    let path = "\(directory.path)/configuration"
    let text = try Self.configuration(of: balancer, port: port, nodes, connections, in: directory.path)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    process.executableURL = balancer.program
    // In the foreground.
    process.arguments =
      balancer == .haproxy
      ? ["-db", "-f", path] : ["-c", path, "-p", directory.path, "-e", "\(directory.path)/errors"]
    try process.run()
    try waitUntil { [process, url] in
      try #require(process.isRunning)
      return (try? TwinClient(url).ask("GET", "/readyz").status) == 200
    }
  }

  deinit { stop() }

  /// Ends it.
  func stop() {
    if process.isRunning { kill(process.processIdentifier, SIGTERM) }
  }

  /// The configuration that is shipped, without TLS, and with the test's ports.
  private static func configuration(
    of balancer: Balancer, port: Int, _ nodes: [Int], _ connections: Int, in directory: String
  ) throws -> String {
    let name = balancer == .haproxy ? "haproxy.cfg" : "nginx-cluster.conf"
    var text = try String(contentsOf: repository.appendingPathComponent("config/\(name)"), encoding: .utf8)
    var changes = nodes.enumerated().map { ("10.0.0.\($0 + 1):8080", "127.0.0.1:\($1)") }
    switch balancer {
    case .haproxy:
      // As many descriptors as a test may have.
      changes += [
        ("bind :443 ssl crt /etc/ssl/app.example.com.pem alpn h2,http/1.1", "bind 127.0.0.1:\(port)"),
        ("maxconn 60000", "maxconn \(connections)"),
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
}
