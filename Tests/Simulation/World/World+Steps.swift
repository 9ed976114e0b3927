import CLyingDisk
import GRDB
import RibServer
import Wire

/// What the plan does.
extension World {
  func take(_ step: Plan.Step) {
    note("step: \(step)")
    figures.note(step.event.rawValue)
    var random = SimulationRandom(seed: step.choice, stream: 0)
    do {
      try take(step.event, &random)
    } catch let finding as Finding {
      fail(finding)
    } catch {
      fail(Finding(.brokenProtocol, "\(error)"))
    }
  }

  private func take(_ event: Plan.Event, _ random: inout SimulationRandom) throws {
    switch event {
    case .act:
      if let twin = twins.first, random.oneIn(3) { return twin.act(random.next()) }
      guard let client = anyClient(&random) else { return }
      for _ in 0..<(random.oneIn(4) ? 1 + random.below(20) : 1) { try client.act(random.next()) }
    case .check:
      if let twin = twins.first, random.oneIn(3) { return twin.look() }
      try anyClient(&random)?.check()
    case .acknowledge: try anyClient(&random)?.acknowledge()
    case .share: try share(&random)
    case .end: if let twin = twins.first(where: { !$0.hasEnded }) { twin.leave() }
    case .leave: if let guest = anyClient(&random), guest.host != nil { try guest.leave() }
    case .publish: publish()
    case .cut: disturbedLink(&random)?.cut()
    case .stall: disturbedLink(&random)?.stall(for: random.milliseconds(bits: 14))
    case .fallSilent: disturbedLink(&random)?.fallSilent(for: random.milliseconds(bits: 16))
    case .refuseConnections: refuseConnections(&random)
    case .kill, .killAtCall, .stop: endProcess(event, &random)
    case .cutPower: cutPowerAndStart()
    case .holdUp: holdUp(&random)
    case .changeBuild: changeBuild()
    case .changeProcesses: changeProcesses(&random)
    case .setClock: setClock(&random)
    case .failDisk, .fillDisk: breakDisk(event, &random)
    case .checkpoint: checkpoint(&random)
    case .signIn: try anyClient(&random)?.signIn()
    case .signOut: signOut(&random)
    case .steal: steal(&random)
    case .cutFromDatabase, .split, .isolate, .disturbStatements, .takeDatabaseAway: disturb(by: event, &random)
    case .wander: anyClient(&random)?.disconnect(.atOnce)
    // What is published meanwhile may come to sessions that rest.
    case .wait:
      guard random.oneIn(2) else { return }
      scheduler.at(scheduler.now + random.magnitude(bits: 36)) { [unowned self] in publish() }
    }
  }

  private func anyClient(_ random: inout SimulationRandom) -> SimulatedClient? {
    let live = clients.filter(\.isLive)
    return live.isEmpty ? nil : live[random.below(live.count)]
  }

  private func anyLink(_ random: inout SimulationRandom) -> SimulatedLink? {
    links.isEmpty ? nil : links[random.below(links.count)]
  }

  /// Draws a link that is about to be disturbed; of one between nodes these hear late.
  private func disturbedLink(_ random: inout SimulationRandom) -> SimulatedLink? {
    let link = anyLink(&random)
    if let link, let dialler = link.dialler {
      cluster?.troubles.note(dialler.number, link.process.number, until: scheduler.now + 70_000_000_000)
    }
    return link
  }

  func anyProcess(of random: inout SimulationRandom) -> SimulatedProcess? {
    processes.isEmpty ? nil : processes[random.below(processes.count)]
  }

  private func share(_ random: inout SimulationRandom) throws {
    // Two clients of one session belong on one server: who lost the session hears of it with the next commit only.
    guard plan.setting.processes == 1 || cluster != nil else { return }
    if let host = clients.first(where: { !$0.hasEnded && $0.hasToken }), clients.count < 6, let token = host.takeToken()
    {
      let guest = SimulatedClient(clients.count + 1, makeHolder(host), in: self, joining: host, with: token)
      clients.append(guest)
      // The host may be signing in, or may be signed out: either ends the part of those that are there by then.
      if host.holder.mayBeRevoked || host.holder.shows && !host.holder.isBound { guest.holder.mayRetire() }
      guest.connect()
    } else if let client = anyClient(&random), client.host == nil {
      try client.share(random.oneIn(4) ? .view : .act)
    }
  }

  private func refuseConnections(_ random: inout SimulationRandom) {
    guard let process = anyProcess(of: &random) else { return }
    let errors = SimulatedListener.errors
    for listener in process.listeners.values.sorted(by: { $0.socket < $1.socket }) {
      listener.faults = (0..<(1 + random.below(3))).map { _ in errors[random.below(errors.count)] }
    }
    process.lookAgain()
  }

