import Logging
import Metrics
import RibCore
import Wire

extension Session {
  /// How a session leaves.
  enum Departure {
    /// It ends: the store forgets it.
    case ending
    /// It rests: it leaves memory once the store has it, unless something happens before.
    case resting
    /// It leaves memory once the store has it, whatever happens: the server stops.
    case stopping
  }

  /// Ends a client's part in the session, and the session if nobody else has one.
  ///
  /// - Parameter index: which client.
  func clientSaidBye(_ index: Int) {
    renderers[index].ledger.retire()
    let isLast = renderers.allSatisfy(\.ledger.isRetired)
    noteChange()
    if isLast { departure = .ending }
    if let connection = renderers[index].connection {
      // Who said goodbye hears it when that is committed.
      if commits.isPending { connection.output.hold() }
      connection.say(.ended, "Goodbye.")
      // It may have been said elsewhere.
      if connection.isEventStream { connection.flush() }
    }
    if isLast { end() }
  }

  /// Ends the session: nothing that is still on its way arrives.
  func end() {
    guard place != 0 else { return }
    departure = .ending
    let isUnderWay = commits.isUnderWay
    for renderer in renderers {
      guard let connection = renderer.connection else { continue }
      connection.say(.gone, "The session has ended.")
      connection.flush()
    }
    log(.debug, "A session has ended.")
    // Before anyone can look for it there. What is under way may be what creates it.
    if lease != nil || !isUnderWay { removeFromStore() }
    leaveMemory()
  }

  /// Has the store forget the session; what was held is said then.
  func removeFromStore() {
    guard let lease else { return releaseLeft() }
    loop.store?.submit([
      StoreJob(.remove(sessionID: id, lease), on: loop) { [self] _ in assumeIsolated { $0.releaseLeft() } }
    ])
  }

  private func releaseLeft() {
    let waiting = uncommitted
    uncommitted = Uncommitted()
    for connection in waiting.left { connection.release(all: true) }
    for waiter in waiting.cutWaiters + waiting.waiters { waiter(true) }
  }

  /// Leaves memory: from here on nothing happens in the session.
  func leaveMemory() {
    guard place != 0 else { return }
    loop.remove(session: place)
    place = 0
    // It does not rest any more, however it leaves.
    if departure == .resting { departure = nil }
    context.sessions.remove(self)
    for index in renderers.indices { renderers[index].connection = nil }
    _ = tree.stop()
    for effect in effects.values { effect.task.cancel() }
    effects = [:]
    walkTask?.cancel()
    resumeWalks()
  }

  // MARK: Rest

  /// Whether nothing would be lost if the session left memory.
  var canRest: Bool {
    commits.isClean && departure == nil && walkTask == nil && waitingSteps.isEmpty && !tree.hasVolatileEffects
      && renderers.allSatisfy { $0.connection?.isIdle ?? true }
  }

  /// Leaves memory once the store has the session, unless something happens before.
  func rest() {
    guard place != 0, canRest, loop.store != nil, loop.mayRest(place), commits.note() else { return }
    departure = .resting
    loop.willCommit(self)
  }

  /// Leaves memory once the store has the session: the server stops.
  func stop() {
    guard place != 0, isDurable, departure != .ending else { return }
    departure = .stopping
    if loop.isStoreFailing { return leaveMemory() }
    if commits.storeIsBack() || commits.note() { loop.willCommit(self) }
  }

  /// A session that is in memory and goes on is not in memory's store, and not left to who finds it in another.
  private func stay() {
    if isDurable { return noteChange() }
    guard let lease else { return }
    loop.store?.submit([StoreJob(.remove(sessionID: id, lease), on: loop)])
    self.lease = nil
  }

