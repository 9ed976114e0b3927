import RibCore
import RibPostgres
import RibServer
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What a session's part in a commit costs: its row and its riblet's.
///
/// The SQLite file is a new one in the current directory: where the temporary directory is in memory, there is nothing to measure.
struct StoreBench {
  /// How many sessions there are, and how many of them are in a commit.
  let sessions: Int
  let batch: Int

  private struct Member {
    let tree: Tree
    var lease: SessionLease
    var version: Int64 = 1
  }

  /// The store of one machine, or both, so that they are compared in one run.
  ///
  /// - Parameter url: a PostgreSQL database, whose tables are left as they are; nil for none.
  /// - Throws: what a store throws.
  static func report(postgres url: String? = nil) throws {
    Server.prepareProcess()
    for (sessions, batch) in [(64, 1), (64, 27), (10_000, 32), (10_000, 256), (10_000, 500)] {
      let bench = StoreBench(sessions: sessions, batch: batch)
      try bench.reportSQLite(url == nil ? .process : .disk)
      if let url { try bench.report("PostgreSQL", try PostgresStore(url: url)) }
    }
  }

  private func reportSQLite(_ durability: Welcome.Durability) throws {
    let path = "ribbench-\(UInt64.random(in: 0...(.max))).sqlite"
    defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
    try report("SQLite", try SQLiteStore(path: path, durability: durability))
  }

  /// Prints microseconds a session: of the clock, which has the disk in it, and of this process's CPU.
  private func report(_ name: String, _ store: any SessionStore, rounds: Int = 200) throws {
    defer { store.close() }
    _ = try store.begin(StoreStart())
    let renderer = ViewRenderer()
    var members = try (0..<sessions).map { try start($0, store, renderer) }
    let action = try Bench.Reader().read(#"{"increment":{}}"#)
    var (times, processor, next) = ([Double](), 0.0, 0)
    for _ in 0..<rounds {
      let requests = try (0..<batch).map { _ in
        next = (next + 1) % sessions
        _ = try members[next].tree.perform(action, for: .id(1), by: ActingClient(), rendering: renderer)
        members[next].version += 1
        return StoreRequest.write(members[next].lease, cut(of: members[next]))
      }
      let before = Self.processorTime
      times.append(try ContinuousClock().measure { _ = try store.perform(requests) }.nanoseconds / Double(batch))
      processor += Self.processorTime - before
    }
    times.sort()
    print(
      "\(name): \(batch) of \(sessions) counters in a commit: \(Int(times[rounds / 2])) ns a session "
        + "(\(Int(times[rounds / 10]))-\(Int(times[rounds * 9 / 10]))), of which \(Int(processor / Double(rounds * batch))) on the CPU"
    )
  }

  /// Nanoseconds of this process's CPU.
  private static var processorTime: Double { Double(clock()) / Double(CLOCKS_PER_SEC) * 1e9 }

  private func start(_ index: Int, _ store: any SessionStore, _ renderer: ViewRenderer) throws -> Member {
    let tree = Tree(root: BenchCounter())
    tree.notesChanges = true
    _ = try tree.start(rendering: renderer)
    var member = Member(tree: tree, lease: SessionLease(row: 0, number: 0))
    let identity = SessionIdentity(
      id: "\(UInt64.random(in: 0...(.max)))\(100_000 + index)", app: "counter", parameters: nil)
    guard case .written(let lease)? = try store.perform([.create(identity, cut(of: member))]).first else {
      fatalError("a session could not be created")
    }
    member.lease = lease
    return member
  }

  private func cut(of member: Member) -> SessionCut {
    let client = ClientRecord(
      id: 1, tokenHash: String(repeating: "0123456789abcdef", count: 4), attempt: 0, number: Int(member.version),
      scope: .act)
    var cut = SessionCut(
      version: member.version,
      state: SessionState(
        revision: Int(member.version), clients: [client], invitations: [], hasActed: true, isHeld: true),
      tree: member.tree.takeCut(), nacks: [], acknowledged: [:], survived: [])
    cut.isProgress = member.version > 1
    return cut
  }
}
