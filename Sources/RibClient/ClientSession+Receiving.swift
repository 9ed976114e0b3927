import Wire

/// Handling of messages from the server.
extension ClientSession {
  /// Takes a message from the server, or an array of messages.
  ///
  /// - Parameter text: the bytes of the message.
  /// - Returns: the events that follow, in order.
  /// - Throws: ``ClientError/badServer(_:)`` if the bytes are not a message, or the message is out of turn or answers
  ///   something that was not asked. The connection is then of no more use.
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
      // Even if the patch does not fit the view, the actions that it covers are done.
      return events(outcome, operations) + (try cover(number))
    case (.live, .nack(let nack)):
      // Replies come in order: actions before a refused one were answered as well. A number of 0 refuses no action.
      let before = try cover(max(coveredNumber, nack.number - 1))
      let refused = settle { $0.number == nack.number }.map { ClientEvent.refused($0, $0.refusal(nack)) }
      return before + refused + (try cover(nack.number))
    case (.live(var welcome), .auth(let expires, let token)):
      welcome.identityExpires = expires
      if let token { welcome.token = token }
      (state, lastWelcome) = (.live(welcome), welcome)
      return [.renewed(expires: expires)]
    case (.live, .share(let token, let expires)): return [.shared(token: token, expires: expires)]
    case (.live, .notice(let durability)): return [.notice(durability)]
    case (.live, .clients(let clients)): return [.clients(clients)]
    case (.greeting, .drain(let milliseconds)), (.live, .drain(let milliseconds)):
      return [.draining(within: milliseconds)]
    default:
      throw .badServer("A message came out of turn: \(Substring(json.source.unicodeScalars.prefix(80)))")
    }
  }

  private mutating func begin(_ welcome: Welcome) throws(ClientError) -> [ClientEvent] {
    if let last = lastWelcome {
      guard welcome.resumed, haveSameUTF8(welcome.sessionID, last.sessionID), welcome.clientID == last.clientID else {
        throw .badServer("The session that was asked for is another one.")
      }
    }
    state = .live(welcome)
    lastWelcome = welcome
    // A new epoch continues from what was committed: if its revision is lower than the view's, some of the view was
    // lost.
    let isBehind = !haveSameUTF8(welcome.epoch, mirror.epoch) && welcome.revision < mirror.revision
    mirror.join(epoch: welcome.epoch)
    sentNumber = welcome.number
    acknowledged = nil
    var events: [ClientEvent] = []
    for nack in welcome.nacks {
      events += settle { $0.number == nack.number }.map { .refused($0, $0.refusal(nack)) }
    }
    if welcome.nacksOmitted > 0 {
      // Refused or done: the server does not know it any more.
      let first = welcome.nacks.first?.number ?? welcome.number + 1
      events += settle { $0.number < first && $0.number <= welcome.number }.map { .outcomeUnknown($0) }
    }
    let isBack = welcome.number < coveredNumber
    if !isBack { events += try cover(welcome.number) }
    if isBack || isBehind { events += renumber(from: welcome.number) }
    return events + [.live(welcome)]
  }

  /// Continues from what the server has kept, after a crash that its answers have not survived.
  private mutating func renumber(from number: Int) -> [ClientEvent] {
    // The server gives out lost ids again, to other nodes.
    let kept = outbox.filter { if case .id(let id) = $0.to { view?["root"] == .integer(Int64(id)) } else { true } }
    let lost = coveredNumber - number + outbox.count - kept.count
    outbox = kept.enumerated().map { offset, action in
      Outstanding(
        number: number + 1 + offset, to: action.to, action: action.action, isWithdrawn: action.isWithdrawn)
    }
    coveredNumber = number
    blamedNumber = 0
    lastNumber = number + outbox.count
    return lost > 0 ? [.lost(lost)] : []
  }

  /// Handles a `bye`: the session can be resumed, or its open actions will never be answered.
  private mutating func end(_ bye: Bye?, _ text: String) -> [ClientEvent] {
    let event = ClientEvent.ended(bye, message: text)
    switch bye?.comesBack {
    case .atOnce?, .later?, .withCredential?, .whenAsked?, nil:
      if bye?.comesBack == .whenAsked { blameFirst() }
      state = lastWelcome == nil ? .ended : .away
      return [event]
    case .asNewSession?, .not?:
      return [event] + abandon()
    }
  }

  /// Takes note that something that the client has sent was no message: probably the first action that has no answer.
  ///
  /// If it was that action the second time, only its number is sent again.
  mutating func blameFirst() {
    guard case .live = state, let first = outbox.first, first.number <= sentNumber else { return }
    if first.number == blamedNumber { outbox[0].isWithdrawn = true }
    blamedNumber = first.number
  }

  /// The events that follow from applying a patch.
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
