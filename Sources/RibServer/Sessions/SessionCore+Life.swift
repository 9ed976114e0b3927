import Logging
import Metrics
import RibCore
import Synchronization
import Wire

extension SessionCore {
  /// Ends a client's part in the session, and the session if no other client may act in it.
  ///
  /// - Parameter client: which client.
  func clientSaidBye(_ client: Int) {
    audience.retire(client)
    noteChange()
    if let channel = audience[client].channel {
      // The client hears "Goodbye" when its own is committed.
      if commits.isPending { channel.output.hold() }
      dismiss(client, .ended, "Goodbye.")
    }
    if audience.isRetired {
      end(.ended, because: .goodbye)
    } else if life.isInMemory, audience.isAway {
      life.aloneSince = work.now
      checkTime()
    } else if life.isInMemory {
      tellClients()
    }
  }

  /// Ends the session for all of its clients, as the program wants it: none of them comes back.
  ///
  /// - Parameter body: called with true once the session has ended, when ``isLeftInStore`` says whether the store still has it; or with
  ///   false if it is not known whether it has ended, or another process has it.
  func dismissAll(_ body: @escaping (_ isKnown: Bool) -> Void) {
    // The clients' `bye` waits for the store.
    noteCommit()
    uncommitted.waiters.append(body)
    end(.revoked, because: .dismissed)
  }

  /// Ends the session: messages and effects that are still on their way to it change nothing.
  ///
  /// - Parameters:
  ///   - bye: what clients are told that are there.
  ///   - reason: what the app is told.
  func end(_ bye: Bye = .gone, because reason: EndedSession.Reason) {
    guard life.isInMemory else { return }
    let isUnderWay = commits.isUnderWay
    if life.end(reason) { driver?.carryOut(.callOffRest) }
    count(reason.count)
    for client in audience.ids { dismiss(client, bye, "The session has ended.") }
    log(.debug, "A session has ended.")
    // Before a client can look for it in the store. The commit under way may be the one that creates it there.
    if lease != nil || !isUnderWay { removeFromStore() }
    letGo()
  }

  /// Has the store forget the session; held messages are sent when it has.
  func removeFromStore() {
    guard !isRemoved, let reason = life.endReason else { return }
    guard let lease else {
      // Of a store that waits it is not known whether it has what was to create the session.
      let isTrue = commits.outage == .goesOn || uncommitted.request == nil
      if isTrue { driver?.carryOut(.reportEnd(reason)) }
      isRemoved = isTrue
      return didEnd(isTrue: isTrue)
    }
    isRemoved = true
    driver?.carryOut(.remove(lease, reason))
  }

  /// Takes the store's answer to the session's end.
  ///
  /// A store that fails is told again once it works.
  ///
  /// - Parameter result: what has become of it.
  func didRemove(_ result: Result<StoreResult, StoreError>) {
    switch result {
    case .failure, .success(.refused): isLeftInStore = true
    case .success: break
    }
    if case .success(.removed(0)) = result {
      // Another process has the session: it has not ended, whatever was done here.
      log(.notice, "The session that was to end goes on elsewhere.")
      didEnd(isTrue: false)
    } else if case .failure = result, commits.outage == .waits {
      // The store is told again; until then the session is there.
      didEnd(isTrue: false)
    } else {
      didEnd(isTrue: true)
    }
  }

  /// Tells clients of the session's end.
  ///
  /// - Parameter isTrue: whether it has ended for all that is known; otherwise nothing that waits is told.
  func didEnd(isTrue: Bool) {
    let waiting = uncommitted
    uncommitted = Uncommitted()
    for channel in waiting.left {
      if !isTrue { channel.discardHeld() }
      channel.release(all: true)
    }
    for waiter in waiting.cutWaiters + waiting.waiters { waiter(isTrue) }
  }

  /// Leaves memory: from here on nothing happens in the session.
  func leaveMemory() {
    guard life.isInMemory else { return }
    if life.leave() { driver?.carryOut(.callOffRest) }
    letGo()
  }

  /// Lets go of the session's clients, tree and effects.
  private func letGo() {
    driver?.carryOut(.leaveMemory)
    for client in audience.ids { audience.detach(client)?.leave() }
    _ = tree.stop()
    effects.cancelAll()
    spans?.endCommit(isWritten: false)
  }

  // MARK: Rest

  /// Whether nothing would be lost if the session left memory.
  var canRest: Bool {
    guard commits.isClean, life.isAwake, !isWalking else { return false }
    if audience.isAway { return !tree.hasVolatileEffects }
    // A client that is connected is to be told what happens: each thing that its riblets observe has to have a bell.
    guard case .may = tree.restWithClients else { return false }
    var isIdle = true
    audience.forEachChannel { if !$0.isIdle { isIdle = false } }
    return isIdle
  }

  /// What the session goes on with, so that clients do not notice that it was away.
  ///
  /// - Throws: `CaptureError` if the view cannot be encoded.
  func makeRest() throws(CaptureError) -> SessionState.Rest {
    // Otherwise something begins when it comes back, also if no client says a word.
    let sleepsOn = tree.effectCount == 0 && effects.crashes.isEmpty
    let program = sleepsOn ? context.program : nil
    return SessionState.Rest(epoch: epoch, viewHash: try viewHash(), program: program)
  }

