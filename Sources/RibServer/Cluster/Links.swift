import Logging
import RibCore
import Synchronization
import WireHTTP

/// The links of a node to the others, on a loop of their own.
///
/// Of two nodes the one with the higher number dials, and dials again when the link is gone. A link that says nothing for five seconds is ended.
///
/// `@unchecked Sendable`: what is not constant is confined to the loop, on which links call it, too; other threads use ``update(_:)``,
/// ``ask(_:about:_:_:)``, ``drain(within:)``, ``publish(_:)``, ``tell(_:)``, ``havePeerThatIsBetterOff``, ``count`` and ``stop()``, which go there.
final class Links: Link.Owner, @unchecked Sendable {
  /// How long an answer is waited for.
  static let patience = Duration.seconds(3)
  private static let beatInterval = Duration.seconds(1)
  private static let cutOffLimit = 5
  /// How many links may be about to open; clients that other nodes pass on come as such.
  private static let openingLimit = 1024

  /// What has become of a question.
  enum Answer: Equatable {
    case holding(LinkMessage.Holding)
    /// There is no link, or no answer within three seconds; and whether there was no answer of the node for ten.
    case unreachable(isForLong: Bool)
  }

  /// How long a node may give no sign before its sessions are taken, in nanoseconds.
  private static let longSilence: UInt64 = 10_000_000_000

  /// What links ask of the node, and tell it; all is called on their loop, but for the first two on any thread.
  struct Node: Sendable {
    /// Whether the node does not reach the store.
    var isSuspended: @Sendable () -> Bool
    /// Nobody listens at another node's address.
    var isRefused: @Sendable (_ node: Int) -> Void = { _ in }
    /// Another node asks for a session.
    var answer:
      @Sendable (LinkMessage.Want, _ node: Int, _ done: @escaping @Sendable (LinkMessage.Holding) -> Void) -> Void
    /// Another node passes a client on: its socket, and what has come of its bytes.
    var accept: @Sendable (RelayedClient, _ descriptor: Int32, _ received: ReceiveBuffer) -> Void = {
      _, descriptor, _ in
      closeDescriptor(descriptor)
    }
    /// Clients that another node passes on are to go elsewhere within so many seconds.
    var drain: @Sendable (_ node: Int, _ seconds: Int) -> Void = { _, _ in }
    /// The link to another node has ended.
    var lose: @Sendable (_ node: Int) -> Void = { _ in }
    /// There is a link to another node, over which nothing was told before.
    var gain: @Sendable () -> Void = {}
    /// Another node's topic has published something; nil if what it was did not come, or may not have.
    var receive: @Sendable (NamedPublication?) -> Void = { _ in }
    /// All who are there at this node, as others were told.
    var roll: @Sendable () -> [PresenceChange] = { [] }
    /// Another node says who is there at it.
    var hear: @Sendable (PresenceNews, _ node: Int) -> Void = { _, _ in }
    /// A node's list of who is there at it does not hold any more; there has been no link to that node for so long.
    var forget: @Sendable (_ node: Int, _ duration: Duration) -> Void = { _, _ in }
    /// Another node has changed a cluster value.
    var change: @Sendable (NamedValue) -> Void = { _ in }
  }

  let ownSecret: String
  let own: Int
  let loop: EventLoop
  private let dialler: Dialler
  private let logger: Logger
  let node: Node
  private let listener: LinkListener
  private(set) var open: [Int: Link] = [:]
  /// Those that are not open yet.
  private var opening: [ObjectIdentifier: Link] = [:]
  private var peersThatReachStore: Set<Int> = []
  /// For how many beats this node has been suspended, and another one not: both notice an outage of the store, one after the other.
  private var cutOffCount = 0
  private let isPeerBetterOff = Atomic(false)
  private let openCount = Atomic(0)
  private var questions: [Int: (node: Int, done: @Sendable (LinkMessage.Holding?) -> Void)] = [:]
  /// Since when there is no link to nodes, as the loop's time.
  private(set) var missingSince: [Int: UInt64] = [:]
  /// Since when nodes have answered no question, as the loop's time.
  private var silentSince: [Int: UInt64] = [:]
  private var lastQuestion = 0
  /// How many publications this node has made.
  private var publicationCount = 0
  /// How many publications wait for the loop at most; more are counted, and not sent.
  private static let waitingLimit = 4096
  private let waitingCount = Atomic(0)
  private let skippedCount = Atomic(0)
  /// The number of the last publication that came from each node.
  private var received: [Int: Int] = [:]
  /// The nodes that are to be told all who are there at this one.
  var owedRolls: Set<Int> = []
  /// The nodes that are to tell all who are there at them.
  var wantedRolls: Set<Int> = []
  /// The nodes that have told who is there at them.
  var heardOf: Set<Int> = []
  private var isStopped = false

