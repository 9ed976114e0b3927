import CLyingDisk
import Logging
import RibCore
import RibServer
import Wire

/// Clients, a network, servers and the disk of their store, and a plan of what happens to them.
///
/// All of it follows from the plan's seed: one thread does everything, and time is simulated.
///
/// `@unchecked Sendable`: a simulation is run by one thread.
package final class World: @unchecked Sendable {
  let plan: Plan
  var seed: UInt64 { plan.seed }
  let scheduler: Scheduler
  /// What the network and the disk draw from.
  var network: SimulationRandom
  let disk: SimulatedDisk
  /// The directory of what the processes have beside the store.
  let directory: String
  private(set) var processes: [SimulatedProcess] = []
  var clients: [SimulatedClient] = []
  var twins: [SimulatedTwin] = []
  var links: [SimulatedLink] = []
  /// What nodes have dialled.
  var dialled: [DialledSocket] = []
  /// What the processes have between them that are nodes of one cluster; nil if they are not.
  private(set) var cluster: SimulatedCluster?
  /// The port at which nodes listen for each other.
  static let nodePort = 1
  /// Whether a server may have sent something since the links were looked at.
  var mayHaveSent = false
  /// Memory for what links take.
  var room = [UInt8](repeating: 0, count: 16_384)
  let ledger = Ledger()
  private(set) lazy var issuer = SimulatedIssuer(in: self)
  /// Strangers with tokens of others.
  var thieves: [Thief] = []
  /// What clients have done, by name.
  private(set) var actions: [Int: JournalAction] = [:]
  private(set) var published = 0
  /// The build that processes are started with, and the last one that has written.
  private(set) var build = 1
  private(set) var highestBuild = 1
  /// When the machine was started: its monotonic clock goes on from there.
  private(set) var bootTime: UInt64 = 0
  /// How many processes there are to be.
  private(set) var processLimit: Int
  /// What the clock on the wall is ahead of the seconds of the schedule.
  var wallOffset = 1_800_000_000
  /// Whether sessions may be gone by now.
  private(set) var mayForget = false
  /// Whether nothing bad happens any more.
  private(set) var isCalm = false
  package internal(set) var figures = Figures()
  /// What happened; nil unless it is to be printed.
  package private(set) var log: [String]?
  /// A hash of all that clients were sent, and when; at the end, of how many steps there were as well.
  package private(set) var traceHash: UInt64 = 0xcbf2_9ce4_8422_2325
  /// Draws who clients are.
  var persons: SimulationRandom
  private var finding: Finding?
  /// Processes that are dead and have not let go of what they had.
  private var graveyard: [SimulatedProcess] = []
  /// Whether the power is to be cut as soon as all processes are gone.
  private var isPowerCut = false
  /// Whether a process starts; it may wait for the disk meanwhile.
  private var isStarting = false
  /// How many starts wait until one can be made.
  private var waitingStarts = 0
  private(set) var processCount = 0
  var linkCount = 0
  private let lie: SimulatedDisk.Lie?

  /// A world in which nothing has happened.
  ///
  /// - Parameters:
  ///   - plan: what is to happen.
  ///   - machine: what worlds of one run share.
  ///   - keepsLog: whether its steps are to be printed.
  package init(_ plan: Plan, on machine: SimulationMachine, keepsLog: Bool = false) {
    self.plan = plan
    processLimit = plan.setting.processes
    directory = machine.makeDirectory()
    lie = machine.lie
    scheduler = Scheduler(SimulationRandom(seed: plan.seed, stream: 2))
    network = SimulationRandom(seed: plan.seed, stream: 3)
    persons = SimulationRandom(seed: plan.seed, stream: 6)
    log = keepsLog ? [] : nil
    rib_disks_seed(plan.seed)
    disk = SimulatedDisk(at: directory, copying: plan.setting.isPrepared ? machine.template : nil)
    if let lie { disk.lie(lie) }
    if plan.setting.isCluster { cluster = SimulatedCluster(in: self) }
    scheduler.willPass = { [unowned self] in collect() }
    rib_disks_on_pause(
      { context, process, reason, microseconds in
        guard let context else { return }
        Unmanaged<World>.fromOpaque(context).takeUnretainedValue().pause(process, reason, microseconds)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Seconds since 1970, as the wall has them.
  var wallClock: Int { wallOffset + Int(scheduler.now / 1_000_000_000) }

  // MARK: The log

  /// Takes note of an action that a client is about to send.
  func note(_ action: JournalAction) {
    figures.actions += 1
    actions[action.name] = action
  }

  func note(_ text: @autoclosure () -> String) {
    if log != nil { log?.append("\(scheduler.now / 1_000_000) ms  \(text())") }
  }

  func trace(_ client: Int, _ bytes: [UInt8]) {
    var hash = traceHash
    for word in [UInt64(client), scheduler.now] { hash = (hash ^ word) &* 0x100_0000_01b3 }
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    traceHash = hash
  }

  /// Takes note of what may not be; the schedule ends.
  func fail(_ finding: Finding) { if self.finding == nil { self.finding = finding } }

  // MARK: The run

  /// Runs the schedule.
  ///
  /// - Throws: ``Finding`` if it comes to something that may not be.
  package func run() throws(Finding) {
    defer { end() }
    for _ in 0..<processLimit { startProcess() }
    for _ in 0..<plan.setting.hosts {
      let client = SimulatedClient(clients.count + 1, makeHolder(nil), in: self)
      clients.append(client)
      client.connect()
    }
    for place in 0..<plan.setting.twins {
      let twin = SimulatedTwin(50 + place, makeTwinHolder(50 + place), in: self)
      twins.append(twin)
      twin.goOn()
    }
    for step in plan.steps { scheduler.at(step.time) { [unowned self] in take(step) } }
    try go(until: (plan.steps.last?.time ?? 0) + 1)
    try calmDown()
    try compareAll(after: cluster == nil ? 5_000_000_000 : 12_000_000_000)
    try finish()
    try compareAll(after: 5_000_000_000)
    for process in processes { kill(process) }
    try bury()
    guard disk.handleCount == 0 else { throw Finding(.leak, "\(disk.handleCount) files of the store are open") }
    if cluster == nil, network.oneIn(4) { try checkStore() }
  }

  /// Lets go of what refers to itself.
  private func end() {
    for process in processes { kill(process) }
    try? bury()
    for link in links { link.close() }
    for socket in dialled { socket.close() }
    figures.schedules = 1
    figures.steps = scheduler.stepCount
    trace(scheduler.stepCount, [])
    figures.time = scheduler.now
    disk.count(in: &figures)
    scheduler.clear()
    scheduler.willPass = {}
    cluster?.database.locks = []
    clients = []
    twins = []
    thieves = []
    disk.unmount()
    for place in 0...plan.setting.processes { SimulationMachine.remove(directory(at: place)) }
    rib_disks_on_pause(nil, nil)
  }

  /// Lets the world go on.
  func go(until end: UInt64) throws(Finding) {
    while try scheduler.step(until: end) { try settle() }
    try settle()
  }

  /// What is to be done between the steps, while no job is under way.
  private func settle() throws(Finding) {
    if let finding { throw finding }
    // One of its calls has killed it.
    for process in processes where process.disk.isDead { kill(process) }
    if !graveyard.isEmpty || isPowerCut { try bury() }
  }

  /// Lets the world go on while a job of a process waits.
  ///
  /// - Returns: whether there is more to do until then.
  func stepWithin(_ scheduler: Scheduler, until end: UInt64) -> Bool {
    guard finding == nil else { return false }
    do throws(Finding) {
      guard try scheduler.step(until: end) else { return false }
    } catch {
      fail(error)
      return false
    }
    return true
  }

  // MARK: Processes

  /// Starts a process; one that cannot be started is started again later.
  func startProcess() {
    // Of two that start the second waits for the first, with its thread, and here there is one.
    guard canStart else { return waitingStarts += 1 }
    guard processes.filter({ !$0.isStopping }).count < processLimit else { return }
    processCount += 1
    let process = SimulatedProcess(processCount, build: build, at: freePlace, in: self)
    processes.append(process)
    // What it writes as it starts the other build cannot read.
    highestBuild = max(highestBuild, build)
    isStarting = true
    defer {
      isStarting = false
      startThoseWaiting()
    }
    do {
      let authenticator = plan.setting.signsIn ? issuer.authenticator(process.clock) : nil
      try process.start(
        apps: [app(of: process)], settings: settings(of: process), authenticator: authenticator, logger: logger(process)
      )
      note("process \(process.number) runs build \(build)")
      figures.note("starts")
    } catch {
      note("process \(process.number) cannot start: \(error)")
      figures.note("starts that failed")
      kill(process)
      startLater()
    }
  }

  private var canStart: Bool { graveyard.isEmpty && !isPowerCut && !isStarting }

  /// What has kept processes from being started may be over.
  private func startThoseWaiting() {
    guard canStart else { return }
    // A process is not there at once.
    for _ in 0..<waitingStarts { scheduler.at(scheduler.now + 1_000_000) { [unowned self] in startProcess() } }
    waitingStarts = 0
  }

  private func startLater() {
    scheduler.at(scheduler.now + network.magnitude(bits: 33)) { [unowned self] in startProcess() }
  }

  /// Ends a process at once.
  func kill(_ process: SimulatedProcess) {
    guard let index = processes.firstIndex(where: { $0 === process }) else { return }
    processes.remove(at: index)
    note("process \(process.number) is gone")
    for link in links where link.process === process { link.processEnded() }
    for socket in dialled where socket.process === process { socket.processEnded() }
    process.kill()
    graveyard.append(process)
  }

  /// Tells a process to stop, and starts another one when it has, or soon after.
  func stop(_ process: SimulatedProcess, andStart starts: Bool) {
    note("process \(process.number) is told to stop")
    process.stop { [unowned self, unowned process] in
      note("process \(process.number) has stopped")
      kill(process)
      if starts { startLater() }
    }
  }

  /// Cuts the power: all processes end, and what is not synced may be lost.
  func cutPower() {
    note("the power is cut")
    isPowerCut = true
    for process in processes { kill(process) }
  }

  /// Has processes that are dead let go of what they had.
  private func bury() throws(Finding) {
    defer { startThoseWaiting() }
    while let process = graveyard.first {
      try process.dispose()
      graveyard.removeFirst()
      guard process.disk.handleCount == 0 else {
        throw Finding(.leak, "process \(process.number) has \(process.disk.handleCount) files of the store open")
      }
    }
    guard isPowerCut, processes.isEmpty else { return }
    disk.cutPower(network.next())
    // What was written to memory that is mapped may be on the disk, or not.
    if network.oneIn(2) { SimulationMachine.empty(directory) }
    bootTime = scheduler.now
    isPowerCut = false
  }

  // MARK: The disk

  private func pause(_ opener: OpaquePointer, _ reason: rib_pause, _ microseconds: UInt32) {
    guard let process = processes.first(where: { $0.disk.opener == opener }) else { return }
    if reason == RIB_PAUSE_SLEEP {
      process.pause(until: scheduler.now + UInt64(microseconds) * 1_000)
    } else if network.oneIn(plan.setting.slowSyncs * (processes.count > 1 ? 10 : 1)) {
      process.pause(until: scheduler.now + network.magnitude(bits: network.oneIn(50) ? 34 : 24))
    }
  }

  // MARK: Clients

  /// A server that accepts connections; nil if there is none.
  func anyProcess(_ random: inout SimulationRandom) -> SimulatedProcess? {
    let open = processes.filter(\.accepts)
    return open.isEmpty ? nil : open[random.below(open.count)]
  }

  /// Publishes something that all sessions observe.
  func publish() {
    published += 1
    note("published: \(published)")
    for process in processes { process.publish(published) }
  }

  // MARK: What the plan changes

  func changeBuild() { build = 3 - build }

  /// Has one process where there were two, or the other way round.
  ///
  /// - Returns: whether there is one to be started, or one too many; nil where there is never more than one.
  func changeProcesses() -> Bool? {
    guard plan.setting.processes == 2 else { return nil }
    processLimit = 3 - processLimit
    return processLimit == 2
  }

  /// From now on nothing bad happens: what was broken is mended.
  func becomeCalm() {
    isCalm = true
    build = highestBuild
    disk.setCapacity(0)
    cluster?.becomeCalm()
    for link in links { link.goOn() }
    for process in processes {
      if process.isHeldUp { process.goOn() }
      process.disk.heal()
      process.disk.kill(atCall: 0)
      process.kill(atStatement: 0)
    }
  }

  func allowForgetting() { mayForget = true }
}
