import RibTestSupport
import Synchronization
import Testing

@testable import RibCore
@testable import RibPostgres
@testable import RibServer

/// Values that all nodes have.
extension ClusterTests {
  /// Changes of several nodes at once are made once each, also where the answer of the database is lost; and a node that comes later has the value.
  @Test func clusterValue_isTheSameAtAllNodes() async throws {
    try await ClusterHost.with(3) { nodes in
      let values = nodes.map { ClusterValue(name: "count", 0, on: $0.exchanges.values) }
      for round in 1...5 {
        nodes[round % 3].directory.loseNextAnswer()
        for value in values { for _ in 0..<100 { value.update { $0 += 1 } } }
        #expect(await eventually { values.allSatisfy { $0.value == round * 300 } }, "\(values.map(\.value))")
      }
      let late = ClusterValue(name: "count", 0, on: nodes[0].exchanges.values)
      #expect(await eventually { late.value == 1500 })
      late.update { $0 += 1 }
      #expect(await eventually { values[1].value == 1501 })
    }
  }

  /// What waits when a node stops is written.
  @Test func clusterValue_isWrittenAtTheEnd() async throws {
    let url = try PostgresServer.makeDatabase()
    let one = try ClusterHost(url)
    let value = ClusterValue(name: "count", 0, on: one.exchanges.values)
    one.directory.fail(true)
    #expect(await one.beats())
    for _ in 0..<3 { value.update { $0 += 1 } }
    #expect(await one.beats())
    #expect(value.value == 0)
    one.directory.fail(false)
    await one.host.stop()
    let two = try ClusterHost(url)
    let again = ClusterValue(name: "count", 0, on: two.exchanges.values)
    #expect(await eventually { again.value == 3 })
    await two.host.stop()
  }

  /// Values that cannot be written when a node stops do not keep others from being written.
  @Test func clusterValuesAtTheEnd_areWritten_butForThoseThatFail() async throws {
    let url = try PostgresServer.makeDatabase()
    let node = try ClusterHost(url)
    let names = (0..<8).map { $0.isMultiple(of: 2) ? "good \($0)" : "bad \($0)" }
    let values = names.map { ClusterValue(name: $0, 0, on: node.exchanges.values) }
    node.directory.failWrites { [cluster = node.cluster] in !cluster.isStopped || $0.hasPrefix("bad") }
    for value in values { value.update { $0 += 1 } }
    #expect(await node.beats())
    await node.host.stop()
    let directory = PostgresDirectory(url: url)
    defer { directory.close() }
    let written = try directory.values(named: names).map(\.name).sorted()
    #expect(written == names.filter { $0.hasPrefix("good") })
  }

  /// A node that only shows a value shows what the store has, also where that is older: after a failover to a standby that had not all.
  @Test func clusterValueThatTheStoreHasLost_isLostEverywhere() async throws {
    try await withNode { node, other in
      let value = ClusterValue(name: "count", 0, on: node.exchanges.values)
      for count in 1...3 {
        value.update { $0 += 1 }
        #expect(await eventually { value.value == count })
      }
      // As if the last two had not been copied.
      let connection = try PostgresConnection(other.url)
      let query = PostgresQuery("UPDATE rib_value SET version = 1, value = '1'::bytea", isPrepared: false)
      _ = try connection.run([PostgresStatement(query)])
      for _ in 0..<4 {
        node.clock.advance(3)
        #expect(await node.beats())
      }
      #expect(await eventually { value.value == 1 })
    }
  }

  /// A change that changes nothing is not written, once the store has said that the value is what it was.
  @Test func clusterValueThatDoesNotChange_isNotWritten() async throws {
    try await withNode { node, other in
      let value = ClusterValue(name: "count", 0, on: node.exchanges.values)
      value.update { $0 += 1 }
      #expect(await eventually { value.value == 1 })
      value.update { _ in }
      #expect(await node.beats())
      value.update { $0 += 1 }
      #expect(await eventually { value.value == 2 })
      let directory = PostgresDirectory(url: other.url)
      defer { directory.close() }
      let versions = try directory.values(named: ["count"]).map(\.version)
      #expect(versions == [2])
    }
  }

  /// Reads a value each time that a topic has missed something.
  private final class GapReader: TopicExchange.Receiver {
    private let value: ClusterValue<Int>
    private let found = Mutex<[Int]>([])

    init(_ value: ClusterValue<Int>) { self.value = value }

    /// What it has read.
    var values: [Int] { found.withLock { $0 } }

    func receive(key: [UInt8]?, value: [UInt8]?) {}

    func noteGap() {
      let value = value.value
      found.withLock { $0.append(value) }
    }
  }

  /// Whoever is told that something was missed, and reads anew what depends on a value, finds the newest one, although nobody has told of it.
  @Test func gap_isToldOnceValuesAreRead() async throws {
    let url = try PostgresServer.makeDatabase()
    let directory = PostgresDirectory(url: url)
    defer { directory.close() }
    try await ClusterHost.with([ClusterHost(url, isLinked: true), ClusterHost(url, isLinked: true)]) { nodes in
      let reader = GapReader(ClusterValue(name: "count", 0, on: nodes[0].exchanges.values))
      let topics = nodes[0].exchanges.topics
      let number = topics.makeNumber()
      topics.add(reader, number, "texts")
      nodes[0].directory.fail(true)
      let change = NamedValue(name: "count", version: 1, value: Array("7".utf8))
      let write = try directory.write(change, number: 1, of: nodes[1].id)
      #expect(write.wasWritten)
      // Longer than a message may be.
      Topic<String>(name: "texts", on: nodes[1].exchanges.topics).publish(String(repeating: "x", count: 1 << 20))
      #expect(await nodes[0].beats())
      nodes[0].directory.fail(false)
      #expect(await eventually { !reader.values.isEmpty })
      #expect(reader.values.allSatisfy { $0 == 7 }, "\(reader.values)")
      topics.remove(number, "texts")
    }
  }
}
