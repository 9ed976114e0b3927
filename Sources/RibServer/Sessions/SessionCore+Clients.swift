import Logging
import RibCore
import Wire

extension SessionCore {
  /// Starts the tree and shows it.
  ///
  /// - Parameters:
  ///   - channel: where; nil for a client without one.
  ///   - info: the program that draws the view.
  ///   - token: the client's.
  /// - Returns: why it cannot be shown, or nil.
  func start(_ channel: Channel?, _ info: ClientInfo, token: String) -> String? {
    do throws(Refusal) {
      let commands = try startTree()
      life.begin()
      driver?.carryOut(.enterMemory(isNew: true))
      count(.started)
      noteChange()
      carryOut(commands)
    } catch {
      log(.error, "A session could not be started.", ["reason": "\(error.message)"])
      return error.message
    }
    if let channel {
      attach(channel, to: 1)
    } else {
      life.aloneSince = work.now
      // The client has asked for the session and not got the answer yet.
      look(after: 1)
    }
    sendWelcome(to: 1, token, isResumed: false)
    log(
      .debug, "A session has started.",
      [
        "app": "\(identity.app)", "program": "\("\(info.name ?? "?") \(info.version ?? "")".forLog)",
        "locale": "\((info.locale ?? "?").forLog)",
      ].tracing(channel?.trace))
    sendSnapshot(to: 1, .snapshotsAtStart)
    if let walk {
      isWalking = true
      driver?.carryOut(.walk(walk))
    }
    return nil
  }

  private func startTree() throws(Refusal) -> [EffectCommand] {
    work.flight?.begin(.start, of: identity.app)
    defer { work.flight?.end() }
    return try tree.start(rendering: work.viewRenderer)
  }

  /// Lets a client in, if it may come.
  ///
  /// - Parameters:
  ///   - entrance: how it comes.
  ///   - channel: where.
  ///   - isConfirmed: whether a commit that was asked for has shown whose the session is.
  /// - Returns: whether it is in.
  func admit(_ entrance: Entrance, at channel: Channel, isConfirmed: Bool = false) -> Admission {
    let admission = judge(entrance, at: channel)
    if case .admitted = admission { tellClients() }
    // A client that is unknown here may have joined at the process that has the session by now.
    guard case .refused(let ending) = admission, ending.bye == .denied, mayBeElsewhere else { return admission }
    if commits.isFailing { return .refused(Self.elsewhere) }
    guard !isConfirmed else { return admission }
    noteCommit()
    return .isDoubtful
  }

  private func judge(_ entrance: Entrance, at channel: Channel) -> Admission {
    guard life.isInMemory else { return .left }
    applyRevocations()
    switch entrance {
    case .resumption(let resume): return resumed(resume, at: channel)
    case .invitation(let invitation, let info):
      if let ending = refusal(of: channel.signIn?.identity) { return .refused(ending) }
      // The invitation may have been used at another process.
      let isDoubtful = mayBeElsewhere
      if isDoubtful, isStoreFailing { return .refused(Self.elsewhere) }
      switch accept(invitation, info, channel.signIn?.identity) {
      case .failure(let ending): return .refused(ending)
      case .success(let (client, token)):
        if isDoubtful { audience.mayHaveBeenElsewhere(client) }
        attach(channel, to: client)
        sendWelcome(to: client, token, isResumed: false)
        sendSnapshot(to: client, .snapshotsAtStart)
      }
    case .wake(let sleeper): return wake(sleeper, at: channel)
    case .events(_, let token, let last, let attempt):
      guard let client = audience.client(with: token) else {
        return .refused(Ending(.denied, "The token is that of no client of this session."))
      }
      let wait = wait(of: client)
      if wait > 0 { return .isEarly(wait) }
      if let ending = takeRequest(of: client, showing: token, channel.signIn) { return .refused(ending) }
      // A client that does not count its attempts may have made any number of them elsewhere.
      let hasGap = attempt.map { audience.misses($0, of: client) } ?? true
      if let ending = attempt.flatMap({ audience.take($0, of: client) }) ?? doubt(client, hasGap) {
        return .refused(ending)
      }
      let known = Self.viewTag(last)
      goOn(channel, with: client, token, epoch: known?.epoch ?? "", revision: known?.revision ?? 0)
    }
    return .admitted
  }

