import Logging
import RibCore
import Wire

/// What of a session happened since the last cut, and waits.
struct Uncommitted {
  /// Refusals that are new.
  var nacks: [SessionCut.Refusal] = []
  /// What effects are to do.
  var commands: [EffectCommand] = []
  /// Connections that have left and are still owed something.
  var left: [Connection] = []
  /// What is being committed: in a store's hands, or what it could not write.
  var cut: SessionCut?
  /// What effects are to do when the cut is written.
  var cutCommands: [EffectCommand] = []
  /// Called when it is committed, with true, or when it is known that it never will be.
  var waiters: [(_ isCommitted: Bool) -> Void] = []
  /// Those whose commit is the cut.
  var cutWaiters: [(_ isCommitted: Bool) -> Void] = []
}

extension Session {
  /// Takes note that something is to be committed.
  func noteChange() {
    lastChange = loop.now
    if departure == .resting { departure = nil }
    guard isDurable, commits.note() else { return }
    if loop.isStoreFailing { return storeFailed() }
    loop.willCommit(self)
  }

  /// Has something done about effects, once what asks for it is committed.
  func carryOut(_ commands: [EffectCommand]) {
    guard !commands.isEmpty else { return }
    if commits.isPending {
      uncommitted.commands += commands
    } else {
      carryOutNow(commands)
    }
  }

  /// Calls back once everything so far is committed, or goes on in memory because the store fails.
  ///
  /// - Parameter body: called with false if someone else has the session, and what was not committed has not happened.
  func whenCommitted(_ body: @escaping (_ isCommitted: Bool) -> Void) {
    if commits.isPending { uncommitted.waiters.append(body) } else { body(true) }
  }

  /// What the store is to do, at the end of a batch of events.
  ///
  /// - Returns: nil if there is nothing to do any more.
  private func takeCut() -> StoreJob? {
    guard place != 0, commits.begin() else { return nil }
    let cut: SessionCut
    do throws(RecordingError) {
      cut = try makeCut(rest: try makeRest())
    } catch {
      // Without a store that outlives the process nobody needs it but who wants it to leave memory.
      guard isDurable else {
        log(.error, "A session cannot leave memory.", ["reason": "\(error)"])
        departure = nil
        _ = commits.didSucceed()
        return nil
      }
      // Each state was encoded in its transaction.
      commits.didFail()
      log(.critical, "The session cannot be saved any more.", ["reason": "\(error)"])
      for renderer in renderers { renderer.connection?.say(.failed, "The session cannot be saved: \(error)") }
      end()
      return nil
    }
    uncommitted.cutCommands += uncommitted.commands
    uncommitted.commands = []
    uncommitted.cutWaiters += uncommitted.waiters
    uncommitted.waiters = []
    for renderer in renderers { renderer.connection?.noteCut() }
    for connection in uncommitted.left { connection.noteCut() }
    return job(for: cut)
  }

  /// What has changed since the last cut that was written.
  private func makeCut(rest: SessionState.Rest?) throws(RecordingError) -> SessionCut {
    var acknowledged: [Int: Int] = [:]
    for index in renderers.indices {
      acknowledged[index + 1] = renderers[index].acknowledged
      renderers[index].acknowledged = nil
    }
    // A session that leaves memory is left to who finds it, but for clients that wait here.
    let isHeld = departure == nil || renderers.contains { $0.connection != nil }
    let alone = aloneSince.map { Int((loop.now - min(loop.now, $0)) / 1_000_000_000) } ?? 0
    version += 1
    var cut = SessionCut(
      version: version,
      state: SessionState(
        revision: revision, clients: renderers.map(\.ledger.record), invitations: invitations, hasActed: hasActed,
        isHeld: isHeld, alone: .seconds(alone), rest: rest),
      tree: isDurable ? try tree.takeCut() : TreeCut(try tree.snapshot()),
      nacks: isDurable ? uncommitted.nacks : allNacks, acknowledged: acknowledged, survived: takeSurvived())
    uncommitted.nacks = []
    if var earlier = uncommitted.cut {
      earlier.append(cut)
      cut = earlier
    }
    uncommitted.cut = cut
    return cut
  }

  private var allNacks: [SessionCut.Refusal] {
    renderers.flatMap { renderer in
      renderer.ledger.nacks.map { SessionCut.Refusal(client: renderer.ledger.id, nack: $0) }
    }
  }

  /// What once made the server die and has gone well now, or was refused.
  private func takeSurvived() -> [StoredSession.Crash] {
    guard !crashes.isEmpty else { return [] }
    let survived = crashes.filter { crash in
      guard crash.client > 0 else {
        // An effect may send more, as long as it runs.
        return crash.number == 0 || endedEffects.contains(crash.number) || departure != nil && effects.isEmpty
      }
      guard renderers.indices.contains(crash.client - 1) else { return true }
      return renderers[crash.client - 1].ledger.number >= crash.number
    }
    crashes.removeAll(where: survived.contains)
    return survived
  }

  private func job(for cut: SessionCut) -> StoreJob {
    StoreJob(lease.map { .write($0, cut) } ?? .create(identity, cut), committing: self)
  }

