import Logging
import RibCore
import Wire

/// An effect that runs.
struct RunningEffect {
  let task: Task<Void, Never>
  /// What the flight recorder knows it by.
  let number: Int
}

extension Session {
  /// Starts and cancels effects, and tells other sessions what they are to know.
  func carryOutNow(_ commands: [EffectCommand]) {
    for command in commands {
      switch command {
      case .start(let start):
        // Nobody would end what a session starts that has left.
        guard place != 0 else { continue }
        let number = start.flightNumber
        effects[start.token] = RunningEffect(task: run(start, number), number: number)
      case .cancel(let token): effects.removeValue(forKey: token)?.task.cancel()
      case .publish(let publish): publish()
      }
    }
  }

  /// Effects run on the global pool, never on the loop.
  private func run(_ effect: EffectStart, _ number: Int) -> Task<Void, Never> {
    Task.detached { [weak self] in
      var failure: (any Error)?
      do {
        try await effect.run { [weak self] report in await self?.receive(report, from: number) }
      } catch {
        failure = error
      }
      await self?.effectEnded(effect, number, failure)
    }
  }

  private func receive(_ report: EffectReport, from number: Int) {
    guard place != 0 else { return }
    let start = loop.time()
    transact(
      "What an effect sent could not be applied.", number, riblet: { tree.lastTypeName ?? "none" },
      { () throws(Refusal) in try tree.receive(report, rendering: loop.renderer) })
    noteDuration(since: start)
    flush()
  }

  private func effectEnded(_ effect: EffectStart, _ number: Int, _ error: (any Error)?) {
    effects[effect.token] = nil
    guard place != 0 else { return }
    transact(
      "What an effect was to be followed by could not be done.", number, riblet: { effect.typeName },
      { () throws(Refusal) in
        try tree.effectEnded(effect.token, hasFailed: error != nil, rendering: loop.renderer)
      })
    // Another one of its name may be the one to blame.
    if !crashes.isEmpty, !effects.values.contains(where: { $0.number == number }) { endedEffects.insert(number) }
    flush()
    guard let error, !(error is CancellationError) else { return }
    log(.error, "An effect has failed.", ["riblet": "\(effect.typeName)", "error": "\(error)"])
  }

  /// A transaction that no client has asked for.
  private func transact(
    _ complaint: StaticString, _ effect: Int, riblet: () -> String,
    _ body: () throws(Refusal) -> [EffectCommand]
  ) {
    noteChange()
    loop.flight?.begin(id, client: 0, number: effect)
    defer { loop.flight?.end() }
    do throws(Refusal) {
      let commands = try body()
      publish()
      carryOut(commands)
    } catch {
      log(.error, "\(complaint)", ["riblet": "\(riblet())", "reason": "\(error.message)"])
    }
  }

  private func flush() {
    for renderer in renderers { renderer.connection?.flush() }
  }

  // MARK: Walks

  /// Begins the app's walk through the tree, if it has one.
  func beginWalk(_ walk: App.Walk?) {
    guard let walk else { return }
    let root = tree.rootID
    walkTask = Task.detached { [weak self] in
      do {
        try await walk(root) { [weak self] request in
          guard let self else { throw CancellationError() }
          return try await self.answer(request)
        }
        await self?.walkEnded(nil)
      } catch {
        await self?.walkEnded(error)
      }
    }
  }

  private func walkEnded(_ error: (any Error)?) {
    walkTask = nil
    guard let error, !(error is CancellationError) else { return }
    log(.warning, "A walk through the tree could not be finished.", ["reason": "\(error)"])
  }

  /// Does a step of a walk, after as many transactions as it takes.
  private func answer(_ request: WorkflowRequest) async throws -> NodeID {
    while true {
      try Task.checkCancellation()
      guard place != 0 else { throw CancellationError() }
      noteChange()
      if case .node(let id, let commands) = try tree.answer(request, rendering: loop.renderer) {
        publish()
        carryOut(commands)
        flush()
        return id
      }
      await withTaskCancellationHandler {
        await withCheckedContinuation { waitingSteps.append($0) }
      } onCancel: {
        Task { await self.resumeWalks() }
      }
    }
  }

  /// Lets walks look whether what they wait for has come.
  func resumeWalks() {
    guard !waitingSteps.isEmpty else { return }
    let steps = waitingSteps
    waitingSteps = []
    for step in steps { step.resume() }
  }
}

extension EffectStart {
  /// What the flight recorder knows the effect by, also in the next process: the same for those of one riblet type and one
  /// name.
  fileprivate var flightNumber: Int {
    // FNV-1a; Hasher's results are good for one process.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in "\(typeName) \(id.map(\.description) ?? "")".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Int(hash >> 12) | 1
  }
}
