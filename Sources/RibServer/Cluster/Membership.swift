/// Which nodes of a cluster are alive, as one of them sees it.
///
/// A node is dead for whoever has read its beat unchanged for ten seconds. They are counted by the observer's own clock, and only as far as it
/// could read: while the store is away, or the observer was held up, nobody is silent. Whoever is taken for dead and is not loses nothing but
/// time, as the store alone decides who may write. A node that has a successor is dead at once: the successor has found a file unlocked that the
/// node's process keeps locked as long as it runs.
struct Membership {
  /// For how long a node's beat may stay the same, in nanoseconds.
  static let patience: UInt64 = 10_000_000_000
  /// The same of a node whose address refuses connections, which need not be true of the node: so it is longer than the node's beats count
  /// for itself.
  static let patienceWithTheGone: UInt64 = 3_000_000_000
  /// What of the time between two readings counts at most.
  private static let longestGap: UInt64 = 1_500_000_000

  private struct Peer {
    let node: ClusterNode
    /// How long its beat has been the same, in nanoseconds; nil as long as it was read once.
    var silence: UInt64?
    /// Whether its address has refused a connection since it was heard.
    var isRefusing = false
  }

  /// This node.
  let own: Int
  private var peers: [Int: Peer] = [:]
  /// When the nodes were asked for last, and when they came.
  private var lastReading: (start: UInt64, end: UInt64)?
  /// The highest number that was read by the last reading but one: numbers are given out in order, and a node with a higher one may have begun since.
  private var known = 0
  private var highest = 0

  /// A membership of nobody.
  ///
  /// - Parameter own: this node's number.
  init(own: Int) { self.own = own }

  /// Takes what was read of the nodes.
  ///
  /// - Parameters:
  ///   - nodes: all that there are.
  ///   - start: when they were asked for: a beat that comes while the answer is on its way is not in it.
  ///   - now: when they have come; both in nanoseconds of the clock that never jumps.
  mutating func read(_ nodes: [ClusterNode], askedAt start: UInt64, at now: UInt64) {
    let sinceQuestion = lastReading.map { min(start - min($0.start, start), Self.longestGap) } ?? 0
    let sinceAnswer = lastReading.map { min(start - min($0.end, start), Self.longestGap) } ?? 0
    lastReading = (start, now)
    (known, highest) = (highest, max(highest, nodes.map(\.id).max() ?? 0))
    let others = nodes.filter { $0.id != own }.map { node in
      var peer = Peer(node: node)
      if let last = peers[node.id], last.node.beat == node.beat {
        // The last beat may have come as late as its first answer.
        peer.silence = last.silence.map { $0 + sinceQuestion } ?? sinceAnswer
        peer.isRefusing = last.isRefusing
      }
      return (node.id, peer)
    }
    peers = Dictionary(others) { first, _ in first }
  }

  /// Whether a node is dead.
  ///
  /// - Parameter id: the node's number.
  /// - Returns: true also for a node that was forgotten.
  func isDead(_ id: Int) -> Bool {
    guard id != own else { return false }
    guard let peer = peers[id] else { return id <= known }
    let patience = peer.isRefusing ? Self.patienceWithTheGone : Self.patience
    return peer.node.isSucceeded || (peer.silence ?? 0) >= patience
  }

  /// Takes note that a node's address refuses connections.
  ///
  /// - Parameter id: the node's number.
  mutating func noteRefusal(of id: Int) { peers[id]?.isRefusing = true }

  /// Whether a node can be asked for sessions.
  ///
  /// - Parameter id: the node's number.
  /// - Returns: true also for one that is not known yet, or has not beaten yet: it has not said where it is reached.
  func takesQuestions(_ id: Int) -> Bool { peers[id].map { $0.node.beat == 0 || !$0.node.address.isEmpty } ?? true }

  /// The nodes that are there, and dead.
  var dead: [ClusterNode] { peers.values.map(\.node).filter { isDead($0.id) }.sorted { $0.id < $1.id } }
  /// The others, alive or dead.
  var others: [ClusterNode] { peers.values.map(\.node).sorted { $0.id < $1.id } }
  /// The others that are alive.
  var alive: [ClusterNode] { peers.values.map(\.node).filter { !isDead($0.id) }.sorted { $0.id < $1.id } }
}