  /// Leaves memory once the store has the session, unless something happens before.
  ///
  /// - Parameter isAwaited: whether a client waits for the session elsewhere.
  func rest(isAwaited: Bool = false) {
    guard canRest, driver?.reserveRest(isAwaited: isAwaited) == true, commits.note() else { return }
    life.beginRest()
    driver?.carryOut(.commit)
  }

  func callOffRest() {
    if life.callOffRest() { driver?.carryOut(.callOffRest) }
  }

  /// Leaves memory once the store has the session: the server stops.
  func stop() {
    guard life.isInMemory, isDurable else { return }
    hasToldMore = commits.isFailing || owesNotice
    if life.beginStop() { driver?.carryOut(.callOffRest) }
    // What effects still send would put the end off for ever, and no client has been told of it.
    driver?.carryOut(.cancelAll)
    // A store that fails is given another chance: there may be room by now.
    if commits.storeIsBack() || commits.note() { driver?.carryOut(.commit) }
  }

  /// Counts the session among those of which something is lost with the process, if that is so.
  ///
  /// Lost is what was let out and the store does not have, but for clients that have come or gone. It can only be of a session that
  /// went on in memory when the server began to stop: what a client was not told of has not happened, and the client says it again.
  private func noteLoss() {
    guard hasToldMore, tree.transactionCount > savedTransactionCount else { return }
    context.lostSessionCount.add(1, ordering: .relaxed)
  }

  /// Leaves memory though the store has not written what it was asked to: it does not answer, and the server stops.
  func giveUpStore() {
    guard life.isInMemory else { return }
    noteLoss()
    forgetUncommitted()
    leaveMemory()
  }

  /// A session without a durable store is either in memory or in the store: a copy there would be old with the next event.
  private func stay() {
    // The store has it as a session that no process holds.
    if isDurable { return noteCommit() }
    guard let lease else { return }
    self.lease = nil
    driver?.carryOut(.forget(lease))
  }

  /// Leaves memory, now that everything is committed, if the session rests, stops or has ended.
  func leaveIfAsked() {
    if life.hasEnded { return removeFromStore() }
    if life.isStopping {
      noteLoss()
      return leaveMemory()
    }
    guard life.isResting else {
      if !isDurable { stay() }
      return
    }
    callOffRest()
    guard !commits.isFailing, canRest, let lease else {
      look(after: 5)
      return stay()
    }
    log(.debug, "A session has left memory.")
    context.metrics.restedSessions.increment()
    let channels = audience.ids.compactMap { client in audience.detach(client).map { (client, $0) } }
    let bells = if case .may(let bells) = tree.restWithClients { bells } else { [Bell]() }
    // Before the channels fall asleep: none sleeps whose session is in memory.
    leaveMemory()
    for (client, channel) in channels {
      let attempt = audience[client].ledger.record.attempt
      channel.fallAsleep(
        Sleeper(sessionID: id, client: client, attempt: attempt, epoch: epoch, revision: revision, lease: lease))
    }
    if !channels.isEmpty, !bells.isEmpty { driver?.carryOut(.listen(bells)) }
  }

  /// Leaves for another node, as this one is about to stop: clients that are connected are told to connect again.
  ///
  /// - Returns: false if only the end of this process ends it here.
  func handOver() -> Bool {
    guard life.isInMemory, isDurable else { return false }
    work.stats.note(.moved)
    for client in audience.ids { dismiss(client, .moved, "The session goes on at another node.") }
    stop()
    return true
  }

  /// Makes way for a client that has come to another node: its connection here ends.
  ///
  /// - Parameter claim: what the client has shown there.
  /// - Returns: whether nothing but the commit of that keeps the session from its rest.
  func makeWay(for claim: SessionClaim) -> Bool {
    // It is leaving already.
    if life.isStopping || life.isResting && audience.isAway { return true }
    guard isDurable, life.isAwake, !isWalking, !tree.hasVolatileEffects else { return false }
    let connected = audience.ids.filter { audience[$0].channel != nil }
    guard connected.allSatisfy({ claim.isNewer(than: audience[$0].ledger.record) }) else { return false }
    guard !connected.isEmpty else { return true }
    work.stats.note(.moved)
    // Not that it has been overtaken, which is final: whether its newer connection is let in is for the other node to say.
    for client in connected { dismiss(client, .moved, "The client has connected again.") }
    life.aloneSince = work.now
    noteChange()
    return true
  }

