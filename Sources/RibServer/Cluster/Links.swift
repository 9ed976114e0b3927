import Logging
import Synchronization
import WireHTTP

/// The links of a node to the others, on a loop of their own.
///
/// Of two nodes the one with the higher number dials, and dials again when the link is gone. A link that says nothing for five seconds is ended.
///
/// `@unchecked Sendable`: what is not constant is confined to the loop, on which links call it, too; other threads use ``update(_:)``,
/// ``ask(_:about:_:_:)``, ``havePeerThatIsBetterOff``, ``count`` and ``stop()``, which go there.
final class Links: Link.Owner, @unchecked Sendable {
  /// How long an answer is waited for.
  static let patience = Duration.seconds(3)
  private static let beatInterval = Duration.seconds(1)
  private static let cutOffLimit = 5
  /// How many links may be about to open.
  private static let openingLimit = 64

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
  let own: Int
  private let loop: EventLoop
  /// Where names of hosts are looked up, which may take long.
  private let dialler: any JobQueue
  private let sockets: SocketSource
  private let logger: Logger
  private let answer: Answerer
  private let isSuspended: @Sendable () -> Bool
  private let isRefused: @Sendable (_ node: Int) -> Void
  private let listener: LinkListener
  private var open: [Int: Link] = [:]
  /// Those that are not open yet.
  private var opening: [ObjectIdentifier: Link] = [:]
  /// The nodes that are being dialled.
  private var dialling: Set<Int> = []
  private var peersThatReachStore: Set<Int> = []
  /// For how many beats this node has been suspended, and another one not: both notice an outage of the store, one after the other.
  private var cutOffCount = 0
  private let isPeerBetterOff = Atomic(false)
  private let openCount = Atomic(0)
  private var questions: [Int: (node: Int, done: @Sendable (LinkMessage.Holding?) -> Void)] = [:]
  /// Since when there is no link to nodes, as the loop's time.
  private var missingSince: [Int: UInt64] = [:]
  /// Since when nodes have answered no question, as the loop's time.
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
  ///   - isRefused: called with nodes at whose addresses nobody listens.
  ///   - answer: what is said to who asks for a session.
  init(
    own: Int, listeningAt socket: ListeningSocket, on loop: EventLoop, _ logger: Logger,
    isSuspended: @escaping @Sendable () -> Bool, isRefused: @escaping @Sendable (_ node: Int) -> Void = { _ in },
    answer: @escaping Answerer
  ) {
    let environment = loop.work.environment
    ownSecret = environment.makeToken()
    (self.own, self.loop, self.logger) = (own, loop, logger)
    (self.answer, self.isSuspended, self.isRefused) = (answer, isSuspended, isRefused)
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

  /// Whether another node has said for some seconds that it reaches the store, while this one did not.
  var havePeerThatIsBetterOff: Bool { isPeerBetterOff.load(ordering: .relaxed) }

  /// How many links are open.
  var count: Int { openCount.load(ordering: .relaxed) }

  /// Links to the nodes that there are.
  ///
  /// Links to others end by their silence: a node that is cut off is forgotten, and wants to know that others are not.
  ///
  /// - Parameter nodes: those but this one.
  func update(_ nodes: [ClusterNode]) {
    loop.execute { [self] in
      let known = Set(nodes.map(\.id))
      missingSince = missingSince.filter { known.contains($0.key) }
      silentSince = silentSince.filter { known.contains($0.key) }
      for id in known where open[id] == nil && missingSince[id] == nil { missingSince[id] = loop.now }
      for node in nodes where !node.address.isEmpty && open[node.id] == nil {
        if node.id < own { dial(node) } else { probe(node) }
      }
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
      guard !isStopped, let link = open[node] else {
        return done(.unreachable(isForLong: hasBeenLong(missingSince[node])))
      }
      lastQuestion += 1
      let (number, start) = (lastQuestion, loop.now)
      questions[number] = (node, { done($0.map { .holding($0) } ?? .unreachable(isForLong: false)) })
      loop.execute(after: Self.patience) { [weak self] in
        guard let self, questions.removeValue(forKey: number) != nil else { return }
        let since = silentSince[node] ?? start
        silentSince[node] = since
        done(.unreachable(isForLong: hasBeenLong(since)))
      }
      link.send(.want(LinkMessage.Want(number: number, sessionID: sessionID, claim: claim)))
    }
  }

  private func hasBeenLong(_ start: UInt64?) -> Bool {
    start.map { loop.now - min($0, loop.now) >= Self.longSilence } ?? false
  }

  private func beat() {
    guard !isStopped else { return }
    let isSuspended = isSuspended()
    cutOffCount = isSuspended && !peersThatReachStore.isEmpty ? cutOffCount + 1 : 0
    isPeerBetterOff.store(cutOffCount >= Self.cutOffLimit, ordering: .relaxed)
    let message = LinkMessage.beat(reachesStore: !isSuspended)
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
      guard !sockets.refuses(host, port) else {
        isRefused(node.id)
        return loop.execute { [self] in dialled(node, nil) }
      }
      let descriptor = try? sockets.connect(host, port)
      loop.execute { [self] in dialled(node, descriptor) }
    }
  }

  /// Looks whether anybody listens where a node is that dials this one.
  private func probe(_ node: ClusterNode) {
    guard !isStopped, let authority = Authority(node.address), let port = authority.port,
      dialling.insert(node.id).inserted
    else { return }
    dialler.add { [self] in
      if sockets.refuses(authority.host.withoutBrackets, port) { isRefused(node.id) }
      loop.execute { [self] in _ = dialling.remove(node.id) }
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
    // There are few nodes: more are strangers.
    guard !isStopped, opening.count < Self.openingLimit else { return closeDescriptor(descriptor) }
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
    (missingSince[link.peer], silentSince[link.peer]) = (nil, nil)
    let old = open.updateValue(link, forKey: link.peer)
    openCount.store(open.count, ordering: .relaxed)
    old?.close()
    logger.info("There is a link to a node.", metadata: ["node": "\(link.peer)"])
  }

  func didReceive(_ message: LinkMessage, over link: Link) {
    switch message {
    case .beat(let reachesStore):
      if reachesStore { peersThatReachStore.insert(link.peer) } else { peersThatReachStore.remove(link.peer) }
    case .want(let want):
      let peer = link.peer
      answer(want) { [self] holding in
        // Over whatever link there is by then.
        loop.execute { [self] in open[peer]?.send(.have(number: want.number, holding)) }
      }
    case .have(let number, let holding):
      silentSince[link.peer] = nil
      guard questions[number]?.node == link.peer else { return }
      questions.removeValue(forKey: number)?.done(holding)
    }
  }

  func didClose(_ link: Link) {
    opening[ObjectIdentifier(link)] = nil
    dialling.remove(link.peer)
    guard open[link.peer] === link else { return }
    open[link.peer] = nil
    missingSince[link.peer] = loop.now
    openCount.store(open.count, ordering: .relaxed)
    peersThatReachStore.remove(link.peer)
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
    if descriptor >= 0 { return accepted?(descriptor) ?? closeDescriptor(descriptor) }
    // Out of descriptors, perhaps: to try again at once would only burn the processor.
    guard !wouldBlock, let watch else { return }
    loop.change(watch, to: [])
    loop.execute(after: .milliseconds(100)) { [weak self] in
      if let self, let watch = self.watch { loop.change(watch, to: .reading) }
    }
  }
}
