import Logging
import RibCore
import Wire

extension Session {
  /// What becomes of a client that wants to go on.
  enum Admission {
    /// It is let in.
    case admitted
    /// It is not, and why; nothing has changed.
    case refused(Bye, String)
    /// The session has left memory: look for it again.
    case left
  }

  /// How many may draw one session.
  static let rendererLimit = 64

  /// Starts the tree and shows it.
  ///
  /// - Parameters:
  ///   - connection: where; nil for a client without one.
  ///   - client: the program that draws the view.
  ///   - token: the client's.
  /// - Returns: why it cannot be shown, or nil.
  func start(_ connection: Connection?, _ client: ClientInfo, token: String) -> String? {
    do throws(Refusal) {
      let commands = try tree.start(rendering: loop.renderer)
      place = loop.add(self)
      context.sessions.add(self)
      noteChange()
      carryOut(commands)
    } catch {
      log(.error, "A session could not be started.", ["reason": "\(error.message)"])
      return error.message
    }
    if let connection {
      attach(connection, to: 0)
    } else {
      aloneSince = loop.now
      // Whoever has asked for it has not got the answer yet.
      look(after: 1)
    }
    sendWelcome(to: 0, token, isResumed: false)
    log(
      .debug, "A session has started.",
      [
        "app": "\(identity.app)", "client": "\(client.name ?? "?") \(client.version ?? "")",
        "locale": "\(client.locale ?? "?")",
      ])
    sendSnapshot(to: 0)
    beginWalk(walk)
    return nil
  }

  /// Goes on with a client that comes back.
  ///
  /// What it has missed it gets as patches if all of them are kept, otherwise as a snapshot.
  ///
  /// - Parameters:
  ///   - connection: where.
  ///   - resume: what the client says.
  /// - Returns: whether it may.
  func resume(_ connection: Connection, _ resume: ClientMessage.Resume) -> Admission {
    guard place != 0, departure != .ending else { return .left }
    let index = resume.clientID - 1
    guard renderers.indices.contains(index) else {
      return .refused(.denied, "There is no client \(resume.clientID) in this session.")
    }
    switch renderers[index].ledger.admit(resume) {
    case nil: break
    case .stale?: return .refused(.stale, "Attempt \(resume.attempt) is not above the last one.")
    case let bye?: return .refused(bye, "The token is not that of client \(resume.clientID) in this session.")
    }
    goOn(connection, with: index, resume.token, epoch: resume.epoch, revision: resume.revision)
    return .admitted
  }

  /// Gives a client another connection, and sends it what it has missed.
  ///
  /// - Parameters:
  ///   - connection: where.
  ///   - index: which client.
  ///   - token: the client's.
  ///   - epoch: the life of the tree that its view is of.
  ///   - known: the revision of its view.
  func goOn(_ connection: Connection, with index: Int, _ token: String, epoch: String, revision known: Int) {
    if let overtaken = renderers[index].connection {
      detach(overtaken, from: index)
      overtaken.say(.taken, "The client has connected again.")
      overtaken.flush()
    }
    // Before anyone else may say that they come with this number, it is committed. A store that fails is no news to who
    // comes: their welcome says it.
    noteChange()
    attach(connection, to: index)
    sendWelcome(to: index, token, isResumed: true)
    log(.debug, "A session goes on.", ["client": "\(index + 1)"])
    catchUp(connection, index, from: epoch, known)
  }

  /// Shows a client what it has missed: as patches if all of them are kept, otherwise as a whole.
  private func catchUp(_ connection: Connection, _ index: Int, from epoch: String, _ revision: Int) {
    let hasAll =
      epoch == self.epoch
      && history.replay(after: revision, to: self.revision, at: loop.now) { revision, operations in
        loop.json.removeAll()
        loop.json.patch(
          revision: revision, base: revision - 1, number: renderers[index].ledger.number, operations: operations)
        send(to: connection, viewRevision: revision)
      }
    if !hasAll { sendSnapshot(to: index) }
  }

  // MARK: Several renderers

  /// Makes a token with which somebody else can join, once.
  ///
  /// - Parameters:
  ///   - scope: what they may do.
  ///   - index: whose wish it is.
  /// - Returns: why it is not granted; nil if the token was sent.
  func share(_ scope: ShareScope, from index: Int) -> (Bye, String)? {
    guard let connection = renderers[index].connection else { return nil }
    if scope == .act, renderers[index].ledger.record.scope == .view {
      return (.denied, "Who may only look cannot let others act.")
    }
    let token = "\(id).\(SessionToken.make())"
    let now = wallClockSeconds()
    invitations.removeAll { $0.expires <= now }
    if invitations.count == Invitation.limit { invitations.removeFirst() }
    invitations.append(
      Invitation(tokenHash: SessionToken.hash(token), scope: scope, expires: now + Invitation.lifetime))
    noteChange()
    loop.json.removeAll()
    loop.json.share(token: token, expires: Invitation.lifetime * 1000)
    send(to: connection)
    return nil
  }

  /// Lets in who comes with a token that was shared; the token is void then.
  ///
  /// - Parameters:
  ///   - connection: where.
  ///   - invitation: the token.
  /// - Returns: whether they may.
  func join(_ connection: Connection, with invitation: String) -> Admission {
    guard place != 0, departure != .ending else { return .left }
    switch accept(invitation) {
    case .failure(let ending): return .refused(ending.bye, ending.message)
    case .success(let (index, token)):
      attach(connection, to: index)
      sendWelcome(to: index, token, isResumed: false)
      sendSnapshot(to: index)
      return .admitted
    }
  }

