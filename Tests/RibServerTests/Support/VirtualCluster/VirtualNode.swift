import Logging
import RibCore
import Synchronization

@testable import RibServer
@testable import Simulation

/// A node of a cluster in virtual time: the real `Cluster`, with its `Membership` and its `Links`, and no clients.
///
/// | state    | what it does                  | its sockets          | who dials it |
/// |----------|-------------------------------|----------------------|--------------|
/// | `runs`   | all                           | are read             | is answered  |
/// | `stands` | nothing, until it goes on     | keep what is sent    | waits        |
/// | `killed` | nothing any more              | are closed           | is refused after a second |
/// | `gone`   | nothing, its machine neither  | keep what is sent    | waits        |
///
/// `@unchecked Sendable`: one thread does everything.
final class VirtualNode: @unchecked Sendable {
  enum State { case runs, stands, killed, gone }

  let id: Int
  let network: VirtualNetwork
  let directory: SwitchedDirectory
  private(set) var state = State.runs
  private unowned let world: VirtualCluster
  private let listener: SimulatedListener
  private var held: [() -> Void] = []
  /// Until when it has no database.
  private var lostUntil: UInt64 = 0
  private var random: SimulationRandom
  private(set) var cluster: Cluster?
  private var loop: EventLoop?
  private var context: ServerContext?
  var pollers: [VirtualPoller] = []
  /// Whom it takes for dead, or has forgotten.
  private var dead: Set<Int> = []

  /// A node that has not begun.
  ///
  /// - Parameters:
  ///   - id: its number.
  ///   - directory: where it finds the others.
  ///   - world: where it is.
  ///   - seed: what its secrets follow from.
  /// - Throws: ``SystemError`` if there are no more descriptors.
  init(_ id: Int, _ directory: any ClusterDirectory, in world: VirtualCluster, seed: UInt64) throws {
    (self.id, self.world, network) = (id, world, world.network)
    self.directory = SwitchedDirectory(directory)
    listener = try SimulatedListener()
    random = SimulationRandom(seed: seed, stream: UInt64(id))
  }

  /// Whether it does not trust itself, as others may take it for dead.
  var isSuspended: Bool { cluster?.isSuspended(at: world.time.now) ?? true }
  /// How many links it has.
  var linkCount: Int { cluster?.state.withLock { $0.links?.count ?? 0 } ?? 0 }
  /// When it has sent its last beat that was heard.
  var lastHeard: UInt64 { cluster?.state.withLock { $0.lastHeard } ?? 0 }

  /// Begins to be one of the nodes.
  ///
  /// - Parameter isLinked: whether the others reach it.
  /// - Throws: what the cluster says.
  func start(isLinked: Bool) throws {
    var settings = ServerSettings()
    if isLinked { settings.nodeListen = "10.0.0.1:7000" }
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let environment = environment
    let context = ServerContext(
      apps: [], files: StaticFiles(), settings: settings, logger: logger, environment: environment)
    let loop = try EventLoop(
      name: "loop", linger: 0, usesEpoll: true, messageLimit: settings.limits.message, environment: environment)
    let cluster = Cluster(id, in: directory, environment, logger, exchanges: Exchanges())
    context.willJoin(cluster)
    try cluster.listen(settings, context)
    try cluster.start([loop], context.sessions)
    (self.cluster, self.loop, self.context) = (cluster, loop, context)
  }

  private var environment: Environment {
    var environment = Environment(
      time: TimeSource(
        monotonic: { [unowned self] in world.time.now }, wall: { [unowned self] in Int(world.time.now / 1_000_000_000) }
      ),
      randomWord: { [unowned self] in random.next() },
      makeQueue: { [unowned self] name, _ in VirtualQueue(name, of: self) },
      makeSemaphore: { SystemSemaphore() })
    environment.sockets = SocketSource(
      listen: { [unowned self] _, _ in
        ListeningSocket(descriptor: listener.descriptor, address: "10.0.0.1", port: id)
      }, accept: { [unowned self] _ in listener.accept() })
    environment.sockets.connect = { [unowned self] _, port throws(SystemError) in
      let node = world.node(port)
      let isThere = node?.state == .runs || node?.state == .stands
      let descriptor = try network.connect(to: isThere ? node?.listener : nil)
      if isThere { node?.wasDialled() }
      if node?.state == .killed, let other = network.ends[descriptor]?.other {
        world.time.after(VirtualCluster.second) { [network] in network.refuse(descriptor, from: other) }
      }
      return descriptor
    }
    environment.sockets.failure = { [unowned self] in network.failure(of: $0) }
    return environment
  }

  /// Somebody dials.
  private func wasDialled() { for poller in pollers { poller.lookSoon() } }

  /// Does something of the node's after so many nanoseconds; later if it stands still then, never if it has ended.
  func after(_ nanoseconds: UInt64, _ body: @escaping () -> Void) {
    world.time.after(nanoseconds) { [self] in
      switch state {
      case .runs: body()
      case .stands: held.append(body)
      case .killed, .gone: break
      }
    }
  }

  /// Looks whom the node does not count on any more, as they are dead, or forgotten.
  func didBeat() {
    guard let cluster else { return }
    let now = cluster.state.withLock { state in Set(world.nodes.map(\.id).filter { state.membership.isDead($0) }) }
    for victim in now.subtracting(dead).sorted() { world.didTake(victim, forDeadBy: self) }
    dead = now
  }

  /// Whether it does not count on another node any more: it is dead, or was forgotten.
  func hasGivenUp(_ other: VirtualNode) -> Bool {
    cluster?.state.withLock { $0.membership.isDead(other.id) } ?? false
  }

  /// Has a session on its way into memory, so that other nodes are told that it stays.
  func holdSession(_ id: String) { _ = context?.sessions.find(id, SessionClaim()) { _ in } }

  // MARK: Faults

  /// Stands still for so many nanoseconds.
  func stand(_ nanoseconds: UInt64) {
    guard state == .runs else { return }
    state = .stands
    world.time.after(nanoseconds) { [self] in
      guard state == .stands else { return }
      state = .runs
      let bodies = held
      held = []
      for body in bodies { body() }
    }
  }

  /// Has no database for so many nanoseconds.
  func lose(_ nanoseconds: UInt64) {
    lostUntil = max(lostUntil, world.time.now + nanoseconds)
    directory.fail(true)
    world.time.after(nanoseconds) { [self] in if world.time.now >= lostUntil { directory.fail(false) } }
  }

  /// Ends the process: the system closes its sockets.
  func kill() {
    (state, held) = (.killed, [])
    for poller in pollers { poller.closeAll() }
  }

  /// Ends the machine: nobody hears of it.
  func vanish() { (state, held) = (.gone, []) }

  /// Lets go of all it has; time has to pass then.
  func stop() {
    if state == .stands { state = .runs }
    if state == .runs { cluster?.cancel() }
  }

  /// Closes what is left.
  func close() {
    for poller in pollers { poller.closeAll() }
    listener.close()
  }
}
