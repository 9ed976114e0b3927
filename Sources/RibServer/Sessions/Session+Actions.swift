import Logging
import RibCore
import Wire

extension Session {
  /// Runs an action, or answers it again if it was run before; to be called on the loop.
  ///
  /// `assumeIsolated` would allocate a closure and search for the present executor, for each action anew.
  ///
  /// - Parameters:
  ///   - act: the action.
  ///   - connection: where it came from.
  /// - Returns: what the client did wrong, or nil.
  nonisolated func actOnLoop(_ act: ClientMessage.Act, from connection: Connection) -> String? {
    assert(loop.isCurrent)
    let isolated = { (session: isolated Session, act: ClientMessage.Act, connection: Connection) -> String? in
      session.act(act, from: connection)
    }
    // What is isolated to a parameter takes it like any other.
    return unsafeBitCast(isolated, to: ((Session, ClientMessage.Act, Connection) -> String?).self)(
      self, act, connection)
  }

  private func act(_ act: ClientMessage.Act, from connection: Connection) -> String? {
    // Also a repetition waits for what is under way.
    defer { if commits.isPending { connection.waitingActions.note() } }
    return run(act.number, of: connection.renderer) { () throws(Refusal) in
      try tree.perform(act.action, for: act.to, rendering: loop.renderer)
    }
  }

  /// Leaves a node, as the renderer's back button does, or answers that again; numbered as an action.
  ///
  /// - Parameters:
  ///   - back: the node.
  ///   - connection: where it came from.
  /// - Returns: what the client did wrong, or nil.
  func goBack(_ back: ClientMessage.Back, from connection: Connection) -> String? {
    defer { if commits.isPending { connection.waitingActions.note() } }
    return run(back.number, of: connection.renderer) { () throws(Refusal) in
      try tree.back(from: back.to, rendering: loop.renderer).commands
    }
  }

  /// Does what a client has numbered, once.
  ///
  /// - Parameters:
  ///   - number: the action's.
  ///   - index: which client's.
  ///   - body: does it.
  /// - Returns: what the client did wrong, or nil.
  @inline(__always)
  func run(
    _ number: Int, of index: Int, _ body: () throws(Refusal) -> [EffectCommand]
  ) -> String? {
    switch renderers[index].ledger.take(number) {
    case .next: break
    case .done:
      sendPatch(to: index, base: revision)
      return nil
    case .gap: return "Action \(number) came after \(renderers[index].ledger.number): numbers go up by one."
    }
    noteChange()
    let start = loop.time()
    do throws(Refusal) {
      try check(number, of: index)
      loop.flight?.begin(id, client: index + 1, number: number)
      defer { loop.flight?.end() }
      tree.recorder?.client = .init(id: index + 1, number: number)
      let commands = try body()
      hasActed = true
      publish(replyingTo: index)
      carryOut(commands)
    } catch {
      if !refuse(number, from: index, error) {
        return "More than \(ClientLedger.nackLimit) refusals are not acknowledged."
      }
    }
    noteDuration(since: start)
    return nil
  }

  /// Makes sure that a renderer may act, and that its action has not made the server die twice.
  private func check(_ number: Int, of index: Int) throws(Refusal) {
    if renderers[index].ledger.record.scope == .view {
      throw Refusal(.forbidden, "The client was invited to look, not to act.")
    }
    guard !crashes.isEmpty else { return }
    if let crash = crashes.first(where: { $0.client == index + 1 && $0.number == number }),
      crash.count >= StoredSession.Crash.limit
    {
      throw Refusal(.poisoned, "The server's process has died \(crash.count) times while it ran this action.")
    }
  }

  /// Says that an action was refused, and keeps that until the client has heard of it.
  ///
  /// - Returns: whether there is room for it.
  private func refuse(_ number: Int, from index: Int, _ refusal: Refusal) -> Bool {
    let level: Logger.Level = refusal.code == .failed || refusal.code == .poisoned ? .error : .debug
    log(
      level, "An action was refused.",
      [
        "riblet": "\(tree.lastTypeName ?? "none")", "code": "\(refusal.code.rawValue)",
        "reason": "\(refusal.message)",
      ])
    let nack = Nack(number: number, code: refusal.code, message: ClientLedger.brief(refusal.message))
    let hasRoom = renderers[index].ledger.refuse(nack)
    if isDurable { uncommitted.nacks.append(SessionCut.Refusal(client: index + 1, nack: nack)) }
    guard let connection = renderers[index].connection else { return hasRoom }
    loop.json.removeAll()
    loop.json.nack(nack)
    send(to: connection)
    return hasRoom
  }
}
