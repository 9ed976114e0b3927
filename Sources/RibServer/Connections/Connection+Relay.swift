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

  /// Keeps what a client says that may have to be passed on, up to its `hello`; and the context of one that was.
  ///
  /// - Parameter payload: the message.
  func noteFirstMessage(_ payload: WebSocketPayload) {
    switch passage {
    case .opening(let opening):
      // An empty array may come first. What later messages may refer to is known of one only.
      if opening.wasCompressed, opening.compression?.client.keepsContext == true { return passage = nil }
      opening.message = input.withPayload(payload) { Array(copying: $0) }
      opening.wasCompressed = frames.wasCompressed
    case .incoming(let client) where client.takeContext(): input.withPayload(payload) { frames.noteContext($0) }
    case .incoming, .onward, nil: break
    }
  }

  /// Whether a client may be passed on: it came to this node itself, and is not to go elsewhere.
  private var mayBePassedOn: Bool { relayingNode == nil && loop.drainSecondsLeft == nil }

  /// Where a client is passed on to that this node's program cannot serve; nil if it stays here, to hear why.
  ///
  /// - Parameter ending: why it cannot be served.
  /// - Returns: a node of another program.
  func nodeOfAnotherProgram(after ending: Ending) -> Int? {
    mayBePassedOn && ending.needsAnotherProgram ? context.cluster?.nodeOfAnotherProgram : nil
  }

  /// Passes the client of a WebSocket on to the node that has its session.
  ///
  /// - Parameter node: the node.
  func passOn(to node: Int) {
    guard mayBePassedOn, case .opening(let opening)? = passage, !opening.message.isEmpty else {
      return channel.say(.moved, "The session goes on at another node: connect again.")
    }
    channel.search()
    let (word, message) = (loop.work.environment.randomWord, opening.message)
    var said: [UInt8] = []
    opening.head.write(into: &said, body: [], isUpgrade: true)
    FrameWriter.client { UInt32(truncatingIfNeeded: word()) }.text(message.span, into: &said)
    let client = RelayedClient(
      of: context.cluster?.id ?? 0, caller, compression: opening.compression, hasContext: opening.wasCompressed)
    dial(node, client, said, isUpgrade: true)
  }

  /// Passes a request on to the node that has its session.
  ///
  /// - Parameter node: the node.
  func passRequestOn(to node: Int) {
    guard case .http(let exchange) = state, exchange.phase == .answer, let head = exchange.asked else { return }
    guard mayBePassedOn, let body = exchange.body else { return relayFailed() }
    var said: [UInt8] = []
    head.write(into: &said, body: body, isUpgrade: false)
    dial(node, RelayedClient(of: context.cluster?.id ?? 0, visit?.caller ?? caller), said, isUpgrade: false)
  }

  private func dial(_ node: Int, _ client: RelayedClient, _ said: [UInt8], isUpgrade: Bool) {
    let relay = NodeRelay(to: node, for: self, client, said, isUpgrade: isUpgrade)
    passage = .onward(relay)
    // The resolver may answer long after the relay has given up.
    context.cluster?.find(node) { [loop, weak relay] destination in
      loop.execute { [weak relay] in relay?.begin(destination) }
    }
  }

  // MARK: What a relay tells

  /// The node has answered: from here on it speaks with the client.
  func relayOpened() {
    // A client that is passed on from now on would not be asked to go; an answer to a request is there already.
    if case .channel = state, loop.drainSecondsLeft != nil { return relayFailed() }
    countNoMorePerson()
    forgetPerson()
    if case .channel = state {
      _ = channel.endSearch()
      channel.leave()
      frames = FrameReader(role: .server, messageLimit: 0)
      channel.transport = .frames(.server)
    }
    state = .relayed
    beginTaking()
    goOn()
  }

  /// Sends the client what the node has said.
  ///
  /// - Parameter bytes: the next ones.
  func take(_ bytes: Span<UInt8>) {
    guard case .relayed = state else { return }
    let sent = output.sentCount
    guard output.send(bytes, to: descriptor) else { return abort() }
    loop.work.stats.note(.sent, times: output.sentCount - sent)
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
    if case .onward(let relay)? = passage { relay.close() }
    if relayingNode == nil { passage = nil }
    let reason = "The session is at another node, which does not take the client now. Come back later."
    switch state {
    case .channel where channel.endSearch(): channel.say(.unavailable, reason)
    case .http: answer(with: Response(problem: HTTPError(.unavailable, reason)))
    default: return
    }
    goOn()
  }

  /// Passes on what has been received.
  ///
  /// - Returns: false: nothing of it is left.
  func passOn() -> Bool {
    guard case .onward(let relay)? = passage else { return false }
    let isThere = input.withUnread { relay.pass($0) }
    input.consume(input.count)
    if !isThere { relay.end() }
    return false
  }

  /// The client says nothing more; it may still be told something.
  func clientEndedRelay() {
    guard case .onward(let relay)? = passage else { return abort() }
    relay.endSending()
  }

  /// Goes without a word, as the other node is not there any more: the one that has the session, or that passes the client on.
  ///
  /// - Parameter node: the node.
  func endRelay(with node: Int) {
    switch passage {
    case .onward(let relay) where relay.leads(to: node): relay.end()
    case .incoming(let client) where client.node == node: abort()
    case .opening, .onward, .incoming, nil: break
    }
  }
}