  /// Links that are not there yet.
  ///
  /// - Parameters:
  ///   - own: this node's number.
  ///   - socket: where others dial.
  ///   - loop: where links live: nobody else does.
  ///   - addresses: where the names of nodes are looked up.
  ///   - logger: told of links that come and go.
  ///   - node: what they ask of this node, and tell it.
  init(
    own: Int, listeningAt socket: ListeningSocket, on loop: EventLoop, _ addresses: NodeAddresses, _ logger: Logger,
    _ node: Node
  ) {
    let environment = loop.work.environment
    ownSecret = environment.makeToken()
    (self.own, self.loop, self.logger) = (own, loop, logger)
    self.node = node
    dialler = Dialler(on: loop, addresses)
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
      dialler.stop()
      countSkipped()
      for link in Array(open.values) { link.send(.end(published: publicationCount)) }
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
      let there = Set(nodes.map(\.id))
      forgetPublications(ofAllBut: there)
      forgetPresence(ofAllBut: there)
      missingSince = missingSince.filter { there.contains($0.key) }
      silentSince = silentSince.filter { there.contains($0.key) }
      for id in there where open[id] == nil && missingSince[id] == nil { missingSince[id] = loop.now }
      for node in nodes where !node.address.isEmpty && open[node.id] == nil { dial(node) }
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

  /// Has the clients that this node passes on asked to go elsewhere: those at the other ends can.
  ///
  /// - Parameter seconds: how long they may take.
  func drain(within seconds: Int) {
    loop.execute { [self] in for link in Array(open.values) { link.send(.drain(within: seconds)) } }
  }

  // MARK: Publications

  /// Tells the other nodes what a topic has published.
  ///
  /// - Parameter publication: what.
  func publish(_ publication: NamedPublication) {
    guard waitingCount.add(1, ordering: .relaxed).newValue <= Self.waitingLimit else {
      waitingCount.subtract(1, ordering: .relaxed)
      skippedCount.add(1, ordering: .relaxed)
      return
    }
    loop.execute { [self] in
      waitingCount.subtract(1, ordering: .relaxed)
      countSkipped()
      publicationCount += 1
      let json = LinkMessage.publication(number: publicationCount, publication).json
      for link in Array(open.values) where link.canTake(json) { link.send(json) }
    }
  }

  private func countSkipped() { publicationCount += skippedCount.exchange(0, ordering: .relaxed) }

  private func didReceive(_ publication: NamedPublication, _ number: Int, from node: Int) {
    let last = received[node, default: 0]
    // One that was overtaken, as there was another link by then.
    guard number > last else { return }
    received[node] = number
    if number > last + 1 { self.node.receive(nil) }
    self.node.receive(publication)
  }

  /// Takes note how many publications another node has made.
  private func didHear(of count: Int, from node: Int) {
    guard count > received[node, default: 0] else { return }
    received[node] = count
    self.node.receive(nil)
  }

  /// What was on its way from a node that is gone does not come any more.
  private func forgetPublications(ofAllBut known: Set<Int>) {
    let gone = received.keys.filter { !known.contains($0) && open[$0] == nil }
    guard !gone.isEmpty else { return }
    for node in gone { received[node] = nil }
    node.receive(nil)
  }

  func hasBeenLong(_ start: UInt64?) -> Bool {
    start.map { loop.now - min($0, loop.now) >= Self.longSilence } ?? false
  }

  private func beat() {
    guard !isStopped else { return }
    let isSuspended = node.isSuspended()
    cutOffCount = isSuspended && !peersThatReachStore.isEmpty ? cutOffCount + 1 : 0
    isPeerBetterOff.store(cutOffCount >= Self.cutOffLimit, ordering: .relaxed)
    let json = makeBeat(isSuspended).json
    for link in Array(open.values) {
      link.check(at: loop.now)
      link.send(json)
    }
    for link in Array(opening.values) { link.check(at: loop.now) }
    dialler.check(at: loop.now)
    payRolls()
    loop.execute(after: Self.beatInterval) { [weak self] in self?.beat() }
  }

  private func makeBeat(_ isSuspended: Bool) -> LinkMessage {
    countSkipped()
    return .beat(reachesStore: !isSuspended, published: publicationCount)
  }

  // MARK: Dialling and accepting

  /// Dials a node: for a link, if its number is the lower one; otherwise to see whether anybody listens there.
  private func dial(_ target: ClusterNode) {
    guard !isStopped, !opening.values.contains(where: { $0.peer == target.id }) else { return }
    dialler.dial(target) { [self] outcome in
      switch outcome {
      case .connected(let descriptor):
        guard !isStopped, target.id < own, open[target.id] == nil else { return closeDescriptor(descriptor) }
        begin(Link(descriptor, dialling: target, as: own, on: loop, self))
      case .refused: node.isRefused(target.id)
      case .failed: break
      }
    }
  }

  private func accepted(_ descriptor: Int32) {
    // More are strangers, who would take all descriptors.
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
    // The node has dialled again before the end of the last link was noticed here.
    (missingSince[link.peer], silentSince[link.peer]) = (nil, nil)
    let old = open.updateValue(link, forKey: link.peer)
    openCount.store(open.count, ordering: .relaxed)
    old?.close()
    // From now on it is known what does not come.
    received[link.peer, default: 0] += 0
    link.send(makeBeat(node.isSuspended()))
    owe(link.peer)
    node.gain()
    logger.info("There is a link to a node.", metadata: ["node": "\(link.peer)"])
  }

  func didReceive(_ message: LinkMessage, over link: Link) {
    switch message {
    case .beat(let reachesStore, let count):
      didHear(of: count, from: link.peer)
      if reachesStore { peersThatReachStore.insert(link.peer) } else { peersThatReachStore.remove(link.peer) }
    case .want(let want):
      let peer = link.peer
      node.answer(want, peer) { [self] holding in
        // Over whatever link there is by then.
        loop.execute { [self] in open[peer]?.send(.have(number: want.number, holding)) }
      }
    case .have(let number, let holding):
      silentSince[link.peer] = nil
      guard questions[number]?.node == link.peer else { return }
      questions.removeValue(forKey: number)?.done(holding)
    case .drain(let seconds): node.drain(link.peer, seconds)
    case .publication(let number, let publication): didReceive(publication, number, from: link.peer)
    case .presence(let news): didReceive(news, over: link)
    case .value(let value): node.change(value)
    case .end(let count):
      didHear(of: count, from: link.peer)
      received[link.peer] = nil
      forgetPresence(of: link.peer)
    }
  }

  func didAccept(_ client: RelayedClient, _ descriptor: Int32, _ received: ReceiveBuffer) {
    if isStopped { closeDescriptor(descriptor) } else { node.accept(client, descriptor, received) }
  }

  func didClose(_ link: Link) {
    opening[ObjectIdentifier(link)] = nil
    guard open[link.peer] === link else { return }
    open[link.peer] = nil
    missingSince[link.peer] = loop.now
    openCount.store(open.count, ordering: .relaxed)
    peersThatReachStore.remove(link.peer)
    logger.info("A link to a node has ended.", metadata: ["node": "\(link.peer)"])
    node.lose(link.peer)
    for (number, question) in questions where question.node == link.peer {
      questions[number] = nil
      question.done(nil)
    }
  }
}
