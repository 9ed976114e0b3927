import Logging
import RibCore
import RibTestSupport
import Synchronization

@testable import RibPostgres
@testable import RibServer

/// A server in this process that is a node of a cluster, and the means to disturb it.
final class ClusterHost: Sendable {
  let host: StoreHost
  let directory: SwitchedDirectory
  let cluster: Cluster
  let id: Int
  /// Those of this node alone: those of the process are shared by all nodes in it anyway.
  let exchanges = Exchanges()
  /// What tells a node the time that is not linked to others.
  let clock = TestClock()
  private let time: TimeSource

  /// A node that shares a database with others.
  ///
  /// - Parameters:
  ///   - url: what ``PostgresServer/makeDatabase()`` has returned.
  ///   - isLinked: whether other nodes reach it; time passes as it does then, and otherwise when a test says so.
  ///   - stay: how long a session stays that has come from another node, in nanoseconds.
  ///   - leases: how many leases are compared at a time.
  ///   - apps: what it runs.
  ///   - program: what it tells its program from others by; nil for that of all nodes.
  ///   - authenticator: what knows persons; nil for nothing.
  ///   - change: its settings.
  /// - Throws: if there is no database, or no port.
  init(
    _ url: String, isLinked: Bool = false, stay: UInt64 = Cluster.Pace().stay,
    leases: Int = Cluster.Pace().leases, _ apps: [App] = [Logbook.app()],
    program: String? = nil, authenticator: (any SessionAuthenticator)? = nil,
    change: (inout ServerSettings) -> Void = { _ in }
  ) throws {
    let store = try PostgresStore(url: url)
    id = try store.begin(StoreStart())
    directory = SwitchedDirectory(PostgresDirectory(url: url))
    var environment = Environment.system
    if !isLinked { environment.time = clock.clock }
    if let program { environment.program = program }
    time = environment.time
    host = try StoreHost(apps, on: store, isShared: nil, environment: environment, authenticator: authenticator) {
      settings in
      if isLinked { settings.nodeListen = "127.0.0.1:0" }
      change(&settings)
    }
    var pace = Cluster.Pace()
    pace.interval = 10_000_000
    pace.retry = 10_000_000
    (pace.stay, pace.leases) = (stay, leases)
    // Their clock goes on also while the machine does something else.
    if isLinked { pace.trust = 60_000_000_000 }
    cluster = Cluster(
      id, in: directory, environment, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, pace: pace,
      exchanges: exchanges)
    host.context.willJoin(cluster)
    try cluster.listen(host.context.settings, host.context)
    try cluster.start(host.loops, host.context.sessions)
  }

  var url: String { host.url }
  var isSuspended: Bool { cluster.isSuspended(at: time.monotonic()) }
  /// How many links it has to others.
  var linkCount: Int { cluster.state.withLock { $0.links?.count ?? 0 } }

  /// How many other nodes it knows the addresses of.
  private var knownCount: Int { cluster.state.withLock { $0.membership.others.count { !$0.address.isEmpty } } }

  /// Waits until the node has tried to be heard since now.
  func beats() async -> Bool {
    let count = directory.beatCount
    return await eventually { [directory] in directory.beatCount > count + 1 }
  }

  /// The connections that satisfy a condition, on all loops.
  func count(_ condition: @Sendable (Connection) -> Bool) -> Int {
    host.loops.reduce(0) { sum, loop in
      sum + loop.executeAndWait { loop.connections.values.count(where: condition) }
    }
  }

  /// How many clients it passes on to other nodes.
  var onwardCount: Int { count { if case .onward? = $0.passage { true } else { false } } }
  /// How many clients others pass on to it.
  var incomingCount: Int { count { $0.relayingNode != nil } }

  /// Starts nodes that are linked to each other, and stops them after `body`.
  ///
  /// - Parameters:
  ///   - count: how many.
  ///   - stay: how long a session stays that has come from another node, in nanoseconds.
  ///   - apps: what they run.
  ///   - authenticator: what knows persons; nil for nothing.
  ///   - change: the settings of each.
  ///   - body: what is done with them.
  /// - Throws: what `body` does; or if they do not find each other.
  static func with(
    _ count: Int, stay: UInt64 = Cluster.Pace().stay, _ apps: [App] = [Logbook.app()],
    authenticator: (any SessionAuthenticator)? = nil, _ change: (inout ServerSettings) -> Void = { _ in },
    _ body: ([ClusterHost]) async throws -> Void
  ) async throws {
    let url = try PostgresServer.makeDatabase()
    let nodes = try (0..<count).map { _ in
      try ClusterHost(url, isLinked: true, stay: stay, apps, authenticator: authenticator, change: change)
    }
    try await with(nodes, body)
  }

  /// Waits until nodes are linked to each other, and stops them after `body`.
  ///
  /// - Parameters:
  ///   - nodes: the nodes.
  ///   - body: what is done with them.
  /// - Throws: what `body` does; or if they do not find each other.
  static func with(_ nodes: [ClusterHost], _ body: ([ClusterHost]) async throws -> Void) async throws {
    let others = nodes.count - 1
    let areLinked = await eventually { nodes.allSatisfy { $0.linkCount == others && $0.knownCount == others } }
    let result: Result<Void, any Error>
    do {
      if !areLinked { throw NeverTrue(seconds: 60) }
      result = .success(try await body(nodes))
    } catch {
      result = .failure(error)
    }
    for node in nodes {
      node.host.store.hold(false)
      await node.host.stop()
    }
    try result.get()
  }
}
