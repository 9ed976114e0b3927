import Logging
import RibCore
import RibServer

/// What a process's server is given.
extension World {
  /// The lowest machine that no process has which goes on; all of a store on one machine have that.
  var freePlace: Int {
    guard cluster != nil else { return 0 }
    let taken = Set(processes.filter { !$0.isStopping }.map(\.place))
    return (1...).first { !taken.contains($0) } ?? 0
  }

  /// What the processes of a machine have beside the store.
  func directory(at place: Int) -> String { place == 0 ? directory : "\(directory)-\(place)" }

  func settings(of process: SimulatedProcess) -> ServerSettings {
    var settings = ServerSettings(port: 0)
    settings.loops = plan.setting.loops
    settings.stateDirectory = directory(at: process.place)
    if cluster != nil {
      settings.store = .postgres
      settings.storeURL = "simulated"
      settings.nodeListen = "127.0.0.1:\(Self.nodePort)"
    }
    settings.limits.memoryPercent = 0
    settings.limits.actionsPerSecond = 1000
    settings.limits.actionBurst = 1000
    settings.sessions.restSeconds = plan.setting.restSeconds
    settings.sessions.idleRestSeconds = plan.setting.idleRestSeconds
    settings.sessions.timeToLiveSeconds = plan.setting.timeToLiveSeconds
    settings.sessions.untouchedSeconds = plan.setting.timeToLiveSeconds
    settings.timeouts.heartbeatSeconds = plan.setting.heartbeatSeconds
    settings.timeouts.drainSeconds = plan.setting.drainSeconds
    settings.timeouts.watchdogSeconds = 0
    settings.usesCompression = false
    settings.auth.graceSeconds = plan.setting.graceSeconds
    return settings
  }

  func app(of process: SimulatedProcess) -> App {
    let news = Topic<Int>(bufferSize: 2)
    process.publish = { news.publish($0) }
    let (clock, ledger) = (process.clock, ledger)
    let surroundings = JournalSurroundings(
      observes: plan.setting.observes, news: news, latest: { [unowned self] in published },
      book: { [unowned self, unowned process] name, key in
        let isSure = !process.goesOnInMemory
        // One that books at once is seen although what has caused it was not committed yet.
        if network.oneIn(2) { try await clock.sleep(for: .nanoseconds(network.magnitude(bits: 32))) }
        // What a process does in its limbo, or behind the call that has killed it, is done in no world.
        guard !process.disk.isDead else { throw CancellationError() }
        note("booked: \(name) under \(key)")
        if actions[name]?.isRefused != false { fail(Finding(.causelessEffect, "\(name) is booked, and is refused")) }
        ledger.book(name, key, isSure: isSure && !process.goesOnInMemory)
        try await clock.sleep(for: .nanoseconds(network.magnitude(bits: 30)))
      })
    return process.build == 1
      ? App("journal") { Journal<FirstBuild>(surroundings: surroundings) }
      : App("journal") { Journal<SecondBuild>(surroundings: surroundings) }
  }

  func logger(_ process: SimulatedProcess) -> Logger {
    Logger(label: "simulation") { [unowned self, unowned process] _ in WorldLog(self, process: process) }
  }
}
