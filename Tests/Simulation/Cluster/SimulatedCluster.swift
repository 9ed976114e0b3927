import RibServer

/// What the nodes of a world have between them: the database, and their ways to it and to each other.
///
/// `@unchecked Sendable`: a simulation is run by one thread.
final class SimulatedCluster: @unchecked Sendable {
  /// What becomes of statements of a node that has a bad connection.
  fileprivate enum Fault: CaseIterable {
    case lost, late, unanswered, slow, none
  }

  private unowned let world: World
  let database: SimulatedDatabase
  var troubles = Troubles()
  private var random: SimulationRandom
  /// Which commits are late, and which never come.
  private var commits: SimulationRandom
  private var statementCount = 0
  /// Until when nobody reaches the database, and whether everybody hears so at once.
  private var outage: (end: UInt64, isRefusing: Bool) = (0, false)
  /// Until when processes do not reach the database.
  private var cuts: [Int: UInt64] = [:]
  /// Until when they have a bad connection to it.
  private var badConnections: [Int: UInt64] = [:]
  /// Until when two of them do not reach each other.
  private var splits: [Set<Int>: UInt64] = [:]

  /// Nodes that all reach each other.
  ///
  /// - Parameter world: where they are.
  init(in world: World) {
    self.world = world
    let time = TimeSource(
      monotonic: { [unowned world] in world.scheduler.now }, wall: { [unowned world] in world.wallClock })
    database = SimulatedDatabase(time, ClusterRules(in: world))
    random = SimulationRandom(seed: world.seed, stream: 7)
    commits = SimulationRandom(seed: world.seed, stream: 9)
  }

  private var now: UInt64 { world.scheduler.now }

  // MARK: Statements

  func makeStatement(by node: Int) -> Statement {
    statementCount += 1
    return Statement(statementCount, by: node, at: now)
  }

  /// Draws what becomes of a statement.
  ///
  /// - Parameters:
  ///   - process: who sends it.
  ///   - patience: how long its answer is waited for, in nanoseconds.
  /// - Returns: its way.
  func way(of process: SimulatedProcess, patience: UInt64) -> StatementWay {
    var way = drawWay(of: process, patience)
    way.isLate = way.arrival.map { $0 >= min(patience, way.end ?? patience) } ?? false
    return way
  }

  /// Draws whether the commit of a statement comes that the node has given up.
  func drawsCommit() -> Bool { commits.oneIn(2) }

  private func drawWay(of process: SimulatedProcess, _ patience: UInt64) -> StatementWay {
    var way = StatementWay(arrival: random.magnitude(bits: 22), answer: random.magnitude(bits: 22))
    guard !world.isCalm else { return way }
    if outage.isRefusing, outage.end > now { return StatementWay(end: random.magnitude(bits: 24)) }
    let end = max(outage.end, cuts[process.number] ?? 0)
    if end > now {
      // The system may go on sending it when the node has given it up.
      way.arrival = random.oneIn(2) ? end - now + random.magnitude(bits: 30) : nil
      way.isCutOff = true
      return way
    }
    guard badConnections[process.number] ?? 0 > now else { return way }
    return way.with(Fault.allCases[random.below(Fault.allCases.count)], patience, &random)
  }

  // MARK: Faults

  /// The database is away for a while.
  func takeDatabaseAway(for nanoseconds: UInt64, isRefusing: Bool) {
    outage = (max(outage.end, now + nanoseconds), isRefusing)
    for process in world.processes { troubles.note(process.number, until: outage.end) }
  }

  /// A process does not reach the database for a while.
  func cutFromDatabase(_ process: SimulatedProcess, for nanoseconds: UInt64) {
    cuts[process.number] = now + nanoseconds
    troubles.note(process.number, until: now + nanoseconds)
  }

  /// Statements of a process get lost for a while, or come late.
  func disturb(_ process: SimulatedProcess, for nanoseconds: UInt64) {
    badConnections[process.number] = now + nanoseconds
    troubles.note(process.number, until: now + nanoseconds)
  }

  /// Two processes do not reach each other for a while.
  func split(_ one: SimulatedProcess, _ other: SimulatedProcess, for nanoseconds: UInt64) {
    splits[[one.number, other.number]] = now + nanoseconds
    troubles.note(one.number, other.number, until: now + nanoseconds)
    for link in world.links where link.isBetween(one, other) { link.stall(for: nanoseconds) }
  }

  /// From now on nothing bad happens.
  func becomeCalm() {
    outage.end = 0
    (cuts, badConnections, splits) = ([:], [:], [:])
  }

  // MARK: Nodes

  /// Begins to connect a process to another one.
  ///
  /// A refusal takes a second. While two do not reach each other nothing answers.
  ///
  /// - Parameters:
  ///   - number: whom it dials.
  ///   - process: who dials.
  /// - Returns: the descriptor of a socket.
  /// - Throws: ``SystemError`` if there is none.
  func dial(_ number: Int, from process: SimulatedProcess) throws(SystemError) -> Int32 {
    let (descriptor, end) = try SocketPair.make()
    let (socket, split) = (process.takeSocket(descriptor), splitTime(process.number, number))
    guard !process.isDead, let target = reachable(number) else {
      SocketPair.close(end)
      if !process.isDead { process.connect(socket, after: split + 1_000_000_000, isRefused: true) }
      return descriptor
    }
    if split > 0 { process.connect(socket, after: split, isRefused: false) }
    try world.connect(process, from: socket, to: target, by: end, stalledFor: split)
    return descriptor
  }

  private func reachable(_ number: Int) -> SimulatedProcess? {
    world.processes.first { $0.number == number && $0.nodeListener != nil }
  }

  /// How long two processes do not reach each other yet, in nanoseconds.
  private func splitTime(_ one: Int, _ other: Int) -> UInt64 {
    let end = splits[[one, other]] ?? 0
    return end > now ? end - now : 0
  }
}

extension StatementWay {
  fileprivate func with(
    _ fault: SimulatedCluster.Fault, _ patience: UInt64, _ random: inout SimulationRandom
  ) -> StatementWay {
    var way = self
    switch fault {
    case .none: break
    case .lost: way.arrival = nil
    // It arrives when the node has given it up.
    case .late: way.arrival = patience + random.magnitude(bits: 33)
    case .unanswered: way.answer = nil
    case .slow: (way.arrival, way.answer) = (random.magnitude(bits: 32), random.magnitude(bits: 32))
    }
    if fault != .none, random.oneIn(2) { way.end = random.magnitude(bits: 30) }
    return way
  }
}
