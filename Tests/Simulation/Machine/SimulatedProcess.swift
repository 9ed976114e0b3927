import Logging
import RibCore
import RibServer

/// A server's process: its queues, its pool, its clocks, its sockets, and its end, which may come at any time.
///
/// | state     | its work is done by | what it does to the world                        |
/// |-----------|---------------------|--------------------------------------------------|
/// | `running` | the world           | all                                              |
/// | held up   | the world, later    | nothing: its clocks and sockets go on without it |
/// | `dead`    | a limbo of its own  | nothing: its sockets and its disk are gone       |
///
/// A process that was killed has objects that hold one another, memory and descriptors. In its limbo the server is stopped, which
/// lets go of all of them; nobody hears of it.
///
/// `@unchecked Sendable`: a simulation is run by one thread.
final class SimulatedProcess: @unchecked Sendable {
  unowned let world: World
  let number: Int
  let build: Int
  /// The machine that it runs on, of those of a cluster.
  let place: Int
  /// The number that the database of a cluster has given it; 0 before.
  var nodeID = 0
  /// How many statements it waits for.
  var statementCount = 0
  /// What it waits for, the outermost wait first, and until when at most.
  private var waits: [(end: UInt64, isOver: () -> Bool)] = []
  /// After how many statements it is to be killed; 0 for never.
  private var statementsToDeath = 0
  /// What its work is done by.
  private(set) var scheduler: Scheduler
  private(set) var isDead = false
  /// Whether it does not run for a while, as on a machine that is paused.
  private(set) var isHeldUp = false
  /// What was to be done meanwhile.
  private var held: [() -> Void] = []
  var pollers: [SimulatedPoller] = []
  private(set) var server: Server?
  let disk = DiskProcess()
  /// Tells its sessions of what is published.
  var publish: (Int) -> Void = { _ in }
  /// How many sockets it was given, and by descriptor the last one that had it.
  private var socketCount = 0, sockets: [Int32: Int] = [:]
  /// The sockets that it has dialled and that are not connected yet, and those that never will be.
  private var connecting: Set<Int> = [], refused: Set<Int> = []
  /// The sockets that listen, and the world's ends of them.
  private(set) var listeners: [Int32: SimulatedListener] = [:]
  /// Those for clients, and for other nodes.
  private(set) var clientListener: SimulatedListener?, nodeListener: SimulatedListener?
  private var pool: SimulatedPool?
  private(set) lazy var clock = SimulatedClock(self)
  /// Whether it may have sent something since its links were looked at.
  var mayHaveSent = false
  /// How many of the queues that it has made are in memory, by name: a loop that stays there is seen by its queue.
  private var queues: [String: Int] = [:]
  private var randomWords: SimulationRandom
  /// When the machine was started, for whose clock that is the beginning of time.
  private let bootTime: UInt64

  /// A process that has done nothing.
  ///
  /// - Parameters:
  ///   - number: of all processes of the world.
  ///   - build: which of the app's builds it runs.
  ///   - place: the machine that it runs on.
  ///   - world: where it runs.
  init(_ number: Int, build: Int, at place: Int, in world: World) {
    self.number = number
    self.build = build
    self.place = place
    self.world = world
    scheduler = world.scheduler
    bootTime = world.bootTime
    randomWords = SimulationRandom(seed: world.seed, stream: 1_000 + UInt64(number))
    pool = SimulatedPool(self)
  }

  /// Whether it accepts connections.
  var accepts: Bool { !isDead && server != nil && !isStopping }
  /// Whether it was told to stop.
  private(set) var isStopping = false
  private var hasStopped = false
  /// Whether the store has failed for it, and its sessions go on: of what they did since then some may be in memory alone.
  private(set) var goesOnInMemory = false
  /// How often the store has failed.
  private var failureCount = 0
  /// What is to be done when it has stopped; it was told to while it started.
  private var whenStarted: (@Sendable () -> Void)?

  // MARK: Life

  /// Starts a server.
  ///
  /// - Throws: what ``Server/start()`` throws; the process has ended then.
  func start(
    apps: [App], settings: ServerSettings, authenticator: (any SessionAuthenticator)?, logger: Logger
  ) throws {
    let stores = world.cluster.map { [ExternalStore.simulated(self, $0)] } ?? []
    let server = Server(
      apps: apps, files: StaticFiles(), settings: settings, authenticator: authenticator, stores: stores,
      logger: logger, environment: environment())
    try disk.run { _ = try server.start() }
    self.server = server
    if let whenStarted { stop(whenStarted) }
  }