  private func didCommit(_ result: Result<StoreResult, StoreError>) {
    switch result {
    case .success(.written(let lease)):
      self.lease = lease
      didWrite()
    case .success(.refused(let error)): cannotBeWritten(error)
    case .failure: storeFailed()
    case .success: lost()
    }
  }

  // `assumeIsolated` would allocate a closure and search for the present executor, for each commit anew: what is isolated
  // to a parameter takes it like any other.

  /// ``takeCut()``, to be called on the loop.
  nonisolated func takeCutOnLoop() -> StoreJob? {
    assert(loop.isCurrent)
    let isolated = { (session: isolated Session) -> StoreJob? in session.takeCut() }
    return unsafeBitCast(isolated, to: ((Session) -> StoreJob?).self)(self)
  }

  /// Takes the store's answer; to be called on the loop.
  nonisolated func didCommitOnLoop(_ result: Result<StoreResult, StoreError>) {
    assert(loop.isCurrent)
    let isolated = { (session: isolated Session, result: Result<StoreResult, StoreError>) in session.didCommit(result) }
    unsafeBitCast(isolated, to: ((Session, Result<StoreResult, StoreError>) -> Void).self)(self, result)
  }

  private func didWrite() {
    guard departure != .ending else { return removeFromStore() }
    let wasFailing = commits.isFailing
    let isBehind = commits.didSucceed()
    var commands = uncommitted.cutCommands
    uncommitted.cut = nil
    uncommitted.cutCommands = []
    var waiters = uncommitted.cutWaiters
    uncommitted.cutWaiters = []
    if !isBehind {
      commands += uncommitted.commands
      uncommitted.commands = []
      waiters += uncommitted.waiters
      uncommitted.waiters = []
    }
    if isBehind { loop.willCommit(self) }
    if wasFailing { sendNotice() }
    release(all: !isBehind)
    for waiter in waiters { waiter(true) }
    // What they cause is for the next commit.
    carryOutNow(commands)
    if !isBehind { leaveIfAsked() }
  }

  /// Lets out what has waited for the commit.
  private func release(all: Bool) {
    for renderer in renderers { renderer.connection?.release(all: all) }
    let left = uncommitted.left
    uncommitted.left = []
    for connection in left {
      connection.release(all: all)
      if connection.output.isHolding { uncommitted.left.append(connection) }
    }
  }

  // MARK: A store that fails

  /// Goes on in memory, and says so.
  func storeFailed() {
    let isNew = !commits.isFailing
    commits.didFail()
    guard isNew else { return leaveIfAsked() }
    loop.json.removeAll()
    loop.json.notice(.none)
    for renderer in renderers where renderer.connection?.greeting == nil { renderer.connection?.insertMessage() }
    for connection in uncommitted.left where connection.greeting == nil { connection.insertMessage() }
    for index in renderers.indices { greetAgain(index) }
    let commands = uncommitted.cutCommands + uncommitted.commands
    uncommitted.cutCommands = []
    uncommitted.commands = []
    let waiters = uncommitted.cutWaiters + uncommitted.waiters
    uncommitted.cutWaiters = []
    uncommitted.waiters = []
    release(all: true)
    for waiter in waiters { waiter(true) }
    carryOutNow(commands)
    leaveIfAsked()
  }

  /// Tells a client whose `welcome` has waited what it survives now: nothing may come before it, and what it says of actions
  /// that are not committed may be lost.
  private func greetAgain(_ index: Int) {
    guard let connection = renderers[index].connection, let greeting = connection.greeting else { return }
    connection.discardHeld()
    sendWelcome(to: index, greeting.token, isResumed: greeting.isResumed)
    sendSnapshot(to: index)
  }

  /// Commits what has happened since the store failed.
  func storeIsBack() {
    if commits.storeIsBack() { loop.willCommit(self) }
  }

  private func sendNotice() {
    for renderer in renderers {
      guard let connection = renderer.connection else { continue }
      loop.json.removeAll()
      loop.json.notice(loop.durability)
      send(to: connection)
    }
  }

  /// The session alone cannot be written: it goes no further, as it would be lost.
  private func cannotBeWritten(_ error: StoreError) {
    log(.critical, "The session cannot be written.", ["reason": "\(error)"])
    if let lease { loop.noteAbsence(ofSession: id, lease) }
    leave { $0.say(.failed, "The session cannot be saved.") }
  }

  /// Someone else has the session: nothing more is said here.
  private func lost() {
    log(.notice, "The session goes on elsewhere.")
    leave { $0.say(.moved, "The session goes on elsewhere: connect again.") }
  }

  /// Leaves memory without another word to the store: what was not committed has not happened.
  private func leave(_ say: (Connection) -> Void) {
    let connections = renderers.compactMap(\.connection) + uncommitted.left
    for connection in connections {
      connection.discardHeld()
      // It would be shown what has not happened.
      connection.owesSnapshot = false
    }
    for renderer in renderers {
      guard let connection = renderer.connection else { continue }
      say(connection)
      connection.flush()
    }
    let waiters = uncommitted.cutWaiters + uncommitted.waiters
    uncommitted = Uncommitted()
    for waiter in waiters { waiter(false) }
    leaveMemory()
  }
}
