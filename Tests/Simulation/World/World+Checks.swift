import RibClient

/// What must be true when everything has come to rest.
extension World {
  /// Lets everything come to rest: nothing bad happens any more, and everybody comes back.
  func calmDown() throws(Finding) {
    note("calm")
    becomeCalm()
    let limit = scheduler.now + 600_000_000_000
    while !isQuiet {
      guard scheduler.now < limit else { throw Finding(.unanswered, "\(unrest)") }
      keepServing()
      for twin in twins { twin.look() }
      try go(until: scheduler.now + 2_000_000_000)
    }
  }

  /// Has as many processes run as there are to be, all of the build that has written last.
  private func keepServing() {
    for process in processes where process.build != build && !process.isStopping { stop(process, andStart: false) }
    while processes.count < plan.setting.processes {
      let count = processes.count
      startProcess()
      guard processes.count > count else { return }
    }
  }

  private var isQuiet: Bool {
    processes.count == plan.setting.processes && processes.allSatisfy { $0.accepts && $0.build == build }
      && clients.allSatisfy { client in
        client.isQuiet && (client.hasEnded || isCurrent(client.view))
      }
      && twins.allSatisfy { $0.isQuiet && ($0.hasEnded || isCurrent($0.view)) }
  }

  /// Whether a view shows what was published last, and waits for nothing.
  private func isCurrent(_ view: JournalView?) -> Bool { view?.news == published && view?.unbooked == 0 }

  private var unrest: String {
    let clients = clients.map { client in
      "client \(client.number): live \(client.isLive), outbox \(client.session.outbox.map(\.number)), "
        + "news \(client.view?.news ?? -1) of \(published), unbooked \(client.view?.unbooked ?? -1)"
    }
    let twins = twins.map { twin in
      "twin \(twin.number): quiet \(twin.isQuiet), news \(twin.view?.news ?? -1), unbooked \(twin.view?.unbooked ?? -1)"
    }
    return (clients + twins).joined(separator: "; ")
  }

  /// Compares what clients show with one another, with what they were told, and with what was booked.
  func compareAll() throws(Finding) {
    do {
      for client in clients where !client.hasEnded {
        if let view = client.view { try client.witness.compare(with: view.done) }
      }
      for twin in twins where !twin.hasEnded { if let view = twin.view { try twin.witness.compare(with: view.done) } }
      for client in clients where !client.hasEnded { try client.check() }
    } catch let finding as Finding {
      throw finding
    } catch {
      throw Finding(.brokenProtocol, "\(error)")
    }
    try calmDown()
    for guest in clients where !guest.hasEnded {
      guard let host = guest.host, !host.hasEnded else { continue }
      let (seen, hosted) = (guest.view?.done ?? [], host.view?.done ?? [])
      guard seen == hosted else {
        throw Finding(.otherView, "client \(guest.number) shows \(seen), client \(host.number) \(hosted)")
      }
    }
    try compareBook()
  }

  /// What was booked was done, and once; what was done is booked.
  private func compareBook() throws(Finding) {
    // A process that dies may take transactions along: what comes after them has other keys nevertheless.
    if let (key, names) = ledger.names.first(where: { $0.value.count > 1 }) {
      throw Finding(.otherBook, "\(names.sorted()) were booked under \(key)")
    }
    let views = clients.map { $0.hasEnded ? nil : $0.view } + twins.map { $0.hasEnded ? nil : $0.view }
    let done = Set(views.flatMap { $0?.done ?? [] })
    let isSure = !hasStoreFailed && views.allSatisfy { $0 != nil }
    for (name, keys) in ledger.keys {
      guard keys.count == 1 || !isSure else { throw Finding(.otherBook, "\(name) was booked under \(keys.sorted())") }
      guard done.contains(name) || !isSure else { throw Finding(.causelessEffect, "\(name) is booked, and not done") }
    }
  }

  /// How the schedule ends: all processes come to an end, and another one has to know all.
  func finish() throws(Finding) {
    switch plan.setting.end {
    case .stop: for process in processes { stop(process, andStart: false) }
    case .kill: for process in processes { kill(process) }
    case .cutPower: cutPower()
    case .comeBackInTime: return try comeBack(after: plan.setting.timeToLiveSeconds / 2, isGone: false)
    case .stayAway: return try comeBack(after: plan.setting.timeToLiveSeconds + 120, isGone: true)
    }
    try go(until: scheduler.now + 30_000_000_000)
    try calmDown()
  }

  /// Everybody goes away, and comes back.
  private func comeBack(after seconds: Int, isGone: Bool) throws(Finding) {
    for client in clients { client.goAway() }
    for twin in twins { twin.goAway() }
    // What the clock on the wall says is no reason to forget a session.
    wallOffset += network.oneIn(2) ? 90 * 86_400 : 0
    try go(until: scheduler.now + UInt64(seconds) * 1_000_000_000)
    if isGone { allowForgetting() }
    let missing = clients.filter { !$0.hasEnded }
    let missingTwins = twins.filter { !$0.hasEnded }
    for client in missing { client.goOn() }
    for twin in missingTwins {
      twin.goOn()
      twin.look()
    }
    try calmDown()
    guard isGone else { return }
    if let client = missing.first(where: { $0.goneCount == 0 && !$0.hasSaidBye }) {
      throw Finding(.kept, "client \(client.number) was away for \(seconds) s, and its session is there")
    }
    if let twin = missingTwins.first(where: { $0.goneCount == 0 }) {
      throw Finding(.kept, "twin \(twin.number) was away for \(seconds) s, and its session is there")
    }
  }
}
