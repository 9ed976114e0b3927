import Logging
import RibCore
import Wire

extension SessionCore {
  /// Starts and cancels effects, and tells other sessions what they are to know.
  func carryOutNow(_ commands: [EffectCommand]) {
    for command in commands {
      switch command {
      case .start(let start):
        // An effect of a session that has left memory would never be cancelled.
        guard life.isInMemory, !life.isStopping else { continue }
        let number = start.flightNumber
        effects.start(start.token, number)
        driver?.carryOut(.start(start, number: number))
      case .cancel(let token):
        effects.cancel(token)
        driver?.carryOut(.cancel(token))
      case .publish(let announcement): if driver != nil { announcement.publish() }
      }
    }
  }

  /// Loop time for each listener, in nanoseconds, as an estimate: it is another session that works, tells its clients and commits.
  private static let timePerListener: UInt64 = 100_000

  /// Charges a client for what others are told as it has acted, and has it charged for what effects tell them.
  ///
  /// - Parameters:
  ///   - commands: what the client's action is followed by, or what one of its effects has sent.
  ///   - client: the client; 0 for none.
  func charge(_ commands: [EffectCommand], to client: Int) {
    guard client > 0 else { return }
    for command in commands {
      switch command {
      case .start(let start): start.tally.client = client
      case .publish(let announcement): chargeListeners(announcement.listenerCount(), to: client)
      case .cancel: break
      }
    }
  }

  private func chargeListeners(_ count: Int, to client: Int) {
    audience.noteTimeElsewhere(UInt64(count) * Self.timePerListener, of: client)
  }

  /// Charges what an effect has told others to the client that it runs for.
  ///
  /// - Returns: the client; 0 for none.
  private func charge(_ tally: EffectTally?) -> Int {
    guard let tally, tally.client > 0 else { return 0 }
    chargeListeners(tally.takeListeners(), to: tally.client)
    return tally.client
  }

  /// Takes what an effect has sent.
  ///
  /// - Parameters:
  ///   - report: what.
  ///   - number: what the flight recorder knows the effect by.
  func receive(_ report: EffectReport, from number: Int) {
    guard life.isInMemory, !life.isStopping else { return }
    let start = work.time()
    spans?.enter(report.token)
    defer { spans?.leave() }
    let payer = transact(
      "What an effect sent could not be applied.", number, report.tally,
      riblet: { tree.lastTypeName ?? "none" },
      { () throws(Refusal) in try tree.receive(report, rendering: work.viewRenderer) })
    noteDuration(since: start, of: payer) { SeenTransaction(name: SeenTransaction.reportName) }
  }

  /// Takes note that an effect has ended.
  ///
  /// - Parameters:
  ///   - effect: the effect.
  ///   - error: what it has thrown; nil if it has returned.
  func effectEnded(_ effect: EffectStart, _ error: (any Error)?) {
    guard life.isInMemory, !life.isStopping else { return }
    let start = work.time()
    effects.end(effect.token, effect.flightNumber)
    spans?.enter(effect.token)
    defer { spans?.leave(ended: effect.token) }
    let payer = transact(
      "What an effect was to be followed by could not be done.", effect.flightNumber, effect.tally,
      riblet: { effect.typeName },
      { () throws(Refusal) in
        try tree.effectEnded(effect.token, hasFailed: error != nil, rendering: work.viewRenderer)
      })
    noteDuration(since: start, of: payer) { SeenTransaction(name: SeenTransaction.reportName) }
    guard let error, !(error is CancellationError) else { return }
    log(.error, "An effect has failed.", ["riblet": "\(effect.typeName)", "error": "\(error)"])
  }

  /// A transaction of an effect, which may run for a client.
  ///
  /// - Returns: the client that the effect works for; nil for none.
  private func transact(
    _ complaint: StaticString, _ effect: Int, _ tally: EffectTally?, riblet: () -> String,
    _ body: () throws(Refusal) -> [EffectCommand]
  ) -> Int? {
    let client = charge(tally)
    let payer = client > 0 && tally?.isWork == true ? client : nil
    noteChange()
    if let payer { lastActor = payer }
    work.flight?.begin(id, client: 0, number: effect)
    defer { work.flight?.end() }
    do throws(Refusal) {
      let commands = try body()
      charge(commands, to: client)
      publish()
      carryOut(commands)
    } catch {
      // What a riblet refuses is nobody's fault.
      log(
        error.code == .refused ? .debug : .error, "\(complaint)",
        ["riblet": "\(riblet())", "reason": "\(error.message)"])
    }
    return payer
  }

  // MARK: Walks

  /// Does a step of a walk.
  ///
  /// - Parameter request: what it asks for.
  /// - Returns: the node that was asked for; nil as long as it is not there.
  /// - Throws: ``WorkflowError`` or `Refusal`, or `CancellationError` if the session is not in memory any more.
  func answer(_ request: WorkflowRequest) throws -> NodeID? {
    guard life.isInMemory, !life.isStopping else { throw CancellationError() }
    noteChange()
    work.flight?.begin(.walk, of: identity.app)
    defer { work.flight?.end() }
    guard case .node(let id, let commands) = try tree.answer(request, rendering: work.viewRenderer) else { return nil }
    publish()
    carryOut(commands)
    return id
  }

  /// Takes note that the walk has come to its end.
  ///
  /// - Parameter error: what it has thrown; nil if it has returned.
  func walkEnded(_ error: (any Error)?) {
    isWalking = false
    guard let error, !(error is CancellationError) else { return }
    log(.warning, "A walk through the tree could not be finished.", ["reason": "\(error)"])
  }
}
