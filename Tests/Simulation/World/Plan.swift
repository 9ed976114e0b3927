/// What happens in a schedule, and when: all of it follows from a seed, and a part of it can be left out.
package struct Plan: Sendable {
  /// One thing that happens.
  package struct Step: Sendable, CustomStringConvertible {
    /// When, in nanoseconds.
    let time: UInt64
    let event: Event
    /// What more there is to choose.
    let choice: UInt64

    package var description: String { "\(time / 1_000_000) ms: \(event) (\(choice))" }
  }

  /// What kind of thing happens.
  enum Event: String, CaseIterable, Sendable {
    /// A client does something, or several things at once.
    case act
    /// A client asks for the hash of its view, or says what it has.
    case check, acknowledge
    /// A client invites another one, or leaves for good, as a guest or with its session.
    case share, leave, end
    /// Something is published that all sessions observe.
    case publish
    /// What becomes of a connection.
    case cut, stall, fallSilent
    /// No connection can be accepted for a while.
    case refuseConnections
    /// A process is killed, or at one of its next calls of the disk, or it is told to stop, or the power is cut.
    case kill, killAtCall, stop, cutPower
    /// A process is held up, and does nothing for a while.
    case holdUp
    /// From now on processes are started with the other build of the app.
    case changeBuild
    /// From now on there is one process where there were two, or the other way round.
    case changeProcesses
    /// The clock on the wall is set.
    case setClock
    /// Calls of the disk fail, or it is full, for a while.
    case failDisk, fillDisk
    /// An operator's tool copies the log into the file.
    case checkpoint
    /// Nothing for a while, so that sessions rest.
    case wait
    /// A client shows who it is; a person is signed out everywhere; a stranger shows a client's token.
    case signIn, signOut, steal

    /// A node does not reach the database for a while, or another one, or any other.
    case cutFromDatabase, split, isolate
    /// Statements of a node get lost for a while, or come late; or no node reaches the database.
    case disturbStatements, takeDatabaseAway
    /// A client connects again, to whichever node: what a balancer does.
    case wander

    /// How often, beside the others, in a cluster.
    var weightInCluster: Int {
      switch self {
      case .act: 60
      case .check, .acknowledge: 4
      case .share, .holdUp, .publish, .killAtCall: 5
      case .leave, .end, .refuseConnections: 1
      case .cut: 6
      case .stall, .fallSilent, .kill, .stop, .setClock: 2
      case .wait: 8
      case .cutFromDatabase, .split, .isolate, .takeDatabaseAway: 2
      case .disturbStatements: 4
      case .wander: 14
      case .cutPower, .changeBuild, .changeProcesses, .failDisk, .fillDisk, .checkpoint, .signIn, .signOut, .steal: 0
      }
    }

    /// How often, beside the others.
    var weight: Int {
      switch self {
      case .act: 60
      case .check, .acknowledge: 4
      case .share: 3
      case .leave, .end: 1
      case .publish: 5
      case .cut: 8
      case .stall, .fallSilent: 3
      case .refuseConnections: 1
      case .kill, .killAtCall: 3
      case .stop, .cutPower, .holdUp: 2
      case .changeBuild: 1
      case .changeProcesses: 2
      case .setClock: 2
      case .failDisk: 3
      case .fillDisk: 1
      case .checkpoint: 2
      case .wait: 4
      // They come besides the others, where clients sign in.
      case .signIn, .signOut, .steal: 0
      // They come in a cluster.
      case .cutFromDatabase, .split, .isolate, .disturbStatements, .takeDatabaseAway, .wander: 0
      }
    }
  }

  /// What the schedule is of.
  package let seed: UInt64
  /// What happens, in the order of time.
  package var steps: [Step]
  /// How the world is set up.
  private(set) var setting: Setting

  /// How a world is set up.
  struct Setting: Sendable {
    /// Whether the processes are nodes of one cluster, on a database that is on none of their machines.
    var isCluster = false
    /// How many processes there may be at a time, on one store.
    var processes: Int
    /// Whether sessions observe what is published: those that do not can be left without being in memory.
    let observes: Bool
    let loops: Int
    /// How many clients begin with a session of their own.
    let hosts: Int
    /// How many clients of the HTTP twin there are, each with a session of its own.
    let twins: Int
    var restSeconds: Int
    let idleRestSeconds: Int
    let heartbeatSeconds: Int
    let drainSeconds: Int
    var timeToLiveSeconds: Int
    /// Whether the store's file is there before.
    let isPrepared: Bool
    /// Whether sessions wait while the store fails; otherwise they go on in memory.
    var waits: Bool
    /// How often a sync takes time: once in so many.
    let slowSyncs: Int
    /// Whether clients say who they are.
    var signsIn: Bool
    /// For how long a credential is good, and for how long clients may go on beyond that.
    let credentialSeconds: Int, graceSeconds: Int
    /// What comes at the end.
    var end: End

    enum End: Int, CaseIterable, Sendable {
      case stop, kill, cutPower
      /// Clients are away for half of their session's time to live, whatever the clock on the wall says; then they come back.
      case comeBackInTime
      /// They are away for longer: their sessions are gone.
      case stayAway
    }
  }

  /// What follows from a seed.
  ///
  /// - Parameters:
  ///   - seed: the seed.
  ///   - isCluster: whether the servers are nodes of one cluster.
  package init(seed: UInt64, isCluster: Bool = false) {
    self.seed = seed
    steps = []
    var random = SimulationRandom(seed: seed, stream: 1)
    var identities = SimulationRandom(seed: seed, stream: 4)
    setting = Setting(
      processes: random.oneIn(4) ? 2 : 1, observes: !random.oneIn(3), loops: 1 + random.below(2),
      hosts: random.oneIn(3) ? 2 : 1, twins: random.oneIn(3) ? 1 : 0,
      restSeconds: 1 + random.below(20), idleRestSeconds: 2 + random.below(random.oneIn(2) ? 4 : 40),
      heartbeatSeconds: 5 + random.below(20),
      drainSeconds: random.below(4), timeToLiveSeconds: 150 + random.below(150), isPrepared: !random.oneIn(8),
      waits: random.oneIn(4), slowSyncs: 1 + random.below(4),
      signsIn: identities.oneIn(3), credentialSeconds: 5 + identities.below(60), graceSeconds: identities.below(10),
      end: Setting.End.allCases[random.below(Setting.End.allCases.count)])
    if isCluster { becomeCluster(&random, &identities) }
    let weight = isCluster ? \Event.weightInCluster : \Event.weight
    let total = Event.allCases.reduce(0) { $0 + $1[keyPath: weight] }
    let count = 4 + random.below(random.oneIn(4) ? 100 : 40)
    var time: UInt64 = 0
    for _ in 0..<count {
      var draw = random.below(total)
      let event = Event.allCases.first { event in
        draw -= event[keyPath: weight]
        return draw < 0
      }
      guard let event else { continue }
      // Much at once, and then nothing for long.
      time += random.magnitude(bits: event == .wait ? 36 : 30)
      steps.append(Step(time: time, event: event, choice: random.next()))
    }
    if setting.signsIn { addSignIns(&identities, until: time) }
  }

  /// Has the processes be nodes: what there is of a disk, and who clients are, is of no account.
  private mutating func becomeCluster(_ random: inout SimulationRandom, _ endings: inout SimulationRandom) {
    setting.isCluster = true
    setting.processes = random.oneIn(3) ? 2 : 3
    setting.restSeconds = max(setting.restSeconds, 3)
    setting.timeToLiveSeconds += 200
    setting.waits = true
    setting.signsIn = false
    // While everybody is away nodes beat, for minutes, and nothing else happens: such an end takes ten times the work of another one. One schedule
    // in thirty has one, for a tenth of the time.
    let isAway = setting.end == .comeBackInTime || setting.end == .stayAway
    if isAway, !endings.oneIn(12) { setting.end = endings.oneIn(2) ? .kill : .stop }
  }

  /// Adds what has to do with who clients are: the other steps are those that they are without it.
  private mutating func addSignIns(_ random: inout SimulationRandom, until end: UInt64) {
    let events: [Event] = [.signIn, .signIn, .signOut, .steal]
    for _ in 0..<(1 + random.below(10)) {
      let time = random.next() % (end + 1)
      let step = Step(time: time, event: events[random.below(events.count)], choice: random.next())
      steps.insert(step, at: steps.firstIndex { $0.time > time } ?? steps.endIndex)
    }
  }

  /// The plan without some of what happens; all else is as it was.
  ///
  /// - Parameter places: of the steps that stay, in order.
  /// - Returns: the plan.
  package func keeping(_ places: [Int]) -> Plan {
    var plan = self
    plan.steps = places.filter(steps.indices.contains).map { steps[$0] }
    return plan
  }
}