  private func resumed(_ resume: ClientMessage.Resume, at channel: Channel) -> Admission {
    let client = resume.clientID
    if audience.isOpened(client, by: resume.token) {
      let wait = wait(of: client)
      if wait > 0 { return .isEarly(wait) }
    }
    let hasGap = audience.misses(resume.attempt, of: client)
    if let ending = refusal(of: channel.signIn?.identity), audience.isOpened(client, by: resume.token) {
      return .refused(ending)
    }
    switch audience.admit(resume, as: channel.signIn?.identity, access) {
    case .failure(let ending): return .refused(ending)
    case .success(let binding):
      if let ending = doubt(client, hasGap) { return .refused(ending) }
      let token = bind(client, binding, showing: resume.token) ?? resume.token
      goOn(channel, with: client, token, epoch: resume.epoch, revision: resume.revision)
      return .admitted
    }
  }

  /// Looks whether a client that comes may have been let in by another process since it was here before.
  ///
  /// While the store works the next commit says whether it was. While it fails, what the client would be shown may be older than
  /// what it knows: it comes back when the store works.
  ///
  /// - Parameters:
  ///   - client: the client's id.
  ///   - hasGap: whether not all of its attempts have come here.
  /// - Returns: why it is not let in; nil if that is not the reason.
  private func doubt(_ client: Int, _ hasGap: Bool) -> Ending? {
    guard mayBeElsewhere else { return nil }
    if hasGap { audience.mayHaveBeenElsewhere(client) }
    guard isStoreFailing, audience[client].mayHaveBeenElsewhere else { return nil }
    return Self.elsewhere
  }

  /// Whether the store fails; the session itself may not have heard of it yet.
  private var isStoreFailing: Bool { commits.isFailing || driver?.isStoreFailing == true }

  /// Whether another process may have the session by now: the store has it, and nothing was written since one could.
  var mayBeElsewhere: Bool { lease != nil && driver?.isStoreShared(since: lastConfirmed) == true }

  /// The end of a connection whose client may have been shown a newer session by another process, while the store fails.
  static let elsewhere = Ending(
    .unavailable, "The session store fails, and the session may have gone on in another process meanwhile.")

  /// The view that the id of an event names; nil if it is no id of ours, which is as good as none.
  private static func viewTag(_ id: String?) -> (epoch: String, revision: Int)? {
    let parts = (id ?? "").split(separator: ".")
    guard parts.count == 2, let revision = Int(parts[1]), 0...largestNumber ~= revision else { return nil }
    return (String(parts[0]), revision)
  }

  /// Gives a client another channel, and sends it what it has missed: as patches if all of them are kept, otherwise as a
  /// snapshot.
  private func goOn(_ channel: Channel, with client: Int, _ token: String, epoch: String, revision known: Int) {
    if let overtaken = detach(client) { overtaken.say(.taken, "The client has connected again.") }
    // Before anyone else may say that they come with this number, it is committed. A store that fails is no news to a client
    // that comes: its welcome says it.
    noteChange()
    attach(channel, to: client)
    sendWelcome(to: client, token, isResumed: true)
    log(.debug, "A session goes on.", ["client": "\(client)"].tracing(channel.trace))
    let hasAll = catchUp(channel, client, from: epoch, known)
    work.stats.note(hasAll ? .resumedWithPatches : .resumedWithSnapshot)
  }

  /// Sends a client what it has missed.
  ///
  /// - Returns: whether patches were enough.
  private func catchUp(_ channel: Channel, _ client: Int, from epoch: String, _ known: Int) -> Bool {
    let hasAll =
      haveSameUTF8(epoch, self.epoch)
      && history.replay(after: known, to: revision, at: work.now) { revision, operations in
        work.json.removeAll()
        work.json.patch(
          revision: revision, base: revision - 1, number: audience[client].ledger.number, operations: operations)
        channel.budget.noteAnswer(bytes: work.json.count)
        send(to: channel, viewRevision: revision)
      }
    if !hasAll { sendSnapshot(to: client, .snapshotsForResumes) }
    return hasAll
  }

