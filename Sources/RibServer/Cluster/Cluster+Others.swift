import Logging
import Synchronization
import WireHTTP

// Links to the other nodes, and questions about the sessions that they hold.

extension Cluster {
  /// Lets other nodes reach this one.
  ///
  /// - Parameters:
  ///   - settings: where, and what they see of that.
  ///   - context: the server's.
  /// - Throws: ``SystemError`` if the address cannot be bound, ``StoreError`` if others could not reach it.
  func listen(_ settings: ServerSettings, _ context: ServerContext) throws {
    guard let authority = Authority(settings.nodeListen), let port = authority.port else { return }
    let environment = context.environment
    let socket = try environment.sockets.listen(authority.host.withoutBrackets, port)
    let isAny = ["0.0.0.0", "::"].contains(socket.address)
    guard !isAny || !settings.nodeAdvertise.isEmpty else {
      closeDescriptor(socket.descriptor)
      throw StoreError("Other nodes do not reach a node at \(settings.nodeListen): say where with --node-advertise.")
    }
    let loop: EventLoop
    do {
      loop = try EventLoop(
        name: "ribserver.links", linger: 0, usesEpoll: settings.usesEpoll, messageLimit: settings.limits.message,
        environment: environment)
    } catch {
      closeDescriptor(socket.descriptor)
      throw error
    }
    let links = Links(own: id, listeningAt: socket, on: loop, logger) { [weak self, time] in
      self?.isSuspended(at: time.monotonic()) ?? true
    } isRefused: { [weak self] node in
      self?.state.withLock { $0.membership.noteRefusal(of: node) }
    } answer: { [weak context] want, done in
      if let context { SessionHolder(context: context).answer(want, done) } else { done(.busy) }
    }
    try links.start()
    let bound = socket.address.contains(":") ? "[\(socket.address)]" : socket.address
    state.withLock { state in
      state.links = links
      state.address = settings.nodeAdvertise.isEmpty ? "\(bound):\(socket.port)" : settings.nodeAdvertise
    }
  }

  /// Dials whoever is there; also those that are not heard of, which may be cut off from the store, and want to know whether others are.
  func linkToOthers() {
    let (links, others) = state.withLock { ($0.links, $0.membership.others) }
    links?.update(others)
  }

  /// From whom sessions may be taken without a question: from dead nodes, or from anybody if this node asks nobody.
  ///
  /// Thread-safe.
  var takeover: Takeover {
    state.withLock { $0.links == nil ? .anybody : .processes(Set($0.membership.dead.map(\.id))) }
  }

  /// Asks the node that holds a session whether it needs it.
  ///
  /// | the holder                                       | the session may be taken                                          |
  /// |--------------------------------------------------|-------------------------------------------------------------------|
  /// | is dead, or takes no questions                   | from anybody                                                      |
  /// | says that it is free                             | from the holder                                                   |
  /// | says that it is busy                             | from anybody: it is the client's                                  |
  /// | is not reached, or says nothing for three seconds | from nobody yet; from anybody once that has been so for ten seconds |
  ///
  /// Thread-safe.
  ///
  /// - Parameters:
  ///   - holder: the node.
  ///   - sessionID: the session.
  ///   - claim: what the client has shown that has come here.
  ///   - done: called on any thread: with from whom the session may be taken.
  func ask(
    _ holder: Int, about sessionID: String, _ claim: SessionClaim, _ done: @escaping @Sendable (Takeover) -> Void
  ) {
    let links = state.withLock { state -> Links? in
      state.membership.isDead(holder) || !state.membership.takesQuestions(holder) ? nil : state.links
    }
    guard let links else { return done(.anybody) }
    links.ask(holder, about: sessionID, claim) { [logger] answer in
      let reason: String
      switch answer {
      case .holding(.free): return done(.processes([holder]))
      case .unreachable(let isForLong) where !isForLong: return done(.nobody)
      case .holding(.busy): reason = "It is needed there, and here."
      case .unreachable: reason = "The node cannot be asked."
      }
      logger.notice(
        "A session is taken from a node that holds it.",
        metadata: ["session": "\(sessionID)", "node": "\(holder)", "reason": "\(reason)"])
      done(.anybody)
    }
  }

  /// Whether clients are better off elsewhere: this node is suspended, and another one has said for some seconds that it is not.
  ///
  /// - Parameter now: nanoseconds of the clock that never jumps.
  /// - Returns: false as well if the store itself may be away.
  func isCutOff(at now: UInt64) -> Bool {
    isSuspended(at: now) && state.withLock { $0.links }?.havePeerThatIsBetterOff == true
  }
}
