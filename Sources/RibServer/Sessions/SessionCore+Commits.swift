import Logging
import RibCore
import Wire

extension SessionCore {
  /// Takes note that something is to be committed.
  func noteChange() {
    if life.touch(at: work.now) { driver?.carryOut(.callOffRest) }
    noteCommit()
  }

  /// The same of something that is no sign of life, and keeps the session from no rest.
  func noteCommit() {
    guard isDurable, commits.note() else { return }
    if driver?.isStoreFailing == true { return storeFailed() }
    driver?.carryOut(.commit)
  }

  /// Has something done about effects, once what asks for it is committed.
  func carryOut(_ commands: [EffectCommand]) {
    guard !commands.isEmpty else { return }
    spans?.note(commands)
    if commits.isPending {
      uncommitted.commands += commands
    } else {
      carryOutNow(commands)
    }
  }

  /// Calls back once everything so far is committed, or goes on in memory because the store fails.
  ///
  /// - Parameter body: called with false if another process has the session, and what was not committed has not happened.
  func whenCommitted(_ body: @escaping (_ isCommitted: Bool) -> Void) {
    if commits.isPending { uncommitted.waiters.append(body) } else { body(true) }
  }

  // MARK: Cuts

  /// What the store is to do, at the end of a batch of events.
  ///
  /// - Returns: nil if there is nothing to do any more.
  func takeCut() -> StoreRequest? {
    guard life.isInMemory, commits.begin() else { return nil }
    let request: StoreRequest
    do throws(CaptureError) {
      let cut = try makeCut()
      if let lease {
        request = .write(lease, cut)
      } else {
        request = .create(identity, within: work.rules.settings.limits, cut)
      }
    } catch {
      cutFailed(error)
      return nil
    }
    uncommitted.request = request
    uncommitted.transactionCount = tree.transactionCount
    uncommitted.cutTime = work.now
    uncommitted.beginCut()
    spans?.beginCommit()
    audience.forEachChannel { $0.noteCut() }
    for channel in uncommitted.left { channel.noteCut() }
    return request
  }

  private func cutFailed(_ error: CaptureError) {
    // Without a store that outlives the process nothing needs the cut but the session's rest.
    guard isDurable else {
      log(.error, "A session cannot leave memory.", ["reason": "\(error)"])
      callOffRest()
      _ = commits.didSucceed()
      let (commands, waiters) = uncommitted.endCut(all: true)
      release(all: true)
      for waiter in waiters { waiter(true) }
      return carryOutNow(commands)
    }
    // Each state was encoded in its transaction.
    commits.didFail()
    log(.critical, "The session cannot be saved any more.", ["reason": "\(error)"])
    for client in audience.ids { dismiss(client, .failed, "The session cannot be saved: \(error)") }
    end(because: .failed)
  }

  /// What has changed since the last cut that was written.
  private func makeCut() throws(CaptureError) -> SessionCut {
    // A session that leaves memory is held by no process, unless clients that are connected here sleep.
    let isLeaving = life.isResting || life.isStopping
    let rest = isLeaving ? try makeRest() : nil
    version += 1
    var cut = SessionCut(
      version: version,
      state: SessionState(
        revision: revision, clients: audience.records, invitations: audience.invitations, hasActed: hasActed,
        isHeld: !isLeaving || !audience.isAway,
        alone: .seconds(life.secondsAlone(at: work.now)), rest: rest),
      tree: isDurable ? tree.takeCut() : TreeCut(try tree.snapshot()),
      nacks: isDurable ? uncommitted.nacks : audience.nacks, acknowledged: audience.takeAcknowledged(),
      survived: effects.takeSurvived(isLeaving: isLeaving) { client in
        audience.has(client) ? audience[client].ledger.number : nil
      })
    let extent = isLeaving ? nil : CutExtent(audience: audience.changeCount, hasActed: hasActed)
    stats.commitBytes &+= UInt64(cut.tree.byteCount)
    cut.isProgress = extent != nil && extent == lastExtent
    lastExtent = extent
    // The last client that has acted since the last cut is charged for the bytes of this one. If none has, as when others have
    // published, nobody is charged.
    let records = cut.isProgress ? 0 : audience.count * ClientRecord.usualSize
    audience.noteAnswer(bytes: cut.tree.byteCount + records, of: lastActor)
    lastActor = 0
    uncommitted.nacks = []
    if var earlier = uncommitted.request?.cut {
      earlier.append(cut)
      cut = earlier
    }
    return cut
  }

