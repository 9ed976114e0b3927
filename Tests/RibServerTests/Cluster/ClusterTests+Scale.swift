import RibTestSupport
import Simulation
import Synchronization
import Testing

@testable import RibServer

/// Many nodes, in a time of their own.
///
/// The figures that it prints are those of docs/Cluster.md.
extension ClusterTests {
  private static let second = VirtualCluster.second

  /// Each has a link to each; one process dies, then a machine, and all others notice, and take nobody else for dead.
  @Test func linkedNodes_noticeWhoIsGone() async throws {
    let count = 100
    try await blocking {
      // Two a link, and some for the test.
      let limit = Server.raiseDescriptorLimit()
      try #require(limit >= count * count + 500, "\(limit) descriptors")
      let cluster = try VirtualCluster(count, isLinked: true, seed: TestRun.seed)
      defer { cluster.stop() }
      let (start, others) = (cluster.time.now, count - 1)
      cluster.time.pass(20 * Self.second) { cluster.nodes.allSatisfy { $0.linkCount == others } }
      #expect(cluster.nodes.allSatisfy { $0.linkCount == others } && cluster.errors.isEmpty)
      let linked = Double(cluster.time.now - start) / Double(Self.second)
      let (before, beats, seconds) = (cluster.network.received, cluster.beatCount, 2)
      cluster.time.pass(UInt64(seconds) * Self.second)
      let messages = (cluster.network.received.times - before.times) / seconds
      let bytes = (cluster.network.received.bytes - before.bytes) / seconds
      print(
        "\(count) nodes: all links after \(linked) s; over them \(messages) messages/s, \(bytes) bytes/s;",
        "\((cluster.beatCount - beats) / seconds) beats/s to PostgreSQL")
      // One a second over each link, each way.
      #expect((count * others * 9 / 10...count * others * 11 / 10).contains(messages))
      #expect((count * 9 / 10...count * 11 / 10).contains((cluster.beatCount - beats) / seconds))
      for (victim, isRefusing) in [(cluster.nodes[7], true), (cluster.nodes[23], false)] {
        if isRefusing { victim.kill() } else { victim.vanish() }
        let noticed = try #require(cluster.noticeEnd(of: victim))
        print(
          "a node whose \(isRefusing ? "process" : "machine") is gone is dead for the first one after \(noticed.first) s,",
          "for the last one after \(noticed.last) s")
        let patience = isRefusing ? 3.0 : 10.0
        // From its last beat on, which was heard up to a second before.
        #expect(noticed.first >= patience - 1 && noticed.last <= patience + 2.1)
      }
      #expect(cluster.living.allSatisfy { $0.linkCount == cluster.living.count - 1 })
      #expect(cluster.falseDeaths.isEmpty, "\(cluster.falseDeaths.prefix(3))")
      #expect(Set(cluster.deaths.keys) == [cluster.nodes[7].id, cluster.nodes[23].id])
    }
  }

  /// Ten nodes do not answer, or refuse each connection after a second; two that are there have lost their link.
  ///
  /// They dial each other beside the ten, and clients that come meanwhile take no session from its holder.
  @Test(arguments: [false, true]) func nodesThatAreGone_keepNoOtherNodeWaiting(isRefusing: Bool) async throws {
    try await blocking {
      let cluster = try VirtualCluster(12, isLinked: true, seed: TestRun.seed)
      defer { cluster.stop() }
      cluster.time.pass(20 * Self.second) { cluster.nodes.allSatisfy { $0.linkCount == 11 } }
      for node in cluster.nodes.prefix(10) { if isRefusing { node.kill() } else { node.vanish() } }
      // Links to machines that are silent end after five seconds.
      cluster.time.pass(8 * Self.second)
      let (one, two) = (cluster.nodes[10], cluster.nodes[11])
      #expect([one, two].map(\.linkCount) == [1, 1])
      for node in [one, two] { node.holdSession("held") }
      let links = try #require(one.cluster?.state.withLock { $0.links })
      links.loop.execute { links.open[two.id]?.close() }
      let placements = Mutex<[Placement]>([])
      for second in 1...15 {
        cluster.time.pass(Self.second)
        if second == 3 { #expect([one, two].map(\.linkCount) == [1, 1]) }
        for (node, holder) in [(one, two.id), (two, one.id)] {
          node.cluster?.ask(holder, about: "held", SessionClaim(tokenHash: "hash", attempt: 1)) { placement in
            placements.withLock { $0.append(placement) }
          }
        }
      }
      cluster.time.pass(4 * Self.second)
      let answers = placements.withLock { $0 }
      #expect(answers.count == 30 && answers.allSatisfy { $0 == .there || $0 == .unknown }, "\(answers)")
      #expect(answers.suffix(20).allSatisfy { $0 == .there }, "\(answers)")
    }
  }

  /// The database is away for a while, for all or for one, and nodes stand still.
  ///
  /// Only those are taken for dead that were not heard for long, and do not trust themselves either. In the end all count on all again.
  @Test(arguments: TestRun.seeds(1)) func hundredNodes_takeNobodyForDead_whoTrustsItself(seed: UInt64) async throws {
    let count = 100
    try await blocking {
      let cluster = try VirtualCluster(count, isLinked: false, seed: seed)
      defer { cluster.stop() }
      var random = SimulationRandom(seed: seed, stream: .max - 1)
      cluster.time.pass(4 * Self.second)
      var (outages, zombies) = (0, 0)
      let end = cluster.time.now + UInt64(TestRun.volume(90, nightly: 3600)) * Self.second
      while cluster.time.now < end {
        cluster.time.pass(.random(in: 0...2 * Self.second, using: &random))
        guard let node = cluster.nodes.randomElement(using: &random) else { break }
        switch Int.random(in: 0..<40, using: &random) {
        case 0:
          outages += 1
          cluster.loseAll(.random(in: 0...40 * Self.second, using: &random))
        case 1...3:
          zombies += 1
          node.stand(.random(in: 12 * Self.second...20 * Self.second, using: &random))
        case 4..<20: node.stand(.random(in: 0...7 * Self.second, using: &random))
        default: node.lose(.random(in: 0...9 * Self.second, using: &random))
        }
      }
      for node in cluster.nodes { node.directory.fail(false) }
      cluster.time.pass(30 * Self.second)
      print(
        "\(count) nodes, \(outages) outages, \(zombies) zombies: \(cluster.deaths.count) were taken for dead,",
        "\(cluster.falseDeaths.count) of them wrongly")
      #expect(cluster.falseDeaths.isEmpty, "\(cluster.falseDeaths.prefix(3))")
      #expect(cluster.nodes.allSatisfy { !$0.isSuspended })
      for node in cluster.nodes { #expect(cluster.nodes.allSatisfy { !node.hasGivenUp($0) }, "\(node.id)") }
    }
  }
}
