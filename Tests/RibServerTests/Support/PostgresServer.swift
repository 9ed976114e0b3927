import Foundation
import RibTestSupport
import Synchronization

@testable import RibPostgres

/// A PostgreSQL server for the tests of this process, on a socket of its own in a temporary directory.
///
/// It is begun with the first test that wants it, runs as an unprivileged user, and ends with the process, however that ends.
final class PostgresServer: Sendable {
  /// Where the programs of the newest version are; nil if there is none.
  static let programs: String? = {
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    return versions.compactMap { Int($0) }.max().map { "/usr/lib/postgresql/\($0)/bin" }
  }()

  /// Whether there are tests with it.
  static let isTested = TestRun.includesTests(of: programs)

  private static let shared = Result { try PostgresServer() }
  private static let last = Atomic(0)

  private let directory: String
  /// The server ends when this is closed.
  private let input = Pipe()

  private init() throws {
    directory = Daemon.makeDirectory()
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    // Files need not be on the disk but for what a commit waits for.
    let script = """
      set -e
      "\(Self.programs ?? "")/initdb" -D "$0/data" -U ribserver -A trust -E UTF8 --no-locale --no-sync >"$0/log" 2>&1
      "\(Self.programs ?? "")/postgres" -D "$0/data" -k "$0" -c listen_addresses= -c max_connections=300 >>"$0/log" 2>&1 &
      until "\(Self.programs ?? "")/pg_isready" -q -h "$0" -U ribserver; do kill -0 $!; done
      echo ready
      cat >/dev/null
      kill -QUIT $!
      wait
      rm -rf "$0"
      """
    let process = Process()
    let shell = ["/bin/sh", "-c", script, directory]
    // It refuses to run as root.
    let command =
      geteuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] + shell : shell
    if geteuid() == 0 {
      try FileManager.default.setAttributes([.ownerAccountName: "postgres"], ofItemAtPath: directory)
    }
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    guard try output.fileHandleForReading.read(upToCount: 5) == Data("ready".utf8) else {
      throw CocoaError(.fileReadUnknown)
    }
  }

  /// Makes a database of its own for a test: a schema that the connections find first.
  ///
  /// - Returns: what to connect with.
  /// - Throws: if there is no server.
  static func makeDatabase() throws -> String {
    let server = try shared.get()
    let name = "test\(last.add(1, ordering: .relaxed).newValue)"
    let url = "host=\(server.directory) user=ribserver dbname=postgres"
    let connection = try PostgresConnection(url)
    _ = try connection.run([PostgresStatement(PostgresQuery("CREATE SCHEMA \(name)", isPrepared: false))])
    return "\(url) options='-c search_path=\(name)' application_name=\(name)"
  }

  /// The processes of the server that serve the connections to a test's database.
  ///
  /// - Parameter url: what ``makeDatabase()`` has returned.
  /// - Returns: their numbers.
  /// - Throws: if there is no server.
  static func connections(to url: String) throws -> [Int32] {
    let query = PostgresQuery(
      "SELECT pid::int8 FROM pg_stat_activity WHERE application_name = $1::text ORDER BY pid", isPrepared: false)
    let name = url.split(separator: "=").last.map(String.init) ?? ""
    let connection = try PostgresConnection("host=\(try shared.get().directory) user=ribserver dbname=postgres")
    return try connection.run([PostgresStatement(query, .text(name))])[0].rows.map { Int32($0.integer(0)) }
  }

  /// Has the server end all connections to a test's database, as if it had been started anew.
  ///
  /// - Parameter url: what ``makeDatabase()`` has returned.
  /// - Throws: if there is no server.
  static func endConnections(to url: String) throws {
    let name = url.split(separator: "=").last.map(String.init) ?? ""
    let connection = try PostgresConnection("host=\(try shared.get().directory) user=ribserver dbname=postgres")
    let query = PostgresQuery(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1::text", isPrepared: false)
    // The server warns of one that has ended by itself meanwhile.
    _ = try? connection.run([PostgresStatement(query, .text(name))])
  }
}
