/// Which nodes of a cluster are alive, as one of them sees it.
///
/// A node is dead for whoever has read its beat unchanged for ten seconds. They are counted by the observer's own clock, and only as far as it
/// could read: while the store is away, or the observer was held up, nobody is silent. Whoever is taken for dead and is not loses nothing but
/// time, as the store alone decides who may write.
struct Membership {
  /// For how long a node's beat may stay the same, in nanoseconds.
  static let patience: UInt64 = 10_000_000_000
  /// The same of a node whose successor on the same machine says that it has died: as long as is needed to see that it has not.
  private static let patienceWithPredecessors: UInt64 = 2_000_000_000
  /// What of the time between two readings counts at most.
  private static let longestGap: UInt64 = 3_000_000_000

  private struct Peer {
    let node: ClusterNode
    /// How long its beat has been the same, in nanoseconds.
    var silence: UInt64 = 0
  }

  /// This node.
  let own: Int
  private var peers: [Int: Peer] = [:]
  private var lastReading: UInt64?
  /// The highest number that was read by the last reading but one: numbers are given out in order, and a node with a higher one may have begun since.
  private var known = 0
  private var highest = 0
  /// The nodes that are said to have died.
  private let predecessors: Set<Int>

  /// A membership of nobody.
  ///
  /// - Parameters:
  ///   - own: this node's number.
  ///   - predecessors: nodes that are said to have died: who says so may have another database in mind.
  init(own: Int, after predecessors: [Int] = []) {
    self.own = own
    self.predecessors = Set(predecessors)
  }

  /// Takes what was read of the nodes.
  ///
  /// - Parameters:
  ///   - nodes: all that there are.
  ///   - now: nanoseconds of the clock that never jumps.
  mutating func read(_ nodes: [ClusterNode], at now: UInt64) {
    let gap = lastReading.map { min(now - min($0, now), Self.longestGap) } ?? 0
    lastReading = now
    (known, highest) = (highest, max(highest, nodes.map(\.id).max() ?? 0))
    let others = nodes.filter { $0.id != own }.map { node in
      let last = peers[node.id]
      return (node.id, Peer(node: node, silence: last?.node.beat == node.beat ? (last?.silence ?? 0) + gap : 0))
    }
    peers = Dictionary(others) { first, _ in first }
  }

  /// Whether a node is dead.
  ///
  /// - Parameter id: the node's number.
  /// - Returns: true also for a node that was forgotten.
  func isDead(_ id: Int) -> Bool {
    guard id != own else { return false }
    let patience = predecessors.contains(id) ? Self.patienceWithPredecessors : Self.patience
    return peers[id].map { $0.silence >= patience } ?? (id <= known)
  }

  /// Whether a node can be asked for sessions.
  ///
  /// - Parameter id: the node's number.
  /// - Returns: true also for one that is not known yet.
  func takesQuestions(_ id: Int) -> Bool { peers[id]?.node.address.isEmpty != true }

  /// The nodes that are there, and dead.
  var dead: [ClusterNode] { peers.values.map(\.node).filter { isDead($0.id) }.sorted { $0.id < $1.id } }
  /// The others that are alive.
  var alive: [ClusterNode] { peers.values.map(\.node).filter { !isDead($0.id) }.sorted { $0.id < $1.id } }
}
