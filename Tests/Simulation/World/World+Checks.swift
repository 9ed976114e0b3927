import GRDB
import RibClient
import RibServer
import Wire

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
      // Rest is noticed sooner than it is helped along.
      for _ in 0..<8 where !isQuiet { try go(until: scheduler.now + 250_000_000) }
    }
  }

  /// Has as many processes run as there are to be, all of the build that has written last.
  private func keepServing() {
    for process in processes where process.build != build && !process.isStopping { stop(process, andStart: false) }
    let running = processes.filter { !$0.isStopping }
    if running.count > processLimit { stop(running[0], andStart: false) }
    while processes.count < processLimit {
      let count = processes.count
      startProcess()
      guard processes.count > count else { return }
    }
  }

  private var isQuiet: Bool {
    processes.count == processLimit && processes.allSatisfy { $0.accepts && $0.build == build }
      && clients.allSatisfy { client in
        client.isQuiet && (client.hasEnded || isCurrent(client.view))
      }
      && twins.allSatisfy { $0.isQuiet && ($0.hasEnded || isCurrent($0.view)) && isCurrent($0.stream, of: $0) }
  }

  /// Whether a view shows what was published last, and waits for nothing.
  private func isCurrent(_ view: JournalView?) -> Bool {
    view?.news == (plan.setting.observes ? published : 0) && view?.unbooked == 0
  }

  /// Whether a stream shows what its twin was shown last, or has ended as that has; or there is none.
  private func isCurrent(_ stream: SimulatedStream?, of twin: SimulatedTwin) -> Bool {
    guard let stream else { return true }
    // A process that has lost the session to another one hears of it with its next commit only, and of its end.
    guard plan.setting.processes == 1 || cluster != nil else {
      return twin.hasEnded || stream.isLive || stream.hasEnded
    }
    guard !twin.hasEnded else { return stream.hasEnded }
    // It may have been told of a sign-out that no store could keep, and of which the next process knows nothing.
    guard !stream.hasEnded || !twin.holder.mayBeRevoked else { return true }
    return stream.isLive && stream.tag == twin.tag && isCurrent(stream.view)
  }

  private var unrest: String {
    let clients = clients.map { client in
      "client \(client.number): live \(client.isLive), outbox \(client.session.outbox.map(\.number)), "
        + "news \(client.view?.news ?? -1) of \(published), unbooked \(client.view?.unbooked ?? -1)"
    }
    let twins = twins.map { twin in
      "twin \(twin.number): quiet \(twin.isQuiet), news \(twin.view?.news ?? -1), unbooked \(twin.view?.unbooked ?? -1), "
        + "\(twin.tag ?? "no view"), its stream \(twin.stream?.isLive ?? false), \(twin.stream?.tag ?? "no view")"
    }
    return (clients + twins).joined(separator: "; ")
  }

  /// Compares what clients show with one another, with what they were told, and with what was booked.
  ///
  /// - Parameter nanoseconds: how long servers may take to send changes to clients that do not act: more than ten seconds where a node may have to
  ///   notice first that others, who took it for dead, have its sessions.
  /// - Throws: ``Finding`` if some of it differs.
  func compareAll(after nanoseconds: UInt64) throws(Finding) {
    // Whoever asks for something is shown the rest as well: first what those see who only look on.
    try go(until: scheduler.now + nanoseconds)
    try compareGuests()
    do {
      for client in clients where !client.hasEnded { if let view = client.view { try compare(view, client.witness) } }
      for twin in twins where !twin.hasEnded { if let view = twin.view { try compare(view, twin.witness) } }
      for client in clients where !client.hasEnded { try client.check() }
    } catch let finding as Finding {
      throw finding
    } catch {
      throw Finding(.brokenProtocol, "\(error)")
    }
    try calmDown()
    try compareGuests()
    try compareBook()
  }

  private func compare(_ view: JournalView, _ witness: Witness) throws(Finding) {
    try witness.compare(with: view.done)
    let page = pageCount(after: view.done)
    guard view.page == page else {
      throw Finding(
        .otherView, "the page of \(view.done) counts \(view.page ?? -1), and would count \(page ?? -1)")
    }
  }

  /// What the page of a journal counts in which this was done; nil if it has none.
  private func pageCount(after done: [Int]) -> Int? {
    var count: Int?
    for name in done {
      switch (actions[name]?.verb, actions[name]?.path) {
      case ("open", _): count = count ?? 0
      case ("close", _): count = nil
      case (_, "page"): count = (count ?? 0) + 1
      default: break
      }
    }
    return count
  }

  /// All clients of a session show the same.
  private func compareGuests() throws(Finding) {
    for guest in clients where !guest.hasEnded {
      guard let host = guest.host, !host.hasEnded else { continue }
      let (seen, hosted) = (guest.view?.done ?? [], host.view?.done ?? [])
      guard seen == hosted else {
        throw Finding(.otherView, "client \(guest.number) shows \(seen), client \(host.number) \(hosted)")
      }
    }
  }

  /// What was booked was done, and once; what was done is booked.
  private func compareBook() throws(Finding) {
    // A process that dies may take transactions along: what comes after them has other keys nevertheless.
    if let (key, names) = ledger.names.first(where: { $0.value.count > 1 }) {
      throw Finding(.otherBook, "\(names.sorted()) were booked under \(key)")
    }
    for (name, keys) in ledger.keys where keys.count > 1 {
      throw Finding(.otherBook, "\(name) was booked under \(keys.sorted())")
    }
    // Names of guests are in their hosts' sessions.
    var done: [Int: Set<Int>] = [:]
    for client in clients {
      // Who has ended shows nothing new; the session's owner does.
      guard let viewer = [client.host, client].compactMap(\.self).first(where: { !$0.hasEnded }) else { continue }
      done[client.number] = Set(viewer.view?.done ?? [])
    }
    for twin in twins where !twin.hasEnded { done[twin.number] = Set(twin.view?.done ?? []) }
    for name in ledger.keys.keys {
      guard done[name / 10_000]?.contains(name) ?? true else {
        throw Finding(.causelessEffect, "\(name) is booked, and not done")
      }
    }
    for name in done.values.joined() where actions[name]?.verb == "book" && !ledger.booked.contains(name) {
      throw Finding(.otherBook, "\(name) is done, and not booked")
    }
  }

  /// The store's file is one still.
  func checkStore() throws(Finding) {
    let tool = DiskProcess()
    do {
      let said = try tool.run {
        let database = try DatabaseQueue(path: "\(disk.directory)/\(SQLiteStore.fileName)")
        defer { try? database.close() }
        return try database.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
      }
      guard said == ["ok"] else { throw Finding(.damaged, "\(said)") }
    } catch let finding as Finding {
      throw finding
    } catch {
      throw Finding(.damaged, "\(error)")
    }
  }

  /// How the schedule ends: all processes come to an end, and another one has to know all.
  func finish() throws(Finding) {
    switch plan.setting.end {
    case .stop: for process in processes { stop(process, andStart: false) }
    case .kill: for process in processes { kill(process) }
    // What the database has committed survives that.
    case .cutPower where cluster != nil: for process in processes { kill(process) }
    case .cutPower: cutPower()
    case .comeBackInTime: return try comeBack(after: plan.setting.timeToLiveSeconds / 2, isGone: false)
    case .stayAway: return try comeBack(after: plan.setting.timeToLiveSeconds + 120, isGone: true)
    }
    // A long outage makes clients wait for long before they try again, and what nodes do meanwhile costs time: in a cluster most are short.
    let isShort = cluster != nil && !network.oneIn(4)
    try go(until: scheduler.now + (isShort ? network.milliseconds(bits: 12) : 30_000_000_000))
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