  /// Takes the store's answer to a cut.
  ///
  /// - Parameter result: what has become of it.
  func didCommit(_ result: Result<StoreResult, StoreError>) {
    if let spans {
      if case .success(.written) = result {
        spans.endCommit(isWritten: true)
      } else {
        spans.endCommit(isWritten: false)
      }
    }
    switch result {
    case .success(.written(let lease)):
      self.lease = lease
      didWrite()
    case .failure: storeFailed()
    // The session has ended meanwhile: what the store says of the removal counts.
    case .success(.refused) where isRemoved, .success(.overQuota) where isRemoved: break
    case .success(.refused(let error)): cannotBeWritten(error)
    case .success(.overQuota): turnAway()
    case .success: lost()
    }
  }

  private func didWrite() {
    guard !life.hasEnded else { return removeFromStore() }
    if uncommitted.request != nil {
      savedTransactionCount = uncommitted.transactionCount
      lastConfirmed = uncommitted.cutTime
    }
    if owesNotice { tellDurability(storeDurability) }
    // What was said while it caught up is in the next commit: should that fail, the client was not told otherwise.
    owesNotice = commits.isFailing
    let isBehind = commits.didSucceed()
    if !isBehind { audience.didCommit() }
    let (commands, waiters) = uncommitted.endCut(all: !isBehind)
    if isBehind { driver?.carryOut(.commit) }
    release(all: !isBehind)
    for waiter in waiters { waiter(true) }
    // What they cause is for the next commit.
    carryOutNow(commands)
    if !isBehind { leaveIfAsked() }
  }

  /// Lets out what has waited for the commit.
  private func release(all: Bool) {
    let (count, since) = uncommitted.answers.endCut()
    if count > 0 { work.stats.answerTimes.add(work.now - since, times: count) }
    audience.forEachChannel { $0.release(all: all) }
    let left = uncommitted.left
    uncommitted.left = []
    for channel in left {
      channel.release(all: all)
      if channel.output.isHolding { uncommitted.left.append(channel) }
    }
  }

  // MARK: A store that fails

  /// Goes on in memory, and says so; or waits for the store.
  func storeFailed() {
    let isNew = !commits.isFailing
    commits.didFail()
    guard commits.outage == .goesOn else { return waitForStore() }
    owesNotice = false
    guard isNew else { return leaveIfAsked() }
    tellDurability(.none)
    for channel in uncommitted.left { channel.insertNotice() }
    // Its welcome says that the session survives: the client is told why it was ended, if it was, and nothing else.
    for channel in uncommitted.left where channel.greeting != nil { channel.takeBackGreeting() }
    for client in audience.ids { greetAgain(client) }
    tellClients()
    if audience.isAway, life.aloneSince == nil {
      life.aloneSince = work.now
      checkTime()
    }
    let request = uncommitted.request
    let (commands, waiters) = uncommitted.endCut(all: true)
    // What the store could not write is a part of the next cut.
    uncommitted.request = request
    release(all: true)
    if life.hasEnded {
      // These wait for the outcome of the removal: for the store's answer, or for ``leaveIfAsked()`` below.
      uncommitted.waiters += waiters
    } else {
      for waiter in waiters { waiter(true) }
    }
    carryOutNow(commands)
    leaveIfAsked()
  }

