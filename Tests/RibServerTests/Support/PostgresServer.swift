import Foundation
import RibTestSupport
import Synchronization

@testable import RibPostgres

/// A PostgreSQL server on a socket of its own in a temporary directory, run as an unprivileged user; it ends with the process, however that ends.
///
/// Tests share one, which is begun with the first of them that wants it. The chaos has others, which it kills.
final class PostgresServer: Sendable {
  /// Where the programs of the newest version are; nil if there is none.
  static let programs: String? = {
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    return versions.compactMap { Int($0) }.max().map { "/usr/lib/postgresql/\($0)/bin" }
  }()

  /// Whether there are tests with it.
  static let isTested = TestRun.includesTests(of: programs)

  private static let shared = Result {
    let server = try PostgresServer()
    try server.command("create")
    try server.command("start")
    return server
  }
  private static let last = Atomic(0)

  let port: Int
  private let directory: String
  /// The commands of the shell that runs the server; when this is closed, the shell kills it and removes its files.
  private let input = Pipe()
  private let output = Pipe()

  /// What connects to the server from this machine, past all networks.
  var url: String { "host=\(directory) port=\(port) user=ribserver dbname=postgres" }

  /// A server that has no data yet, and does not run.
  ///
  /// - Parameter port: where it listens on the loopback interface, too; nil for nowhere.
  /// - Throws: what the system says.
  init(port: Int? = nil) throws {
    self.port = port ?? 5432
    directory = Daemon.makeDirectory()
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let shell = [
      "/bin/sh", "-c", Self.script, directory, Self.programs ?? "", "\(self.port)", port == nil ? "" : "127.0.0.1",
    ]
    let process = Process()
    // PostgreSQL refuses to run as root.
    let user = geteuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
    if geteuid() == 0 {
      try FileManager.default.setAttributes([.ownerAccountName: "postgres"], ofItemAtPath: directory)
    }
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = user + shell
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// The shell's commands.
  ///
  /// Files need not be on the disk but for what a commit waits for. A server that was killed is in the way of the next one as long as
  /// there are processes of it.
  private static let script = """
    programs=$1 port=$2 address=$3 server=
    create() { "$programs/initdb" -D "$0/data" -U ribserver -A trust -E UTF8 --no-locale --no-sync; }
    copy() {
      until rm -rf "$0/data"; do :; done
      "$programs/pg_basebackup" -D "$0/data" -d "host=127.0.0.1 port=$1 user=ribserver" -R -X stream -c fast --no-sync
    }
    start() {
      attempts=0
      until "$programs/pg_isready" -q -h "$0" -p "$port" -U ribserver; do
        kill -0 $server 2>/dev/null && continue
        attempts=$((attempts + 1))
        [ $attempts -le 500 ] || return
        "$programs/postgres" -D "$0/data" -k "$0" -p "$port" -c listen_addresses="$address" -c max_connections=300 \\
          -c wal_keep_size=512MB -c wal_retrieve_retry_interval=200 &
        server=$!
      done
    }
    end() {
      kill -KILL $server
      wait $server
      server=
    }
    dump() { "$programs/pg_dump" -h "$0" -p "$port" -U ribserver -f "$0/dump.sql" postgres; }
    promote() { "$programs/pg_ctl" promote -w -D "$0/data"; }
    while read -r command; do
      if $command >>"$0/log" 2>&1 </dev/null; then echo ready; else echo failed; fi
    done
    if [ -n "$server" ]; then kill -QUIT $server; fi
    wait
    rm -rf "$0"
    """

  /// Has the shell do something with the server, and waits until that is done.
  ///
  /// - Parameter command: `create`; `copy` and the port of a server that runs; `start`; `end`, with SIGKILL; `promote`;
  ///   `dump`, into a file of that name.
  /// - Throws: if it fails.
  func command(_ command: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(command)\n".utf8))
    guard try output.fileHandleForReading.read(upToCount: 6) == Data("ready\n".utf8) else {
      let log = (try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)) ?? ""
      throw PostgresServerError(command: command, log: String(log.suffix(2000)))
    }
  }

  /// Writes what the database has into a file.
  ///
  /// - Parameter path: of the file, which is not there.
  /// - Throws: if it fails.
  func dump(to path: String) throws {
    try command("dump")
    try FileManager.default.copyItem(atPath: "\(directory)/dump.sql", toPath: path)
  }

  /// Runs a statement on a connection of its own.
  ///
  /// - Parameters:
  ///   - sql: the statement.
  ///   - parameters: its parameters.
  /// - Returns: its rows.
  /// - Throws: ``PostgresError``, or ``StoreError`` if there is no server.
  @discardableResult
  func run(_ sql: String, _ parameters: PostgresParameter...) throws -> PostgresResult {
    try PostgresConnection(url).run([PostgresStatement(PostgresQuery(sql, isPrepared: false), parameters)])[0]
  }

  /// The server's processes for the connections with a name.
  ///
  /// - Parameter name: the name, as a pattern of SQL's LIKE.
  /// - Returns: their numbers.
  /// - Throws: if there is no server.
  func connections(named name: String) throws -> [Int32] {
    let rows = try run(
      "SELECT pid::int8 FROM pg_stat_activity WHERE application_name LIKE $1::text ORDER BY pid", .text(name)
    ).rows
    return rows.map { Int32($0.integer(0)) }
  }

  /// Ends the connections with a name, as if the server had been started anew.
  ///
  /// - Parameter name: the name, as a pattern of SQL's LIKE.
  func endConnections(named name: String) {
    // The server warns of one that has ended by itself meanwhile.
    _ = try? run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE $1::text", .text(name))
  }

  // MARK: The shared one

  /// Makes a database of its own for a test: a schema that the connections find first.
  ///
  /// - Returns: what to connect with.
  /// - Throws: if there is no server.
  static func makeDatabase() throws -> String {
    let server = try shared.get()
    let name = "test\(last.add(1, ordering: .relaxed).newValue)"
    try server.run("CREATE SCHEMA \(name)")
    return "\(server.url) options='-c search_path=\(name)' application_name=\(name)"
  }

  /// The processes of the server that serve the connections to a test's database.
  ///
  /// - Parameter url: what ``makeDatabase()`` has returned.
  /// - Returns: their numbers.
  /// - Throws: if there is no server.
  static func connections(to url: String) throws -> [Int32] { try shared.get().connections(named: name(of: url)) }

  /// Has the server end all connections to a test's database, as if it had been started anew.
  ///
  /// - Parameter url: what ``makeDatabase()`` has returned.
  /// - Throws: if there is no server.
  static func endConnections(to url: String) throws { try shared.get().endConnections(named: name(of: url)) }

  private static func name(of url: String) -> String { url.split(separator: "=").last.map(String.init) ?? "" }
}

/// The shell of a ``PostgresServer`` has failed.
struct PostgresServerError: Error {
  let command: String
  let log: String
}