  /// Has the session go where its clients are, if all of them are passed on by one other node: they are told to connect again, once.
  ///
  /// - Returns: in how many seconds that is to be looked at next.
  private func followClients() -> Int {
    guard isDurable, !hasFollowed, let cluster = context.cluster else { return .max }
    // Of a client that has come itself it is 0.
    var nodes: Set<Int> = []
    audience.forEachChannel { nodes.insert($0.port?.relayingNode ?? 0) }
    guard nodes.count == 1, !nodes.contains(0) else { return .max }
    let isQuiet = life.secondsIdle(at: work.now) > 0 && commits.isClean && !isWalking && !tree.hasVolatileEffects
    guard isQuiet, !cluster.hasJustCome(id), !context.isSuspended(at: work.now) else { return 1 }
    hasFollowed = true
    work.stats.note(.moved)
    for client in audience.ids { dismiss(client, .moved, "The session goes on where its clients are.") }
    life.aloneSince = work.now
    noteChange()
    return .max
  }

  // MARK: Restoration

  /// Goes on where the session was when it was committed last.
  ///
  /// - Parameter stored: from the store.
  /// - Returns: why it cannot; nil if it can.
  func restore(_ stored: StoredSession) -> Ending? {
    do throws(RestoreError) {
      let (commands, report) = try tree.restore(stored.tree, rendering: work.viewRenderer)
      if let ending = refuse(report) { return ending }
      life.begin()
      savedTransactionCount = tree.transactionCount
      driver?.carryOut(.enterMemory(isNew: false))
      for failure in report.lost { log(.warning, "A riblet was not restored.", ["reason": "\(failure)"]) }
      if let rest = stored.state.rest { compareView(with: rest) }
      if isDurable { noteChange() } else { stay() }
      carryOut(commands)
    } catch {
      log(.error, "A session cannot be restored.", ["reason": "\(error)"])
      if case .newerSnapshot = error {
        return Ending(.unavailable, "The session is from a newer server.", needsAnotherProgram: true)
      }
      return Ending(.failed, "The session cannot be restored: \(error)")
    }
    life.aloneSince = work.now
    log(.debug, "A session is back in memory.")
    context.metrics.wokenSessions.increment()
    isGathering = audience.count > 1
    // The client that has asked for the session is still on its way here: it has a second, whatever the settings say.
    look(after: 1)
    return nil
  }

  /// Goes on in the epoch in which the session left memory, if it shows the same as then.
  private func compareView(with rest: SessionState.Rest) {
    guard (try? viewHash()) != rest.viewHash else { return epoch = rest.epoch }
    log(
      .debug, "The session shows something else than before it rested: its clients are sent the whole view.",
      ["bytes": "\(work.json.count)"])
  }

  /// A session with a state that cannot be read stays in the store as it is, for a version of the app that can read it:
  /// unless the app has chosen to build such riblets anew.
  private func refuse(_ report: RestoreReport) -> Ending? {
    let unreadable = report.lost.filter(\.isUnreadable)
    guard !unreadable.isEmpty else { return nil }
    context.metrics.unreadableSessions.increment()
    for failure in unreadable { log(.error, "A riblet's state cannot be read.", ["reason": "\(failure)"]) }
    guard onUnreadableState == .keep else { return nil }
    return Ending(
      .unavailable, "What is kept of the session cannot be read by this version of the app. Come back later.",
      needsAnotherProgram: true)
  }

  // MARK: Time

  /// Ends the session if it has been without a client for too long, or lets it rest if nothing happens in it.
  func checkTime() {
    guard life.isInMemory else { return }
    // A session that rests or stops is about to leave.
    guard life.isAwake else { return look(after: 5) }
    let settings = work.rules.settings.sessions
    let next: Int
    if life.aloneSince != nil {
      let limit = lifetime
      let elapsed = life.secondsAlone(at: work.now)
      guard elapsed < limit else { return end(because: .expired) }
      history.forget(before: work.now)
      if elapsed >= settings.restSeconds {
        rest()
        // An effect or a commit may keep the session from its rest, now or before it has left.
        return look(after: min(limit - elapsed, 5))
      }
      next = min(limit, settings.restSeconds) - elapsed
    } else {
      let idle = life.secondsIdle(at: work.now)
      if idle >= settings.idleRestSeconds {
        rest()
        // It cannot rest now, as a commit is under way, or an effect that reports to the client.
        if life.isAwake { return look(after: 5) }
      }
      let wait = followClients()
      guard life.aloneSince == nil else { return look(after: 1) }
      next = min(max(settings.idleRestSeconds - idle, 1), wait)
    }
    look(after: next)
  }

  /// How many seconds it waits for a client to come back.
  private var lifetime: Int {
    let settings = work.rules.settings.sessions
    return hasActed ? settings.timeToLiveSeconds : min(settings.untouchedSeconds, settings.timeToLiveSeconds)
  }

  /// Has ``checkTime()`` called after so many seconds or sooner.
  func look(after next: Int) {
    if let seconds = life.planLook(after: next, at: work.now) { driver?.carryOut(.look(after: seconds)) }
  }

  /// The time that ``look(after:)`` has planned has come.
  func timeHasCome() {
    let call = life.didCall(at: work.now)
    if call != .obsolete, isGathering {
      isGathering = false
      tellClients()
    }
    switch call {
    case .obsolete: break
    case .look: checkTime()
    case .lateLook: look(after: min(lifetime, Life.longestWait))
    }
  }
}
