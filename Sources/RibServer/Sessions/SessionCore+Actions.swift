import Logging
import RibCore
import Wire

extension SessionCore {
  /// Runs an action, or answers it again if it was run before.
  ///
  /// - Parameters:
  ///   - act: the action.
  ///   - client: whose.
  ///   - channel: where it came from.
  /// - Returns: what the client did wrong, or nil.
  func act(_ act: ClientMessage.Act, of client: Int, from channel: Channel) -> String? {
    // Also a repetition waits for what is under way.
    defer { if commits.isPending { channel.waitingActions.note() } }
    return run(act.number, of: client, to: act.to, named: seenName(of: act.action, to: act.to)) { () throws(Refusal) in
      if spans != nil { beginSpan(of: act.action, to: act.to, client) }
      return try tree.perform(act.action, for: act.to, by: audience[client].actor, rendering: work.viewRenderer)
    }
  }

  /// Leaves a node, as the back button of a view does, or answers that again; numbered as an action.
  ///
  /// - Parameters:
  ///   - back: the node.
  ///   - client: whose.
  ///   - channel: where it came from.
  /// - Returns: what the client did wrong, or nil.
  func goBack(_ back: ClientMessage.Back, of client: Int, from channel: Channel) -> String? {
    defer { if commits.isPending { channel.waitingActions.note() } }
    return run(back.number, of: client, to: back.to, named: seenName(of: nil, to: back.to)) { () throws(Refusal) in
      if spans != nil { beginSpan(of: nil, to: back.to, client) }
      return try tree.back(from: back.to, rendering: work.viewRenderer).commands
    }
  }

  /// Does what a client has numbered, once.
  ///
  /// - Parameters:
  ///   - number: the action's.
  ///   - client: whose.
  ///   - address: the riblet that it is for.
  ///   - name: the action's name, for somebody who looks.
  ///   - body: does it.
  /// - Returns: what the client did wrong, or nil.
  @inline(__always)
  func run(
    _ number: Int, of client: Int, to address: NodeAddress, named name: String,
    _ body: () throws(Refusal) -> [EffectCommand]
  ) -> String? {
    switch audience[client].ledger.take(number) {
    case .next: break
    case .done:
      count(.repeated)
      noteAnswer()
      sendPatch(to: client, base: revision)
      return nil
    case .gap: return "Action \(number) came after \(audience[client].ledger.number): numbers go up by one."
    }
    noteChange()
    lastActor = client
    stats.noteAction(at: work.now)
    var refusal: Nack.Code?
    let start = work.time()
    do throws(Refusal) {
      try check(number, of: client, to: address)
      work.flight?.begin(id, client: client, number: number)
      defer { work.flight?.end() }
      tree.recorder?.client = .init(audience[client].actor, number: number)
      let commands = try body()
      charge(commands, to: client)
      hasActed = true
      count(.applied)
      publish(replyingTo: client)
      carryOut(commands)
      spans?.endAction()
    } catch {
      refusal = error.code
      spans?.endAction(error)
      refuse(number, of: client, error)
    }
    noteAnswer()
    noteDuration(since: start, of: client) {
      SeenTransaction(name: name, client: client, number: number, refusal: refusal)
    }
    return nil
  }

  /// Begins the span of an action, or of a step back.
  ///
  /// - Parameters:
  ///   - action: the action; nil for a step back.
  ///   - address: the riblet's.
  ///   - client: whose it is.
  func beginSpan(of action: JSONElement?, to address: NodeAddress, _ client: Int) {
    let name = action.map { tree.actionName(of: $0, for: address) } ?? "back"
    spans?.beginAction(tree.typeName(at: address), name, trace(of: client), isRequest: work.trace != nil)
  }

  /// Makes sure that a client may act, and that its action has not made the server die twice.
  private func check(_ number: Int, of client: Int, to address: NodeAddress) throws(Refusal) {
    guard let refusal = refusal(ofAction: number, of: client) else { return }
    // No riblet is asked; what is told of the refusal names the one that the action was for.
    tree.noteTarget(address)
    throw refusal
  }

  private func refusal(ofAction number: Int, of client: Int) -> Refusal? {
    if audience[client].ledger.record.scope == .view {
      return Refusal(.forbidden, "The client was invited to look, not to act.")
    }
    guard !effects.crashes.isEmpty else { return nil }
    let count = effects.crashCount(ofAction: number, of: client)
    guard count >= StoredSession.Crash.limit else { return nil }
    return Refusal(.poisoned, "The server's process has died \(count) times while it ran this action.")
  }

  /// Says that an action was refused, and keeps that until the client has heard of it.
  private func refuse(_ number: Int, of client: Int, _ refusal: Refusal) {
    work.stats.apps[Int(appNumber)].refused[refusal.code, default: 0] += 1
    let level: Logger.Level = refusal.code == .failed || refusal.code == .poisoned ? .error : .debug
    log(
      level, "An action was refused.",
      [
        "riblet": "\(tree.lastTypeName ?? "none")", "code": "\(refusal.code.rawValue)",
        "reason": "\((refusal.cause.map { "\($0)" } ?? refusal.message).forLog)",
      ].tracing(trace(of: client)))
    let nack = Nack(number: number, code: refusal.code, message: ClientLedger.brief(refusal.message))
    if let last = audience.refuse(nack, of: client) { uncommitted.forgetRefusals(of: client, upTo: last) }
    if isDurable { uncommitted.nacks.append(SessionCut.Refusal(client: client, nack: nack)) }
    // A channel that was overtaken says no more: the answer goes where the client is.
    guard let channel = audience[client].channel else { return }
    work.json.removeAll()
    work.json.nack(nack)
    send(to: channel)
  }
}

extension RecordedTransaction.Client {
  /// The client that acts, as a recording has it.
  fileprivate init(_ actor: ActingClient, number: Int) {
    let issuer = actor.issuer.flatMap { $0.isEmpty ? nil : $0 }
    self.init(id: actor.id, number: number, subject: actor.subject, issuer: issuer, roles: actor.roles.sorted())
  }
}