  /// Goes on with a client that was connected all the time.
  private func wake(_ sleeper: Sleeper, at channel: Channel) -> Admission {
    guard audience.has(sleeper.client), audience[sleeper.client].channel == nil,
      audience[sleeper.client].ledger.record.attempt == sleeper.attempt
    else { return .refused(Ending(.taken, "The client has connected again.")) }
    // While the client slept it may have been retired: by a sign-out, or as a person has signed in to client 1.
    guard !audience[sleeper.client].ledger.isRetired else { return .refused(Binding.revoked) }
    switch judge(sleeper.client, channel.signIn?.identity) {
    case .failure(let ending): return .refused(ending)
    case .success(.renewed(let identity)): _ = audience.renew(sleeper.client, identity, showing: nil)
    case .success(.anonymous), .success(.signedIn): break
    }
    noteChange()
    attach(channel, to: sleeper.client)
    noteIdentity(of: sleeper.client)
    // Its welcome was said when the store may have worked.
    if commits.isFailing {
      work.json.removeAll()
      work.json.notice(.none)
      send(to: channel)
    }
    _ = catchUp(channel, sleeper.client, from: sleeper.epoch, sleeper.revision)
    return .admitted
  }

  // MARK: Several clients

  /// Makes a token with which another client can join, once.
  ///
  /// - Parameters:
  ///   - scope: what they may do.
  ///   - client: whose wish it is.
  /// - Returns: why it is not granted; nil if the token was sent.
  func share(_ scope: ShareScope, from client: Int) -> Ending? {
    guard let channel = audience[client].channel else { return nil }
    let inviter = audience[client].ledger.record.scope
    if scope == .act, inviter == .view {
      return Ending(.denied, "A client that may only look cannot let others act.")
    }
    let token = "\(id).\(work.environment.makeToken())"
    audience.invite(token, scope, by: inviter, at: work.environment.time.wall())
    noteChange()
    lastActor = client
    work.json.removeAll()
    work.json.share(token: token, expires: Invitation.lifetime * 1000)
    send(to: channel, isPlain: true)
    return nil
  }

  /// Makes a client by a token that was shared; the token is void then.
  ///
  /// - Parameters:
  ///   - invitation: the token.
  ///   - info: what the client says of itself.
  ///   - identity: the person behind it; nil for nobody.
  /// - Returns: the client and its own token, or why there is none.
  func accept(
    _ invitation: String, _ info: ClientInfo, _ identity: Identity?
  ) -> Result<(client: Int, token: String), Ending> {
    let token = work.environment.makeToken()
    let profile = ClientProfile(info, identity.map(makePerson))
    return audience.accept(invitation, as: token, profile, at: work.environment.time.wall()).map { client in
      noteChange()
      log(.debug, "A client has joined.", ["client": "\(client)"])
      return (client, token)
    }
  }

  // MARK: Channels

  private func attach(_ channel: Channel, to client: Int) {
    channel.enter(self, as: client)
    bringBudget(of: client, to: channel)
    audience.attach(channel, to: client)
    noteConnectedClients()
    life.aloneSince = nil
    if life.callOffRest() { driver?.carryOut(.callOffRest) }
    checkTime()
  }

  /// Tells clients that want to know it who is connected; of one who was always alone there is nothing to tell.
  ///
  /// A client that does not read is told once it has read what waits for it.
  func tellClients() {
    guard audience.count > 1, !isGathering else { return }
    let connected = audience.connected
    audience.forEachChannel { channel in
      guard channel.takeNews(of: connected) else { return }
      work.json.removeAll()
      work.json.clients(connected)
      send(to: channel)
    }
  }

  /// Tells riblets that want to know it how many clients are connected.
  private func noteConnectedClients() { connectedClients?.update(to: audience.connectedCount) }