  /// Stops the server in order.
  ///
  /// - Parameter done: called when it has stopped.
  func stop(_ done: @escaping @Sendable () -> Void) {
    guard let server else {
      whenStarted = done
      return
    }
    guard !isStopping else { return }
    isStopping = true
    Task.detached(executorPreference: pool) { [self] in
      await server.stop()
      hasStopped = true
      done()
    }
  }

  /// Signs a person out.
  ///
  /// - Parameters:
  ///   - subject: what the person is called.
  ///   - done: called when the process has seen to it; not if it cannot.
  func signOut(_ subject: String, _ done: @escaping @Sendable () -> Void) {
    guard let server else { return }
    Task.detached(executorPreference: pool) { [self] in
      do { try await server.signOut(subject) } catch { return world.note("process \(number): \(error)") }
      if !isDead, !disk.isDead { done() }
    }
  }

  /// Ends the process at once: what it has written and not synced is the disk's to keep or to lose.
  func kill() {
    guard !isDead else { return }
    isDead = true
    goOn()
    disk.kill()
    for listener in listeners.values { listener.close() }
    let limbo = Scheduler(now: scheduler.now, SimulationRandom(seed: world.seed, stream: 2_000 + UInt64(number)))
    scheduler.move(self, to: limbo)
    scheduler = limbo
  }

  /// Has the objects of a process that is dead let go of one another.
  ///
  /// To be called when none of its jobs is under way.
  ///
  /// - Throws: ``Finding`` if they do not.
  func dispose() throws(Finding) {
    if server != nil, !hasStopped {
      if !isStopping { stop {} }
      let limit = scheduler.now + 3_600_000_000_000
      while !hasStopped, try scheduler.step(until: limit) {}
      guard hasStopped else { throw Finding(.stuck, "process \(number) was killed, and holds what it had") }
    }
    let limit = scheduler.now + 120_000_000_000
    server = nil
    publish = { _ in }
    while try scheduler.step(until: limit) {}
    scheduler.clear()
    pollers = []
    pool = nil
    guard clock.sleeperCount == 0 else { throw Finding(.leak, "effects of process \(number) sleep on") }
    guard queues.isEmpty else {
      throw Finding(.leak, "of process \(number) there are \(queues.keys.sorted()) in memory")
    }
  }

  /// A queue has come into being, or has gone.
  func count(_ queue: String, by change: Int) {
    let count = (queues[queue] ?? 0) + change
    queues[queue] = count == 0 ? nil : count
  }

  // MARK: The store

  /// Takes note that the store fails, and that sessions go on.
  func storeFails() {
    failureCount += 1
    goesOnInMemory = true
  }

  /// Takes note that the store works again: a minute later all is in it that was in memory alone.
  func storeWorks() {
    let count = failureCount
    scheduler.at(scheduler.now + 60_000_000_000, of: self) { [self] in
      if failureCount == count { goesOnInMemory = false }
    }
  }

  /// Is to be killed while a statement is under way.
  ///
  /// - Parameter count: how many it still sends.
  func kill(atStatement count: Int) { statementsToDeath = count }

  /// Takes note of a statement that is being sent.
  func countStatement() {
    guard statementsToDeath > 0 else { return }
    statementsToDeath -= 1
    guard statementsToDeath == 0 else { return }
    let time = scheduler.now + world.network.magnitude(bits: 24)
    world.scheduler.at(time) { [weak self] in if let self, !world.isCalm { world.kill(self) } }
  }

  // MARK: Waiting

  /// Has it do nothing until it goes on.
  func holdUp() {
    guard !isHeldUp, !isDead else { return }
    isHeldUp = true
    scheduler.holdUp(self)
  }

  /// Does what was to be done meanwhile, in any order.
  func goOn() {
    isHeldUp = false
    let actions = held
    held = []
    for action in actions { scheduler.at(scheduler.now, of: self, action) }
  }

  /// Keeps something to be done when it goes on.
  func hold(_ action: @escaping () -> Void) { held.append(action) }

