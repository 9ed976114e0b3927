import Logging
import Synchronization
import WireHTTP

/// The links of a node to the others, on a loop of their own.
///
/// Of two nodes the one with the higher number dials, and dials again when the link is gone. A link that says nothing for five seconds is ended.
///
/// `@unchecked Sendable`: what is not constant is confined to the loop, on which links call it, too; other threads use ``update(_:)``,
/// ``ask(_:about:_:_:)``, ``havePeerThatReachesStore`` and ``stop()``, which go there.
final class Links: Link.Owner, @unchecked Sendable {
  /// How long an answer is waited for.
  static let patience = Duration.seconds(3)
  private static let beatInterval = Duration.seconds(1)

  /// What has become of a question.
  enum Answer: Equatable {
    case holding(LinkMessage.Holding)
    /// There is no link, or no answer within three seconds; and whether there was no answer of the node for ten.
    case unreachable(isForLong: Bool)
  }

  /// How long a node may give no sign before its sessions are taken, in nanoseconds.
  private static let longSilence: UInt64 = 10_000_000_000

  /// What this node says to who asks for a session.
  typealias Answerer = @Sendable (LinkMessage.Want, _ done: @escaping @Sendable (LinkMessage.Holding) -> Void) -> Void

  let ownSecret: String
  private let own: Int
  private let loop: EventLoop
  /// Where names of hosts are looked up, which may take long.
  private let dialler: any JobQueue
  private let sockets: SocketSource
  private let logger: Logger
  private let answer: Answerer
  private let isSuspended: @Sendable () -> Bool
  private let listener: LinkListener
  private var open: [Int: Link] = [:]
  /// Those that are not open yet.
  private var opening: [ObjectIdentifier: Link] = [:]
  /// The nodes that are being dialled.
  private var dialling: Set<Int> = []
  private var peersThatReachStore: Set<Int> = []
  private let peerReachesStore = Atomic(false)
  private var questions: [Int: (node: Int, done: @Sendable (LinkMessage.Holding?) -> Void)] = [:]
  /// Since when nodes have given no sign, as the loop's time: those that are alive, and not linked to.
  private var silentSince: [Int: UInt64] = [:]
  private var lastQuestion = 0
  private var isStopped = false

  /// Links that are not there yet.
  ///
  /// - Parameters:
  ///   - own: this node's number.
  ///   - socket: where others dial.
  ///   - loop: where links live: nobody else does.
  ///   - logger: told of links that come and go.
  ///   - isSuspended: whether this node does not reach the store.
  ///   - answer: what is said to who asks for a session.
  init(
    own: Int, listeningAt socket: ListeningSocket, on loop: EventLoop, _ logger: Logger,
    isSuspended: @escaping @Sendable () -> Bool, answer: @escaping Answerer
  ) {
    let environment = loop.work.environment
    ownSecret = environment.makeToken()
    (self.own, self.loop, self.logger) = (own, loop, logger)
    (self.answer, self.isSuspended) = (answer, isSuspended)
    sockets = environment.sockets
    dialler = environment.makeQueue("ribserver.dialler", .normal)
    listener = LinkListener(socket, on: loop, environment.sockets)
  }

  /// Begins to accept links, and to say that the node is there.
  ///
  /// - Throws: ``SystemError`` if the socket cannot be watched; it is closed then.
  func start() throws(SystemError) {
    try listener.start { [weak self] descriptor in self?.accepted(descriptor) }
    loop.execute { [weak self] in self?.beat() }
  }

  /// Ends all links; questions have no answer then.
  func stop() {
    loop.execute { [self] in
      isStopped = true
      listener.stop()
      for link in Array(open.values) + Array(opening.values) { link.close() }
      for question in questions.values { question.done(nil) }
      questions = [:]
    }
    loop.stop()
  }

  /// Whether another node says that it reaches the store.
  var havePeerThatReachesStore: Bool { peerReachesStore.load(ordering: .relaxed) }

  /// Links to the nodes that are alive, and to no others.
  ///
  /// - Parameter nodes: those but this one.
  func update(_ nodes: [ClusterNode]) {
    loop.execute { [self] in
      let alive = Set(nodes.map(\.id))
      for (id, link) in open where !alive.contains(id) { link.close() }
      silentSince = silentSince.filter { alive.contains($0.key) }
      for id in alive where open[id] == nil && silentSince[id] == nil { silentSince[id] = loop.now }
      for node in nodes where node.id < own && !node.address.isEmpty && open[node.id] == nil { dial(node) }
    }
  }

