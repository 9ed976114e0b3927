import Foundation
import RibCore
import RibTestSupport
import Testing

@testable import RibPostgres
@testable import RibServer

/// The table of nodes.
@Suite(.enabled(if: PostgresServer.isTested, "scripts/setup --tests installs PostgreSQL"), .blocking)
struct PostgresDirectoryTests {
  /// A hundred nodes beat in turn: each is heard and sees all others, and the table does not grow.
  ///
  /// What a beat costs is printed.
  @Test func beatsOfAHundredNodes_areHeard_andCostLittle() throws {
    let (count, rounds) = (100, TestRun.volume(10, nightly: 100))
    let url = try PostgresServer.makeDatabase()
    let store = try PostgresStore(url: url)
    defer { store.close() }
    let nodes = try (0..<count).map { _ in
      ClusterNode(
        id: try store.begin(StoreStart()), program: Executable.mark, address: "10.0.0.100:7000",
        secret: Environment.system.makeToken())
    }
    let directory = PostgresDirectory(url: url)
    defer { directory.close() }
    var last = try nodes.map { try directory.beat($0) }.last ?? []
    let before = try Self.nanoseconds(of: url)
    let clock = ContinuousClock()
    var delays: [Duration] = []
    for _ in 0..<rounds {
      for node in nodes {
        let start = clock.now
        let seen = try directory.beat(node)
        delays.append(clock.now - start)
        // It alone has beaten since.
        let heard = zip(seen, last).filter { new, old in new.id != old.id || new.beat > old.beat }.map(\.0.id)
        try #require(seen.count == count && heard == [node.id])
        last = seen
      }
    }
    let cost = (try Self.nanoseconds(of: url) - before) / delays.count / 1000
    let size = try Self.integer("SELECT pg_relation_size('rib_node')", url)
    let answer = try Self.integer("SELECT sum(length(n::text))::int8 FROM rib_node n", url)
    let sorted = delays.sorted()
    print(
      "a beat among \(count) nodes: \(cost) µs of the database's processor, p50 \(sorted[sorted.count / 2]),",
      "p99 \(sorted[sorted.count * 99 / 100]); about \(answer) bytes of answer; the table has \(size) bytes after \(sorted.count)"
    )
    // The processor's time, and no other: it is that much also on a machine with other work. It was 43,000 with statements compiled each time.
    #expect(cost < 5000)
    // A row has some 230 bytes: each beat leaves as many to be used again.
    #expect(size < 230 * (count + delays.count) / 2)
  }

  /// The nodes of the simulation are told the same of each other as those of a database.
  @Test func directoryInVirtualTime_doesAsTheTable() throws {
    let url = try PostgresServer.makeDatabase()
    let store = try PostgresStore(url: url)
    defer { store.close() }
    let (real, virtual) = (PostgresDirectory(url: url), VirtualDirectory())
    defer { real.close() }
    let said = try Self.conversation(real) { try store.begin(StoreStart()) }
    #expect(try Self.conversation(virtual) { virtual.add() } == said)
    #expect(said.count == 6 && Set(said).count > 3, "\(said)")
  }

  /// What nodes are told that come, beat, are taken for dead rightly and wrongly, and come again.
  private static func conversation(_ directory: any ClusterDirectory, add: () throws -> Int) throws -> [String] {
    let ids = try (0..<3).map { _ in try add() }
    let first = try #require(ids.first)
    var beats: [Int: Int] = [:]
    func beat(_ index: Int, isDraining: Bool = false) throws -> String {
      let node = ClusterNode(
        id: ids[index], program: "p\(index)", isDraining: isDraining, address: "a\(index)", secret: "s\(index)")
      let seen = try directory.beat(node)
      defer { for node in seen { beats[node.id] = node.beat } }
      return seen.map { node in
        let isNew = node.beat != beats[node.id, default: 0]
        return
          "\(node.id - first) \(isNew) \(node.program) \(node.isDraining) \(node.isSucceeded) \(node.address) \(node.secret)"
      }.joined(separator: "; ")
    }
    func free(_ index: Int, beat: Int) throws {
      _ = try directory.free(sessionsOf: [ClusterNode(id: ids[index], beat: beat, program: "")], limit: 5)
    }
    var said = [try beat(0), try beat(1, isDraining: true)]
    // It has beaten since.
    try free(1, beat: 0)
    said.append(try beat(2))
    try free(1, beat: beats[ids[1]] ?? -1)
    said.append(try beat(0))
    // It was only silent.
    said.append(try beat(1))
    said.append(try beat(2, isDraining: true))
    return said
  }

  /// The write of a node whose answer was lost is made once, also if the node was taken for dead and forgotten meanwhile.
  @Test func writeOfANodeThatWasForgotten_isMadeOnce() throws {
    let url = try PostgresServer.makeDatabase()
    let store = try PostgresStore(url: url)
    defer { store.close() }
    let (silent, other) = (try store.begin(StoreStart()), try store.begin(StoreStart()))
    let directory = PostgresDirectory(url: url)
    defer { directory.close() }
    let (first, second) = (
      NamedValue(name: "n", version: 0, value: Array("1".utf8)),
      NamedValue(name: "n", version: 1, value: Array("2".utf8))
    )
    #expect(try directory.write(first, number: 1, of: silent).wasWritten)
    #expect(try directory.write(second, number: 1, of: other).wasWritten)
    let dead = [ClusterNode(id: silent, program: "")]
    for _ in 0..<2 { _ = try directory.free(sessionsOf: dead, limit: 5) }
    #expect(try directory.beat(ClusterNode(id: other, program: "p")).map(\.id) == [other])
    let (found, wasWritten) = try directory.write(first, number: 1, of: silent)
    #expect(wasWritten && found.version == 2 && found.value == second.value)
    // Once it has been gone for long, nothing stays behind.
    let connection = try PostgresConnection(url)
    let skip = PostgresQuery("ALTER TABLE rib_node ALTER id RESTART WITH 2000", isPrepared: false)
    _ = try connection.run([PostgresStatement(skip)])
    _ = try store.begin(StoreStart())
    _ = try directory.free(sessionsOf: dead, limit: 5)
    #expect(try Self.integer("SELECT count(*) FROM rib_value_write WHERE node = \(silent)", url) == 0)
    #expect(try Self.integer("SELECT count(*) FROM rib_value_write", url) == 1)
  }

  private static func integer(_ query: String, _ url: String) throws -> Int {
    let connection = try PostgresConnection(url)
    return try connection.run([PostgresStatement(PostgresQuery(query, isPrepared: false))])[0].first?.integer(0) ?? 0
  }

  /// How long the server's processes for a test's database have had a processor.
  private static func nanoseconds(of url: String) throws -> Int {
    try PostgresServer.connections(to: url).reduce(0) { sum, process in
      let text = try? String(contentsOfFile: "/proc/\(process)/schedstat", encoding: .utf8)
      return sum + (text?.split(separator: " ").first.flatMap { Int($0) } ?? 0)
    }
  }
}