  /// Goes if that was asked for, once everything is committed.
  func leaveIfAsked() {
    switch departure {
    case .ending?: removeFromStore()
    case .stopping?: leaveMemory()
    case .resting?:
      departure = nil
      guard !commits.isFailing, canRest, let lease else { return stay() }
      log(.debug, "A session has left memory.")
      context.metrics.restedSessions.increment()
      for index in renderers.indices {
        renderers[index].connection?.fallAsleep(
          Sleeper(
            sessionID: id, renderer: index, attempt: renderers[index].ledger.record.attempt, epoch: epoch,
            revision: revision, lease: lease)
        )
      }
      leaveMemory()
    case nil: if !isDurable { stay() }
    }
  }

  /// What a session that leaves memory needs, so that its clients do not notice.
  func makeRest() throws(RecordingError) -> SessionState.Rest? {
    switch departure {
    case .resting?, .stopping?: SessionState.Rest(epoch: epoch, viewHash: try viewHash())
    case .ending?, nil: nil
    }
  }

  private func viewHash() throws(RecordingError) -> String {
    loop.json.removeAll()
    try tree.writeView(into: &loop.json, rendering: loop.renderer)
    return SessionToken.hash(loop.json.bytes)
  }

  // MARK: Restoration

  /// Goes on where the session was when it was committed last.
  ///
  /// - Parameter stored: from the store.
  /// - Returns: why it cannot, and in a sentence; nil if it can.
  func restore(_ stored: StoredSession) -> (Bye, String)? {
    do throws(RestoreError) {
      let (commands, report) = try tree.restore(stored.tree, rendering: loop.renderer)
      place = loop.add(self)
      for failure in report.lost { log(.warning, "A riblet was not restored.", ["reason": "\(failure)"]) }
      if let rest = stored.state.rest, (try? viewHash()) == rest.viewHash { epoch = rest.epoch }
      noteChange()
      if !isDurable { stay() }
      carryOut(commands)
    } catch {
      log(.error, "A session cannot be restored.", ["reason": "\(error)"])
      if case .newerSnapshot = error { return (.unavailable, "The session is from a newer server.") }
      return (.failed, "The session cannot be restored: \(error)")
    }
    aloneSince = loop.now
    log(.debug, "A session is back in memory.")
    context.metrics.wokenSessions.increment()
    // Whoever has asked for it is still on the way: also a session that may not wait waits for them.
    look(after: 1)
    return nil
  }

  // MARK: Time

  /// Ends the session if it has been without a client for too long, or lets it rest if nothing happens in it.
  func checkTime() {
    guard place != 0 else { return }
    // It leaves, if nothing comes between.
    guard departure == nil else { return look(after: 5) }
    let settings = context.settings.sessions
    let next: Int
    if let aloneSince {
      let limit = hasActed ? settings.timeToLiveSeconds : min(settings.untouchedSeconds, settings.timeToLiveSeconds)
      let elapsed = Int((loop.now - aloneSince) / 1_000_000_000)
      guard elapsed < limit else { return end() }
      history.forget(before: loop.now)
      if elapsed >= settings.restSeconds {
        rest()
        // Something is under way: an effect, a commit.
        if departure == nil { return look(after: min(limit - elapsed, 5)) }
      }
      next = (elapsed < settings.restSeconds ? min(limit, settings.restSeconds) : limit) - elapsed
    } else {
      let idle = Int((loop.now - min(loop.now, lastChange)) / 1_000_000_000)
      if idle >= settings.idleRestSeconds { rest() }
      next = max(settings.idleRestSeconds - idle, 1)
    }
    look(after: next)
  }

  /// Has ``checkTime()`` called after so many seconds or sooner.
  func look(after next: Int) {
    // One look at a time, however often clients come and go; and soon, as the loop forgets none of them before.
    let seconds = min(next, 60)
    let time = loop.now + UInt64(seconds) * 1_000_000_000
    guard time < nextLook else { return }
    nextLook = time
    loop.schedule(place, after: seconds)
  }

  /// The time of a look has come.
  func timeHasCome() {
    // One that was set before an earlier one was.
    guard loop.now >= nextLook || nextLook - loop.now < 1_000_000_000 else { return }
    nextLook = .max
    checkTime()
  }
}