  /// Has a job wait while the rest of the world goes on.
  ///
  /// - Parameters:
  ///   - end: until when at most.
  ///   - isOver: whether what it waits for is there.
  func pause(until end: UInt64, for isOver: @escaping () -> Bool = { false }) {
    // Its job may have sent something before.
    world.lookAtLinks(of: self)
    let wasDead = isDead
    waits.append((end, isOver))
    defer {
      waits.removeLast()
      // Since when a wait is over that has no end is not known.
      if scheduler.now > end, scheduler.now - end > 1_000_000_000 {
        world.cluster?.troubles.note(number, until: scheduler.now)
      }
    }
    while isDead == wasDead, isHeldUp || !isOver() && scheduler.now < end {
      guard world.stepWithin(scheduler, until: isHeldUp ? .max : end) else { return }
    }
  }

  /// Whether one of its waits is over and does not end, as others have begun since on the same stack.
  var isStuck: Bool { waits.contains { $0.end <= scheduler.now || $0.isOver() } }

  /// Something may have happened to its descriptors.
  func lookAgain() { for poller in pollers { poller.lookAgain() } }

  /// Something may have happened to one of its sockets.
  ///
  /// - Parameters:
  ///   - socket: its number.
  ///   - interest: what there may be to do now; nil for anything: for a new connection, or the end of one.
  func lookAgain(at socket: Int, for interest: Interest? = nil) {
    for poller in pollers where poller.isWatching(socket, for: interest) { poller.lookAgain() }
  }

  /// Gives it a socket.
  ///
  /// Its number is the same each time that a schedule is run. Its descriptor is not: threads of the system's libraries open some meanwhile.
  ///
  /// - Parameter descriptor: its end; an earlier socket, which is closed, may have had the same.
  /// - Returns: the socket's number among its own.
  func takeSocket(_ descriptor: Int32) -> Int {
    socketCount += 1
    sockets[descriptor] = socketCount
    return socketCount
  }

  /// Has the connection of a socket come later.
  ///
  /// - Parameters:
  ///   - socket: its number among its own.
  ///   - nanoseconds: how much later.
  ///   - isRefused: whether it is refused then.
  func connect(_ socket: Int, after nanoseconds: UInt64, isRefused: Bool) {
    if isRefused { refused.insert(socket) }
    connecting.insert(socket)
    scheduler.at(scheduler.now + nanoseconds, of: self) { [self] in
      connecting.remove(socket)
      lookAgain(at: socket)
    }
  }

  /// Whether a socket is not connected yet: nothing is to be told of it.
  func isConnecting(_ socket: Int) -> Bool { connecting.contains(socket) }

  /// Whether the socket that has a descriptor was refused.
  private func isRefused(_ descriptor: Int32) -> Bool { socket(descriptor).map { refused.contains($0) } ?? false }

  /// The number of the socket that has a descriptor; nil for one that it was not given.
  func socket(_ descriptor: Int32) -> Int? { sockets[descriptor] }

  // MARK: Environment

  private func environment() -> Environment {
    var environment = Environment(
      time: TimeSource(
        monotonic: { [unowned self] in scheduler.now - bootTime }, wall: { [unowned self] in world.wallClock }),
      randomWord: { [unowned self] in randomWords.next() },
      makeQueue: { [unowned self] name, _ in SimulatedQueue(name, of: self) },
      makeSemaphore: { [unowned self] in SimulatedSemaphore(self, bootTime: bootTime) })
    environment.taskExecutor = pool
    if world.plan.setting.waits, world.cluster == nil { environment.wrapStore = { WaitingStore($0) } }
    environment.program = "build \(build)"
    environment.sockets = SocketSource(
      listen: { [unowned self] _, port throws(SystemError) in
        let listener = try SimulatedListener()
        listener.socket = takeSocket(listener.descriptor)
        listeners[listener.descriptor] = listener
        if port == World.nodePort { nodeListener = listener } else { clientListener = listener }
        return ListeningSocket(descriptor: listener.descriptor, address: "127.0.0.1", port: number)
      },
      accept: { [unowned self] descriptor in listeners[descriptor]?.accept() ?? -1 })
    guard let cluster = world.cluster else { return environment }
    environment.sockets.connect = { [unowned self, unowned cluster] _, port throws(SystemError) in
      try cluster.dial(port, from: self)
    }
    environment.sockets.failure = { [unowned self] in DialledSocket.failure(isRefused: isRefused($0)) }
    return environment
  }
}
