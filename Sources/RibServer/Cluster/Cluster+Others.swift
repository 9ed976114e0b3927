import Logging
import RibCore
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
    let links = Links(own: id, listeningAt: socket, on: loop, addresses, logger, makeNode(context))
    try links.start()
    let bound = socket.address.contains(":") ? "[\(socket.address)]" : socket.address
    state.withLock { state in
      state.links = links
      state.address = settings.nodeAdvertise.isEmpty ? "\(bound):\(socket.port)" : settings.nodeAdvertise
    }
    takesRelays = true
    connect(links)
  }

  /// What links ask of this node, and tell it.
  private func makeNode(_ context: ServerContext) -> Links.Node {
    Links.Node { [weak self, time] in
      self?.isSuspended(at: time.monotonic()) ?? true
    } isRefused: { [weak self] node in
      self?.state.withLock { $0.membership.noteRefusal(of: node) }
    } answer: { [weak context] want, node, done in
      if let context { SessionHolder(context: context).answer(want, of: node, done) } else { done(.relay) }
    } accept: { [weak self, weak context, time] client, descriptor, received in
      guard let context, let loop = self?.nextLoop() else { return closeDescriptor(descriptor) }
      let place = client.caller.place
      let admission = context.connections.enter(from: place, at: time.monotonic())
      let isFull = admission != .admitted && place.map { context.connections.isFull($0, at: time.monotonic()) } == true
      loop.execute {
        loop.work.stats.note(admission, isFull: isFull)
        guard admission != .dropped else { return closeDescriptor(descriptor) }
        Connection(
          descriptor, admission, from: client.caller, isCounted: place != nil, relayed: client, on: loop, context
        ).start(with: received)
      }
    } drain: { [weak self, time] node, seconds in
      self?.state.withLock { $0.drainEnds[node] = time.monotonic() + UInt64(seconds) * 1_000_000_000 }
      self?.onAllLoops { loop in
        for connection in Array(loop.connections.values) where connection.relayingNode == node {
          connection.drain(within: seconds)
        }
      }
    } lose: { [weak self] node in
      self?.onAllLoops { loop in for connection in Array(loop.connections.values) { connection.endRelay(with: node) } }
    } gain: { [weak self] in
      self?.refreshValues(hasGap: false)
    } receive: { [weak self, topics = exchanges.topics] publication in
      if let publication { topics.receive(publication) } else { self?.refreshValues(hasGap: true) }
    } roll: { [presences = exchanges.presences] in
      presences.roll
    } hear: { [presences = exchanges.presences] news, node in
      presences.receive(news, from: node)
    } forget: { [presences = exchanges.presences] node, duration in
      presences.forget(node, withoutLinkFor: duration)
    } change: { [values = exchanges.values] value in
      values.receive(value)
    }
  }

  /// How long clients may still take to go elsewhere that another node passes on; nil if they were not asked to.
  ///
  /// Thread-safe.
  ///
  /// - Parameters:
  ///   - node: the node.
  ///   - now: nanoseconds of the clock that never jumps.
  /// - Returns: seconds.
  func drainSecondsLeft(of node: Int, at now: UInt64) -> Int? {
    state.withLock { $0.drainEnds[node] }.map { Int(($0 - min($0, now)) / 1_000_000_000) }
  }

  private func onAllLoops(_ body: @escaping @Sendable (EventLoop) -> Void) {
    for loop in state.withLock({ $0.loops }) { loop.execute { body(loop) } }
  }

  /// Where the next client goes that another node passes on; it moves to its session's loop from there.
  private func nextLoop() -> EventLoop? {
    state.withLock { state in
      guard !state.loops.isEmpty else { return nil }
      state.relayedCount += 1
      return state.loops[state.relayedCount % state.loops.count]
    }
  }

  /// A node, and where it listens.
  typealias Destination = (node: ClusterNode, address: String, port: Int)

  /// Finds a node that is to have a client's bytes.
  ///
  /// Thread-safe.
  ///
  /// - Parameters:
  ///   - node: the node.
  ///   - done: called on any thread; with nil if the node is not known, or not found.
  func find(_ node: Int, _ done: @escaping @Sendable (Destination?) -> Void) {
    if let target = reachable(node) { return find(target, done) }
    // The node may have started since the last beat. The first client that waits sends a beat; the others use its result.
    queue.add { [self] in
      if !isStopped, reachable(node) == nil { _ = beat() }
      if let target = reachable(node) { find(target, done) } else { done(nil) }
    }
  }

  private func find(_ target: ClusterNode, _ done: @escaping @Sendable (Destination?) -> Void) {
    guard let authority = Authority(target.address), let port = authority.port else { return done(nil) }
    addresses.find(authority.host.withoutBrackets) { address in done(address.map { (target, $0, port) }) }
  }

  private func reachable(_ node: Int) -> ClusterNode? {
    state.withLock { $0.membership.others.first { $0.id == node && !$0.address.isEmpty } }
  }

  /// Takes note that a session has come here from a node that was there: it stays for a while.
  ///
  /// Thread-safe.
  ///
  /// - Parameter id: the session's name.
  func noteMove(of id: String) { state.withLock { $0.moves.note(id, at: time.monotonic()) } }

  /// Whether a session has come here so lately that it is to stay.
  ///
  /// Thread-safe.
  ///
  /// - Parameter id: the session's name.
  /// - Returns: whether it has.
  func hasJustCome(_ id: String) -> Bool { state.withLock { $0.moves.contains(id, at: time.monotonic()) } }

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
  /// | is dead, or takes no questions                   | from the holder                                                   |
  /// | says that it is free                             | from the holder                                                   |
  /// | says that it stays                               | not: the client is passed on                                      |
  /// | … and is about to stop                           | from nobody yet: it is let go of as soon as it is committed       |
  /// | is not reached, or says nothing for three seconds | from nobody yet; from the holder once that has been so for ten seconds |
  ///
  /// Thread-safe.
  ///
  /// - Parameters:
  ///   - holder: the node.
  ///   - sessionID: the session.
  ///   - claim: what the client has shown that has come here.
  ///   - done: called on any thread: with where the session is to go on.
  func ask(
    _ holder: Int, about sessionID: String, _ claim: SessionClaim, _ done: @escaping @Sendable (Placement) -> Void
  ) {
    let links = state.withLock { state -> Links? in
      state.membership.isDead(holder) || !state.membership.takesQuestions(holder) ? nil : state.links
    }
    guard let links else { return done(.here(from: .processes([holder]))) }
    links.ask(holder, about: sessionID, claim) { [weak self, logger] answer in
      switch answer {
      case .holding(.free): done(.here(from: .processes([holder])))
      case .holding(.relay): done(self?.isLeaving(holder) == true ? .unknown : .there)
      case .unreachable(let isForLong):
        guard isForLong else { return done(.unknown) }
        logger.notice(
          "A session is taken from a node that cannot be asked.",
          metadata: ["session": "\(sessionID)", "node": "\(holder)"])
        done(.here(from: .processes([holder])))
      }
    }
  }

  /// Whether a node is about to stop, and takes no client that is passed on to it.
  private func isLeaving(_ node: Int) -> Bool {
    state.withLock { state in
      state.drainEnds[node] != nil || state.membership.others.contains { $0.id == node && $0.isDraining }
    }
  }

  /// Where clients go that this node's program cannot serve.
  ///
  /// While nodes are replaced one by one, some run another version: of those it is the one that has begun last.
  ///
  /// Thread-safe.
  var nodeOfAnotherProgram: Int? {
    guard takesRelays else { return nil }
    return state.withLock { state in
      state.membership.alive.last { $0.program != program && !$0.isDraining && !$0.address.isEmpty }?.id
    }
  }

  /// Whether a node runs another version of the program, and has begun earlier: it may not be able to read what this one has written.
  ///
  /// Thread-safe.
  ///
  /// - Parameter node: the node.
  /// - Returns: false if the node is not known.
  func isOfEarlierProgram(_ node: Int) -> Bool {
    guard node < id else { return false }
    return state.withLock { state in
      state.membership.others.first { $0.id == node }.map { $0.program != program } ?? false
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