  /// Takes a client's channel from it; what it has not been told yet it still is when it is committed.
  private func detach(_ client: Int) -> Channel? {
    guard let channel = audience.detach(client) else { return nil }
    noteConnectedClients()
    if channel.output.isHolding { uncommitted.left.append(channel) }
    return channel
  }

  /// Ends a client's channel, and says why.
  ///
  /// A client that has not been shown the last patches, as it does not read, is shown the view before; but not where the
  /// session goes on without what has happened here, or cannot be saved or shown.
  ///
  /// - Parameters:
  ///   - client: whose.
  ///   - bye: why.
  ///   - message: the same in a sentence.
  func dismiss(_ client: Int, _ bye: Bye, _ message: String) {
    guard let channel = audience[client].channel else { return }
    switch bye {
    case .failed, .moved, .unavailable: _ = channel.settleDebt()
    default: payDebt(to: channel, of: client)
    }
    detach(client)?.say(bye, message)
  }

  /// Waits for a client to come back, as long as it may.
  ///
  /// - Parameters:
  ///   - channel: the one that is gone.
  ///   - client: whose it is.
  ///   - comesBack: what the client was told to do next.
  func channelEnded(_ channel: Channel, of client: Int, comesBack: Bye.Return) {
    guard audience.has(client), audience[client].channel === channel else { return }
    _ = detach(client)
    tellClients()
    guard life.isInMemory, audience.isAway else { return }
    // A client that has done nothing and shall not come back has nothing to come back for.
    if comesBack == .not, !hasActed, audience.count == 1 { return end(because: .expired) }
    life.aloneSince = work.now
    noteChange()
    checkTime()
  }

  /// Sends a client what it is told first.
  ///
  /// - Parameters:
  ///   - client: to whom.
  ///   - token: the client's.
  ///   - isResumed: whether it was here before.
  func sendWelcome(to client: Int, _ token: String, isResumed: Bool) {
    guard let channel = audience[client].channel else { return }
    work.json.removeAll()
    work.json.welcome(makeWelcome(for: client, token, isResumed: isResumed))
    channel.budget.noteAnswer(bytes: work.json.count)
    send(to: channel, isPlain: true)
    channel.noteGreeting(token, isResumed: isResumed)
  }

  /// What a client is told first.
  ///
  /// - Parameters:
  ///   - client: the client's id.
  ///   - token: the client's.
  ///   - isResumed: whether the client was here before.
  ///   - signIn: the person behind a client without a channel; nil for nobody.
  /// - Returns: the message.
  func makeWelcome(for client: Int, _ token: String, isResumed: Bool, _ signIn: SignIn? = nil) -> Welcome {
    let ledger = audience[client].ledger
    return Welcome(
      to: id, ledger.record, nacks: ledger.nacks, token: token, epoch: epoch,
      revision: revision, resumed: isResumed, durability: durability, context, work.rules.settings,
      limits: audience[client].channel?.limits,
      identityExpires: (signIn ?? audience[client].channel?.signIn)?.millisecondsLeft(at: work.now))
  }

  /// The durability that answered actions have at present.
  var durability: Welcome.Durability { commits.isFailing ? .none : storeDurability }

  /// Forgets what was kept until a client has seen it.
  ///
  /// - Parameters:
  ///   - acknowledgement: what it has seen.
  ///   - client: whose it is.
  /// - Returns: what the client did wrong, or nil.
  func acknowledge(_ acknowledgement: Acknowledgement, from client: Int) -> String? {
    guard acknowledgement.number <= audience[client].ledger.number, acknowledgement.revision <= revision else {
      return """
        An "ack" for revision \(acknowledgement.revision) and action \(acknowledgement.number), which are not there yet.
        """
    }
    audience.acknowledge(acknowledgement.number, of: client)
    uncommitted.forgetRefusals(of: client, upTo: acknowledgement.number)
    // Others may not have seen it.
    if audience.count == 1 { history.acknowledge(acknowledgement.revision) }
    return nil
  }
}