  /// Asks a node for a session that it holds.
  ///
  /// - Parameters:
  ///   - node: the node.
  ///   - sessionID: the session.
  ///   - claim: what the client has shown that has come here.
  ///   - done: called on the links' loop, with the answer.
  func ask(
    _ node: Int, about sessionID: String, _ claim: SessionClaim,
    _ done: @escaping @Sendable (Answer) -> Void
  ) {
    loop.execute { [self] in
      let isForLong = silentSince[node].map { loop.now - min($0, loop.now) >= Self.longSilence } ?? false
      guard !isStopped, let link = open[node] else { return done(.unreachable(isForLong: isForLong)) }
      lastQuestion += 1
      let number = lastQuestion
      questions[number] = (node, { done($0.map { .holding($0) } ?? .unreachable(isForLong: isForLong)) })
      loop.execute(after: Self.patience) { [weak self] in self?.questions.removeValue(forKey: number)?.done(nil) }
      link.send(.want(LinkMessage.Want(number: number, sessionID: sessionID, claim: claim)))
    }
  }

  private func beat() {
    guard !isStopped else { return }
    let message = LinkMessage.beat(reachesStore: !isSuspended())
    for link in Array(open.values) {
      link.check(at: loop.now)
      link.send(message)
    }
    for link in Array(opening.values) { link.check(at: loop.now) }
    loop.execute(after: Self.beatInterval) { [weak self] in self?.beat() }
  }

  // MARK: Dialling and accepting

  private func dial(_ node: ClusterNode) {
    guard !isStopped, let authority = Authority(node.address), let port = authority.port,
      dialling.insert(node.id).inserted
    else { return }
    let host = authority.host.withoutBrackets
    dialler.add { [self] in
      let descriptor = try? sockets.connect(host, port)
      loop.execute { [self] in dialled(node, descriptor) }
    }
  }

  private func dialled(_ node: ClusterNode, _ descriptor: Int32?) {
    dialling.remove(node.id)
    guard let descriptor else { return }
    guard !isStopped, open[node.id] == nil else { return closeDescriptor(descriptor) }
    dialling.insert(node.id)
    begin(Link(descriptor, dialling: node, as: own, on: loop, self))
  }

  private func accepted(_ descriptor: Int32) {
    guard !isStopped else { return closeDescriptor(descriptor) }
    begin(Link(accepted: descriptor, on: loop, self))
  }

  private func begin(_ link: Link) {
    opening[ObjectIdentifier(link)] = link
    link.start()
  }

  // MARK: What links tell

  func didOpen(_ link: Link) {
    opening[ObjectIdentifier(link)] = nil
    dialling.remove(link.peer)
    // The node has dialled again before the end of the last link was noticed here.
    silentSince[link.peer] = nil
    let old = open.updateValue(link, forKey: link.peer)
    old?.close()
    logger.info("There is a link to a node.", metadata: ["node": "\(link.peer)"])
  }

  func didReceive(_ message: LinkMessage, over link: Link) {
    switch message {
    case .beat(let reachesStore):
      if reachesStore { peersThatReachStore.insert(link.peer) } else { peersThatReachStore.remove(link.peer) }
      peerReachesStore.store(!peersThatReachStore.isEmpty, ordering: .relaxed)
    case .want(let want):
      let peer = link.peer
      answer(want) { [self] holding in
        // Over whatever link there is by then.
        loop.execute { [self] in open[peer]?.send(.have(number: want.number, holding)) }
      }
    case .have(let number, let holding):
      guard questions[number]?.node == link.peer else { return }
      questions.removeValue(forKey: number)?.done(holding)
    }
  }

  func didClose(_ link: Link) {
    opening[ObjectIdentifier(link)] = nil
    dialling.remove(link.peer)
    guard open[link.peer] === link else { return }
    open[link.peer] = nil
    silentSince[link.peer] = loop.now
    peersThatReachStore.remove(link.peer)
    peerReachesStore.store(!peersThatReachStore.isEmpty, ordering: .relaxed)
    logger.info("A link to a node has ended.", metadata: ["node": "\(link.peer)"])
    for (number, question) in questions where question.node == link.peer {
      questions[number] = nil
      question.done(nil)
    }
  }
}

/// The socket that other nodes dial.
///
/// `@unchecked Sendable`: used on its loop only, once it is started.
private final class LinkListener: PollTarget, @unchecked Sendable {
  private let socket: ListeningSocket
  private let loop: EventLoop
  private let sockets: SocketSource
  private var watch: Int?
  private var accepted: ((Int32) -> Void)?

  init(_ socket: ListeningSocket, on loop: EventLoop, _ sockets: SocketSource) {
    (self.socket, self.loop, self.sockets) = (socket, loop, sockets)
  }

  func start(_ accepted: @escaping @Sendable (Int32) -> Void) throws(SystemError) {
    do throws(SystemError) {
      try loop.executeAndWait { [self] () throws(SystemError) in
        self.accepted = accepted
        watch = try loop.watch(socket.descriptor, for: .reading, self)
      }
    } catch {
      closeDescriptor(socket.descriptor)
      throw error
    }
  }

  func stop() {
    if let watch { loop.unwatch(watch) }
    watch = nil
  }

  func ready(_ readiness: Readiness) {
    // More wait until the loop comes back: there are few nodes.
    let descriptor = sockets.accept(socket.descriptor)
    if descriptor >= 0 { accepted?(descriptor) }
  }
}
