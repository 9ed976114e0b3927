import Simulation

@testable import RibServer

/// Many nodes in one thread and a time of its own.
///
/// What a node does is the server's code: when it beats, whom it takes for dead, whom it dials, and what it says over links. What comes of it
/// follows from the seed. Work takes no time here, nor does the database; its cost is measured elsewhere.
///
/// `@unchecked Sendable`: one thread does everything.
final class VirtualCluster: @unchecked Sendable {
  static let second: UInt64 = 1_000_000_000

  let time = VirtualTime(now: 1_000 * VirtualCluster.second)
  let network: VirtualNetwork
  private(set) var nodes: [VirtualNode] = []
  /// When nodes were taken for dead, or forgotten: by the victim, and by who has taken it for dead.
  private(set) var deaths: [Int: [Int: UInt64]] = [:]
  /// Nodes that were taken for dead while they trusted themselves, or sooner than their silence allows: what must not be.
  private(set) var falseDeaths: [String] = []
  private(set) var errors: [any Error] = []
  /// When the database was away for all.
  private var outages: [ClosedRange<UInt64>] = []

  /// Nodes that begin within two seconds.
  ///
  /// - Parameters:
  ///   - count: how many.
  ///   - isLinked: whether they have links to each other.
  ///   - seed: what happens follows from it.
  /// - Throws: ``SystemError`` if there are no more descriptors.
  init(_ count: Int, isLinked: Bool, seed: UInt64) throws {
    // A node's stream is its number, from 1 on.
    var random = SimulationRandom(seed: seed, stream: .max)
    network = VirtualNetwork(seed: seed)
    let directory = VirtualDirectory()
    for _ in 0..<count {
      let node = try VirtualNode(directory.add(), directory, in: self, seed: seed)
      nodes.append(node)
      time.after(.random(in: 0..<2 * Self.second, using: &random)) { [unowned self] in
        do { try node.start(isLinked: isLinked) } catch { errors.append(error) }
      }
    }
  }

  /// The node with a number; nil if there is none.
  func node(_ id: Int) -> VirtualNode? { nodes.first { $0.id == id } }

  /// Those that have not ended.
  var living: [VirtualNode] { nodes.filter { $0.state == .runs || $0.state == .stands } }

  /// How often nodes have tried to beat.
  var beatCount: Int { nodes.reduce(0) { $0 + $1.directory.beatCount } }

  /// A node is dead for another one.
  func didTake(_ victim: Int, forDeadBy observer: VirtualNode) {
    deaths[victim, default: [:]][observer.id] = time.now
    guard let node = node(victim), node.state == .runs || node.state == .stands else { return }
    // Of the time in which nobody could read one second and a half counts at most.
    let away = outages.reduce(0 as UInt64) { sum, outage in
      let (start, end) = (max(outage.lowerBound, node.lastHeard), min(outage.upperBound, time.now))
      return sum + (end > start ? end - start - min(end - start, 3 * Self.second / 2) : 0)
    }
    let silence = time.now - node.lastHeard - away
    guard !node.isSuspended || silence < Membership.patience else { return }
    falseDeaths.append("\(victim) is dead for \(observer.id) after \(Double(silence) / Double(Self.second)) s")
  }

  /// Has no node reach the database for so many nanoseconds.
  func loseAll(_ nanoseconds: UInt64) {
    let (start, end) = (max(time.now, outages.last?.upperBound ?? 0), time.now + nanoseconds)
    if end > start { outages.append(start...end) }
    for node in nodes { node.lose(nanoseconds) }
  }

  /// Waits until all that live have taken a node for dead.
  ///
  /// - Returns: the seconds until the first one had, and the last one.
  func noticeEnd(of victim: VirtualNode) -> (first: Double, last: Double)? {
    let (start, count) = (time.now, living.count)
    deaths[victim.id] = [:]
    time.pass(60 * Self.second) { deaths[victim.id]?.count == count }
    let times = (deaths[victim.id] ?? [:]).values.map { Double($0 - start) / Double(Self.second) }
    guard times.count == count, let first = times.min(), let last = times.max() else { return nil }
    return (first, last)
  }

  /// Stops all nodes, and closes their sockets.
  func stop() {
    for node in nodes { node.stop() }
    time.pass(Self.second)
    for node in nodes { node.close() }
    network.close()
  }
}
