import Wire
import WireHTTP

// A client whose session another node has: its bytes are passed on to that node.

extension Connection {
  /// Keeps what a client sends until its session is found, if it may have to be passed on.
  ///
  /// - Parameters:
  ///   - head: the request for its WebSocket.
  ///   - compression: what was agreed on about compression; nil for nothing.
  func noteOpening(_ head: RequestHead, _ compression: PerMessageDeflate?) {
    if passage == nil, context.cluster?.takesRelays == true { passage = .opening(Opening(head, compression)) }
  }

  /// Keeps the first message of a client that may have to be passed on, and its context of one that was.
  ///
  /// - Parameter payload: the message.
  func noteFirstMessage(_ payload: WebSocketPayload) {
    switch passage {
    case .opening(let opening) where opening.message.isEmpty:
      opening.message = input.withPayload(payload) { Array(copying: $0) }
      opening.wasCompressed = frames.wasCompressed
    case .incoming(let client) where client.takeContext(): input.withPayload(payload) { frames.noteContext($0) }
    case .opening, .incoming, .onward, nil: break
    }
  }

  /// Whether a client may be passed on: it came to this node itself, and is not to go elsewhere.
  private var mayBePassedOn: Bool { relayingNode == nil && loop.drainSecondsLeft == nil }

  /// Passes the client of a WebSocket on to the node that has its session.
  ///
  /// - Parameter node: the node.
  func passOn(to node: Int) {
    guard mayBePassedOn, case .opening(let opening)? = passage, !opening.message.isEmpty else {
      return channel.say(.moved, "The session goes on at another node: connect again.")
    }
    channel.search()
    let (random, message) = (loop.work.environment.randomWord, opening.message)
    dial(
      node,
      RelayedClient(
        of: context.cluster?.id ?? 0, caller, compression: opening.compression, hasContext: opening.wasCompressed),
      isUpgrade: true
    ) { output in
      opening.head.write(into: &output, body: [])
      FrameWriter.client { UInt32(truncatingIfNeeded: random()) }.text(message.span, into: &output)
    }
  }

  /// Passes a request on to the node that has its session.
  ///
  /// - Parameter node: the node.
  func passRequestOn(to node: Int) {
    guard case .http(let exchange) = state, exchange.phase == .answer, let head = exchange.asked else { return }
    guard mayBePassedOn, let body = exchange.body else { return answerThatRelayFailed() }
    dial(node, RelayedClient(of: context.cluster?.id ?? 0, visit?.caller ?? caller), isUpgrade: false) { output in
      head.write(into: &output, body: body)
    }
  }

  private func dial(_ node: Int, _ client: RelayedClient, isUpgrade: Bool, _ write: (inout [UInt8]) -> Void) {
    var opening: [UInt8] = []
    write(&opening)
    let said = opening
    context.cluster?.dial(node) { [weak self, loop] dialled in
      loop.execute { [weak self] in
        guard let (target, descriptor) = dialled else { self?.relayFailed() ?? (); return }
        guard let self, awaitsRelay else { return closeDescriptor(descriptor) }
        var opening: [UInt8] = []
        client.write(into: &opening, to: target)
        let relay = NodeRelay(descriptor, to: node, for: self, saying: opening + said, isUpgrade: isUpgrade)
        passage = .onward(relay)
        relay.start()
      }
    }
  }

  /// Whether the client still waits for its session.
  private var awaitsRelay: Bool {
    switch state {
    case .channel: channel.isSearching
    case .http(let exchange): exchange.phase == .answer
    case .moving, .relayed, .echo, .closing, .halfClosed, .closed: false
    }
  }

  // MARK: What a relay tells

  /// Whether the client takes what comes: not if it reads slowly.
  var hasRoomForRelay: Bool { output.count < NodeRelay.limit }

  /// The node has answered: from here on it speaks with the client.
  func relayOpened() {
    guard awaitsRelay else { return abort() }
    countNoMorePerson()
    if case .channel = state {
      _ = channel.endSearch()
      channel.leave()
      channel.signIn = nil
      frames = FrameReader(role: .server, messageLimit: 0)
      channel.transport = .frames(.server)
    }
    state = .relayed
    goOn()
  }

  /// Sends the client what the node has said.
  ///
  /// - Parameter bytes: the next ones.
  func take(_ bytes: Span<UInt8>) {
    guard case .relayed = state else { return }
    guard output.send(bytes, to: descriptor) else { return abort() }
    if !output.isEmpty { flush() }
  }

  /// The node has said all: the client's connection ends, once it has that.
  func relayEnded() {
    guard case .relayed = state else { return }
    passage = nil
    finish()
    flush()
  }

  /// The node was not reached, or does not let the client in.
  func relayFailed() {
    passage = nil
    switch state {
    case .channel where channel.endSearch():
      channel.say(.unavailable, "The node that has the session does not answer. Come back later.")
    case .http: answerThatRelayFailed()
    default: return
    }
    goOn()
  }

  private func answerThatRelayFailed() {
    answer(
      with: Response(
        problem: HTTPError(.unavailable, "The node that has the session does not answer. Ask again later.")))
  }

  /// Passes on what has been received.
  ///
  /// - Returns: false: nothing of it is left.
  func passOn() -> Bool {
    if case .onward(let relay)? = passage { input.withUnread { relay.pass($0) } }
    input.consume(input.count)
    return false
  }

  /// The client says nothing more; it may still be told something.
  func clientEndedRelay() {
    guard case .onward(let relay)? = passage else { return abort() }
    relay.endSending()
  }

  /// Goes without a word, as the node that has the session is not there any more.
  ///
  /// - Parameter node: the node.
  func endRelay(to node: Int) {
    guard case .onward(let relay)? = passage, relay.node == node else { return }
    guard case .relayed = state else {
      relay.close()
      return relayFailed()
    }
    abort()
  }
}