  /// Makes a renderer for who comes with an invitation.
  ///
  /// - Parameter invitation: the token that was shared.
  /// - Returns: which renderer, and its token; or why not.
  func accept(_ invitation: String) -> Result<(index: Int, token: String), Ending> {
    let now = wallClockSeconds()
    guard
      let place = invitations.firstIndex(where: {
        $0.expires > now && SessionToken.matches(invitation, $0.tokenHash)
      })
    else {
      return .failure(
        Ending(.denied, "Nobody was invited with this token, or it was used, or it is too old."))
    }
    guard renderers.count < Self.rendererLimit else {
      return .failure(Ending(.full, "The session has \(renderers.count) clients, and takes no more."))
    }
    let token = SessionToken.make()
    let index = renderers.count
    renderers.append(
      Renderer(ledger: ClientLedger(id: index + 1, token: token, scope: invitations[place].scope)))
    invitations.remove(at: place)
    noteChange()
    log(.debug, "A client has joined.", ["client": "\(index + 1)"])
    return .success((index, token))
  }

  /// Goes on with a client that was connected all the time.
  ///
  /// - Parameters:
  ///   - connection: where.
  ///   - sleeper: what it has kept.
  /// - Returns: whether it may.
  func wake(_ connection: Connection, _ sleeper: Sleeper) -> Admission {
    guard place != 0, departure != .ending else { return .left }
    guard renderers.indices.contains(sleeper.renderer), renderers[sleeper.renderer].connection == nil,
      renderers[sleeper.renderer].ledger.record.attempt == sleeper.attempt
    else { return .refused(.taken, "The client has connected again.") }
    noteChange()
    attach(connection, to: sleeper.renderer)
    // Its welcome said what was true then.
    if commits.isFailing {
      loop.json.removeAll()
      loop.json.notice(.none)
      send(to: connection)
    }
    catchUp(connection, sleeper.renderer, from: sleeper.epoch, sleeper.revision)
    return .admitted
  }

  // MARK: Connections

  /// Gives a connection to a renderer.
  func attach(_ connection: Connection, to index: Int) {
    connection.renderer = index
    renderers[index].connection = connection
    aloneSince = nil
    if departure == .resting { departure = nil }
    checkTime()
  }

  /// Takes a connection from its renderer; what it has not been told yet it still is when it is committed.
  private func detach(_ connection: Connection, from index: Int) {
    renderers[index].connection = nil
    if connection.output.isHolding { uncommitted.left.append(connection) }
  }

  /// Sends a client what it is told first.
  ///
  /// - Parameters:
  ///   - index: which.
  ///   - token: the client's.
  ///   - isResumed: whether it was here before.
  func sendWelcome(to index: Int, _ token: String, isResumed: Bool) {
    guard let connection = renderers[index].connection else { return }
    loop.json.removeAll()
    loop.json.welcome(makeWelcome(for: index, token, isResumed: isResumed))
    send(to: connection)
    if connection.output.isHolding {
      connection.greeting = Greeting(token: token, isResumed: isResumed, end: connection.output.writtenCount)
    }
  }

  /// What a client is told first.
  func makeWelcome(for index: Int, _ token: String, isResumed: Bool) -> Welcome {
    let ledger = renderers[index].ledger
    let settings = context.settings
    return Welcome(
      sessionID: id, clientID: ledger.id, token: token, epoch: epoch, revision: revision, number: ledger.number,
      nacks: ledger.nacks, resumed: isResumed, durability: durability, build: Server.version,
      timeToLive: settings.sessions.timeToLiveSeconds * 1000, heartbeat: settings.timeouts.heartbeatSeconds * 1000,
      limits: settings.limits.announced)
  }

  /// What an answer survives at present.
  var durability: Welcome.Durability { isDurable && !commits.isFailing ? loop.durability : .none }

  /// Forgets what was kept until a client has seen it.
  ///
  /// - Parameters:
  ///   - acknowledgement: what it has seen.
  ///   - index: which.
  /// - Returns: what the client did wrong, or nil.
  func acknowledge(_ acknowledgement: Acknowledgement, from index: Int) -> String? {
    guard acknowledgement.number <= renderers[index].ledger.number, acknowledgement.revision <= revision else {
      return """
        An "ack" for revision \(acknowledgement.revision) and action \(acknowledgement.number), which are not there yet.
        """
    }
    // The store forgets them with the next commit: one that is repeated does no harm.
    if renderers[index].ledger.acknowledge(acknowledgement.number), isDurable {
      renderers[index].acknowledged = acknowledgement.number
    }
    // Others may not have seen it.
    if renderers.count == 1 { history.acknowledge(acknowledgement.revision) }
    return nil
  }

  /// Waits for a client to come back, as long as it may.
  ///
  /// - Parameters:
  ///   - connection: the one that is gone; it may have been overtaken.
  ///   - comesBack: what its client was told to do next.
  func connectionEnded(_ connection: Connection, comesBack: Bye.Return) {
    let index = connection.renderer
    guard renderers.indices.contains(index), renderers[index].connection === connection else { return }
    detach(connection, from: index)
    guard place != 0, renderers.allSatisfy({ $0.connection == nil }) else { return }
    // Who has done nothing and shall not come back has nothing to come back for.
    if comesBack == .not, !hasActed, renderers.count == 1 { return end() }
    aloneSince = loop.now
    noteChange()
    checkTime()
  }
}
