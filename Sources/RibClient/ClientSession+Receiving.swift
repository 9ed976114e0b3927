import Wire

/// What the server says.
extension ClientSession {
  /// Takes a message from the server, or an array of messages.
  ///
  /// - Parameter text: the message's bytes.
  /// - Returns: what happened, in order.
  /// - Throws: ``ClientError/badServer(_:)`` if the message is none, comes out of turn, or answers what it cannot. The
  ///   connection is of no more use then.
  public mutating func receive(_ text: Span<UInt8>) throws(ClientError) -> [ClientEvent] {
    let json: JSONElement
    do throws(JSONError) {
      json = try reader.read(text).root
    } catch {
      throw .badServer("\(error)")
    }
    var events: [ClientEvent] = []
    if json.kind == .array {
      for element in json.elements { events += try receive(element) }
    } else {
      events = try receive(json)
    }
    return events
  }

  private mutating func receive(_ json: JSONElement) throws(ClientError) -> [ClientEvent] {
    let message: ServerMessage
    do throws(MessageError) {
      message = try ServerMessage(json)
    } catch {
      throw .badServer(error.description)
    }
    switch (state, message) {
    case (_, .unknown), (_, .pong): return []
    case (.greeting, .bye(let bye, let text)), (.live, .bye(let bye, let text)):
      return end(bye, text)
    case (.greeting, .welcome(let welcome)):
      return try begin(welcome)
    case (.live, .snap(let epoch, let revision, let number, let view)):
      mirror.show(view, epoch: epoch, revision: revision)
      return [.view(changes: nil)] + (try cover(number))
    case (.live, .patch(let revision, let base, let number, let operations, let hash)):
      let outcome = mirror.apply(operations, base: base, revision: revision, hash: hash)
      // Whatever becomes of the view, the actions that it covers are done.
      return events(outcome, operations) + (try cover(number))
    case (.live, .nack(let nack)):
      // Replies come in order: what was sent before a refused action is answered as well. A number of 0 refuses nothing.
      let before = try cover(max(coveredNumber, nack.number - 1))
      let refused = settle { $0.number == nack.number }.map { ClientEvent.refused($0, nack) }
      return before + refused + (try cover(nack.number))
    case (.live, .share(let token, let expires)): return [.shared(token: token, expires: expires)]
    case (.live, .notice(let durability)): return [.notice(durability)]
    case (.greeting, .drain(let milliseconds)), (.live, .drain(let milliseconds)):
      return [.draining(within: milliseconds)]
    default:
      throw .badServer("A message came out of turn: \(json.source.prefix(80))")
    }
  }

  private mutating func begin(_ welcome: Welcome) throws(ClientError) -> [ClientEvent] {
    if let last = lastWelcome {
      guard welcome.resumed, welcome.sessionID == last.sessionID, welcome.clientID == last.clientID else {
        throw .badServer("The session that was asked for is another one.")
      }
    }
    state = .live(welcome)
    lastWelcome = welcome
    // Another life of the tree counts on from what was committed: one that is behind the view has lost some of it.
    let isBehind = welcome.epoch != mirror.epoch && welcome.revision < mirror.revision
    mirror.join(epoch: welcome.epoch)
    sentNumber = welcome.number
    acknowledged = nil
    var events: [ClientEvent] = []
    for nack in welcome.nacks {
      events += settle { $0.number == nack.number }.map { .refused($0, nack) }
    }
    let isBack = welcome.number < coveredNumber
    if !isBack { events += try cover(welcome.number) }
    if isBack || isBehind { events += renumber(from: welcome.number) }
    return events + [.live(welcome)]
  }

  /// Goes on from what the server has kept, when a crash was worse than what its answers survive.
  private mutating func renumber(from number: Int) -> [ClientEvent] {
    // Ids that were given since are given again, to other nodes.
    let kept = outbox.filter { if case .id(let id) = $0.to { view?["root"] == .integer(Int64(id)) } else { true } }
    let lost = coveredNumber - number + outbox.count - kept.count
    outbox = kept.enumerated().map { offset, action in
      Outstanding(number: number + 1 + offset, to: action.to, action: action.action)
    }
    coveredNumber = number
    lastNumber = number + outbox.count
    return lost > 0 ? [.lost(lost)] : []
  }

  /// What the server's `bye` leaves: a session to come back to, or answers that will never come.
  private mutating func end(_ bye: Bye?, _ text: String) -> [ClientEvent] {
    let event = ClientEvent.ended(bye, message: text)
    switch bye?.comesBack {
    case .atOnce?, .later?, nil:
      state = lastWelcome == nil ? .ended : .away
      return [event]
    case .asNewSession?, .not?:
      return [event] + abandon()
    }
  }

  /// What a patch means to whoever draws the view.
  private func events(_ outcome: ViewMirror.Outcome, _ operations: [PatchOperation]) -> [ClientEvent] {
    switch outcome {
    case .applied(let isVerified):
      (operations.isEmpty ? [] : [.view(changes: operations)]) + (isVerified ? [.verified(revision: revision)] : [])
    case .diverged(let divergence): [.outOfStep(divergence)]
    case .ignored: []
    }
  }

  private mutating func cover(_ number: Int) throws(ClientError) -> [ClientEvent] {
    guard number <= lastNumber else { throw .badServer("n is \(number), the last action is \(lastNumber).") }
    guard number >= coveredNumber else { throw .badServer("n went back from \(coveredNumber) to \(number).") }
    coveredNumber = number
    return settle { $0.number <= number }.map { .applied($0) }
  }

  private mutating func settle(_ isSettled: (Outstanding) -> Bool) -> [Outstanding] {
    let settled = outbox.filter(isSettled)
    outbox.removeAll(where: isSettled)
    return settled
  }
}