  private func endProcess(_ event: Plan.Event, _ random: inout SimulationRandom) {
    guard let process = anyProcess(of: &random) else { return }
    switch event {
    case .killAtCall where cluster != nil: process.kill(atStatement: 1 + random.below(20))
    case .killAtCall: process.disk.kill(atCall: 1 + random.below(60))
    case .stop: stop(process, andStart: true)
    default: kill(process)
    }
    if event != .stop { keepProcesses(random.magnitude(bits: 34)) }
  }

  private func cutPowerAndStart() {
    cutPower()
    for _ in 0..<processLimit { keepProcesses(network.magnitude(bits: 34)) }
  }

  /// Holds a process up: for a moment, or for so long that others take it for dead.
  private func holdUp(_ random: inout SimulationRandom) {
    guard let process = anyProcess(of: &random), !process.isHeldUp else { return }
    let duration = (random.oneIn(2) ? 50_000_000_000 : 0) + random.milliseconds(bits: 16)
    note("process \(process.number) is held up for \(duration / 1_000_000) ms")
    process.holdUp()
    cluster?.troubles.note(process.number, until: scheduler.now + duration)
    scheduler.at(scheduler.now + duration) { [unowned self, weak process] in
      guard let process, process.isHeldUp else { return }
      note("process \(process.number) goes on")
      process.goOn()
    }
  }

  private func changeProcesses(_ random: inout SimulationRandom) {
    switch changeProcesses() {
    case true?: keepProcesses(0)
    case false?:
      let running = processes.filter { !$0.isStopping }
      if running.count > 1 { stop(running[random.below(running.count)], andStart: false) }
    case nil: break
    }
  }

  /// Starts a process after a while, if one is missing then.
  private func keepProcesses(_ delay: UInt64) {
    scheduler.at(scheduler.now + delay) { [unowned self] in startProcess() }
  }

  private func setClock(_ random: inout SimulationRandom) {
    let seconds = Int(random.magnitude(bits: 26))
    wallOffset += random.oneIn(2) ? seconds : -seconds
    note("the clock on the wall is set by \(seconds) s")
  }

  private func breakDisk(_ event: Plan.Event, _ random: inout SimulationRandom) {
    let duration = random.milliseconds(bits: 15)
    if event == .fillDisk {
      disk.setCapacity(disk.size + random.below(40_000))
      return scheduler.at(scheduler.now + duration) { [unowned self] in disk.setCapacity(0) }
    }
    guard let process = anyProcess(of: &random) else { return }
    let fault = Self.faults[random.below(Self.faults.count)]
    note("the disk: \(SimulatedDisk.callNames[Int(fault.0.rawValue)]) fails with \(fault.1)")
    process.disk.fail(
      rib_fault(
        call: fault.0, first: UInt64(1 + random.below(20)), count: UInt64(random.oneIn(4) ? 0 : 1 + random.below(3)),
        code: fault.1, is_short: random.oneIn(2)))
    scheduler.at(scheduler.now + duration) { [weak process] in process?.disk.heal() }
  }

  /// Calls that may fail, and with what.
  ///
  /// A short read that SQLite takes for what is in the file is none of these: no disk says that all was read when it was not.
  private static let faults: [(rib_call, Int32)] = [
    (RIB_CALL_READ, ResultCode.SQLITE_IOERR_READ.rawValue), (RIB_CALL_WRITE, ResultCode.SQLITE_IOERR_WRITE.rawValue),
    (RIB_CALL_WRITE, ResultCode.SQLITE_FULL.rawValue), (RIB_CALL_SYNC, ResultCode.SQLITE_IOERR_FSYNC.rawValue),
    (RIB_CALL_TRUNCATE, ResultCode.SQLITE_IOERR_TRUNCATE.rawValue), (RIB_CALL_LOCK, ResultCode.SQLITE_BUSY.rawValue),
    (RIB_CALL_LOCK, ResultCode.SQLITE_IOERR_LOCK.rawValue), (RIB_CALL_SHM_LOCK, ResultCode.SQLITE_BUSY.rawValue),
    (RIB_CALL_SHM_MAP, ResultCode.SQLITE_IOERR_SHMMAP.rawValue), (RIB_CALL_OPEN, ResultCode.SQLITE_CANTOPEN.rawValue),
    (RIB_CALL_FILE_SIZE, ResultCode.SQLITE_IOERR_FSTAT.rawValue),
  ]

  /// A process of its own copies the log into the file, as backups and operators do.
  private func checkpoint(_ random: inout SimulationRandom) {
    let mode = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"][random.below(4)]
    let tool = DiskProcess()
    tool.run {
      let database = try? DatabaseQueue(path: "\(disk.directory)/\(SQLiteStore.fileName)")
      try? database?.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(\(mode))") }
      try? database?.close()
    }
  }
}