  /// Lets nothing out before the store is back: until then another process may have the session.
  ///
  /// What was to be written, and may have been, is a part of the next cut.
  private func waitForStore() {
    if life.hasEnded {
      // It is not known whether the session is there; nobody has been told of it.
      if lease == nil { didEnd(isTrue: false) }
    } else if life.isStopping {
      abandon(.shutdown, "The server is going down.")
    } else {
      callOffRest()
      look(after: 5)
      audience.forEachChannel { $0.storeIsAway() }
    }
  }

  /// Tells a client whose `welcome` has waited what it survives now: nothing may come before it, and what it says of actions
  /// that are not committed may be lost.
  private func greetAgain(_ client: Int) {
    guard let channel = audience[client].channel, let greeting = channel.greeting else { return }
    channel.discardHeld()
    guard !audience[client].mayHaveBeenElsewhere else {
      return dismiss(client, Self.elsewhere.bye, Self.elsewhere.message)
    }
    sendWelcome(to: client, greeting.token, isResumed: greeting.isResumed)
    sendSnapshot(to: client, .snapshotsForResumes)
    channel.forgetClients()
  }

  /// Commits what has happened since the store failed.
  func storeIsBack() {
    if commits.storeIsBack() { driver?.carryOut(.commit) }
  }

  /// The store has lost what was committed.
  ///
  /// A session with nothing to commit tells its clients now. Another one learns it from its next commit.
  func storeIsLost() {
    if commits.isClean, commits.outage == .goesOn { storeFailed() }
  }

  /// Tells the clients what they are told survives from here on, before whatever waits for a commit.
  private func tellDurability(_ durability: Welcome.Durability) {
    work.json.removeAll()
    work.json.notice(durability)
    audience.forEachChannel { $0.insertNotice() }
  }

  /// The session alone cannot be written: it goes no further, as it would be lost.
  private func cannotBeWritten(_ error: StoreError) {
    log(.critical, "The session cannot be written.", ["reason": "\(error)"])
    if let lease { driver?.carryOut(.noteAbsence(lease)) }
    abandon(.failed, "The session cannot be saved.")
  }

  /// The store has refused to create the session, as its place or its person has too many: it has never existed.
  private func turnAway() {
    isOverQuota = true
    log(.notice, "A session was not begun: its address or its person has as many as are allowed.")
    abandon(Self.quota.bye, Self.quota.message)
  }

  static let quota = Ending(
    .quota,
    "This address, or this person, has as many sessions as are allowed. End some, or come back later.",
    retryAfter: 60)

  /// The store has said that another process has the session, without being asked to write anything.
  func leaseIsVoid() {
    if life.isInMemory { lost() }
  }

  /// Another process has the session: nothing more is said here.
  private func lost() {
    log(.notice, "The session goes on elsewhere.")
    work.stats.note(.moved)
    abandon(.moved, "The session goes on elsewhere: connect again.")
  }

  /// Leaves memory without another word to the store: what was not committed has not happened.
  private func abandon(_ bye: Bye, _ message: String) {
    for channel in uncommitted.left {
      channel.discardHeld()
      channel.flushLater()
    }
    for client in audience.ids {
      guard let channel = audience[client].channel else { continue }
      channel.discardHeld()
      dismiss(client, bye, message)
    }
    forgetUncommitted()
    leaveMemory()
  }

  /// Tells those who wait for a commit that there is none.
  func forgetUncommitted() {
    let waiters = uncommitted.cutWaiters + uncommitted.waiters
    uncommitted = Uncommitted()
    for waiter in waiters { waiter(false) }
  }
}

extension StoreRequest {
  /// Creates a session, if its place and its person may have one more.
  fileprivate static func create(
    _ identity: SessionIdentity, within limits: ServerSettings.Limits, _ cut: SessionCut
  ) -> StoreRequest {
    var cut = cut
    cut.quota = SessionCut.Quota(perPlace: limits.sessionsPerAddress, perPerson: limits.sessionsPerIdentity)
    return .create(identity, cut)
  }
}
