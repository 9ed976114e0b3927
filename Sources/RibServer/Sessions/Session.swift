import RibCore
import Synchronization
import Wire

/// Runs a session: carries out what its ``SessionCore`` asks for, on the loop of its connections.
///
/// It outlives its connections. When it has had none for a while it leaves memory, and comes back from the store when a
/// client does.
///
/// It is an actor for effects and walks, which run on other threads, and because its riblets are to die on its loop. All
/// that it has is confined to the loop's queue: the loop is the actor's executor, and connections, the loop and the finder
/// call it there without a hop. So `nonisolated(unsafe)` is safe: no two calls overlap.
actor Session: SessionDriver {
  nonisolated let id: String
  nonisolated let loop: EventLoop
  nonisolated let context: ServerContext
  nonisolated(unsafe) let core: SessionCore
  /// Its number among the loop's sessions; nil before it has started and after it has left memory.
  nonisolated(unsafe) private var place: Int?
  nonisolated(unsafe) private var tasks: [EffectToken: Task<Void, Never>] = [:]
  nonisolated(unsafe) private var walkTask: Task<Void, Never>?
  /// Steps of the walk that wait for the next transaction.
  nonisolated(unsafe) private var waitingSteps: [CheckedContinuation<Void, Never>] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// A session whose tree is not started.
  ///
  /// - Throws: what the app says of the parameters.
  init(
    of app: App, _ hello: ClientMessage.Hello, token: String, _ person: ClientProfile.Person?, from place: Place?,
    on loop: EventLoop, _ context: ServerContext
  ) throws {
    self.init(
      try SessionCore(
        of: app, hello.parameters, token: token, profile: ClientProfile(hello.client, person), place: place,
        durability: loop.durability, outage: loop.outage, loop.work, context),
      loop, context)
  }

  /// A session whose tree is not restored.
  ///
  /// - Throws: what the app says of the parameters.
  init(of app: App, _ stored: StoredSession, on loop: EventLoop, _ context: ServerContext) throws {
    self.init(
      try SessionCore(of: app, stored, durability: loop.durability, outage: loop.outage, loop.work, context), loop,
      context)
  }

  private init(_ core: SessionCore, _ loop: EventLoop, _ context: ServerContext) {
    id = core.id
    self.core = core
    self.loop = loop
    self.context = context
    context.sessionCount.add(1, ordering: .relaxed)
    core.driver = self
  }

  isolated deinit {
    context.sessionCount.subtract(1, ordering: .relaxed)
  }

  // MARK: What the session asks for

  nonisolated var isStoreFailing: Bool { loop.isStoreFailing }
  nonisolated var isSuspended: Bool { context.isSuspended(at: loop.now) }
  nonisolated func isStoreShared(since time: UInt64) -> Bool { loop.store?.store.isShared(since: time) ?? false }

  nonisolated func reserveRest(isAwaited: Bool) -> Bool {
    guard let place, loop.store != nil else { return false }
    return loop.mayRest(place, isAwaited: isAwaited)
  }

  nonisolated func carryOut(_ command: SessionCommand) {
    switch command {
    case .enterMemory(let isNew):
      place = loop.add(self)
      if isNew { context.sessions.add(self, id) }
    case .leaveMemory: leaveMemory()
    case .commit: loop.willCommit(self)
    case .remove(let lease, let reason): remove(lease, reason)
    case .reportEnd(let reason): context.ends.report(id, ofApp: core.identity.app, reason)
    case .forget(let lease): loop.store?.submit([StoreJob(.remove(sessionID: id, lease), on: loop)])
    case .noteAbsence(let lease): loop.noteAbsence(ofSession: id, lease)
    case .callOffRest: loop.didRest()
    case .look(let seconds): if let place { loop.schedule(place, after: seconds) }
    case .start(let effect, let number): start(effect, number)
    case .cancel(let token): cancel(token)
    case .cancelAll: cancelAll()
    case .listen(let bells): context.sessions.listen(to: bells, for: id)
    case .walk(let walk): begin(walk)
    case .resumeWalk: resumeWalk()
    }
  }

  private nonisolated func remove(_ lease: SessionLease, _ reason: EndedSession.Reason) {
    // The session itself is not kept until a store that fails works again.
    let (id, app, ends) = (id, core.identity.app, context.ends)
    let job = StoreJob(.remove(sessionID: id, lease), on: loop) { [self] result in
      core.didRemove(result)
    } onSuccess: { result in
      if case .removed(let count) = result, count > 0 { ends.report(id, ofApp: app, reason) }
    }
    loop.store?.submit([job])
  }

  private nonisolated func leaveMemory() {
    if let place { loop.remove(session: place) }
    place = nil
    context.sessions.remove(self, id)
    cancelAll()
    walkTask?.cancel()
    resumeWalk()
  }

  private nonisolated func cancel(_ token: EffectToken) {
    guard let task = tasks.removeValue(forKey: token) else { return }
    core.count(.effectsCancelled)
    task.cancel()
  }

  private nonisolated func cancelAll() {
    for token in Array(tasks.keys) { cancel(token) }
  }

  // MARK: Effects

  /// Effects run on the environment's pool, never on the loop.
  private nonisolated func start(_ effect: EffectStart, _ number: Int) {
    core.count(.effectsStarted)
    let span = core.spans?.begin(effect)
    tasks[effect.token] = Task.detached(executorPreference: context.environment.taskExecutor) { [weak self] in
      var failure: (any Error)?
      do {
        try await SessionSpans.run(
          {
            try await effect.run { [weak self] report in await self?.receive(report, from: number) }
          }, in: span)
      } catch {
        failure = error
      }
      await self?.effectEnded(effect, failure)
    }
  }

  private func receive(_ report: EffectReport, from number: Int) { core.receive(report, from: number) }

  private func effectEnded(_ effect: EffectStart, _ error: (any Error)?) {
    // Otherwise it was cancelled, and is counted.
    if tasks.removeValue(forKey: effect.token) != nil { core.count(error == nil ? .effectsFinished : .effectsFailed) }
    core.effectEnded(effect, error)
  }

  // MARK: Walks

  /// Begins the app's walk through the tree.
  private nonisolated func begin(_ walk: @escaping App.Walk) {
    let root = core.tree.rootID
    walkTask = Task.detached(executorPreference: context.environment.taskExecutor) { [weak self] in
      var failure: (any Error)?
      do {
        try await walk(root) { [weak self] request in
          guard let self else { throw CancellationError() }
          return try await self.answer(request)
        }
      } catch {
        failure = error
      }
      await self?.walkEnded(failure)
    }
  }

  private func walkEnded(_ error: (any Error)?) {
    walkTask = nil
    core.walkEnded(error)
  }

  /// Does a step of a walk, after as many transactions as it takes.
  private func answer(_ request: WorkflowRequest) async throws -> NodeID {
    while true {
      try Task.checkCancellation()
      if let id = try core.answer(request) { return id }
      await withTaskCancellationHandler {
        await withCheckedContinuation { waitingSteps.append($0) }
      } onCancel: {
        Task(executorPreference: context.environment.taskExecutor) { await self.lookAgain() }
      }
    }
  }

  private func lookAgain() { resumeWalk() }

  /// Lets steps of the walk look whether what they wait for has come.
  private nonisolated func resumeWalk() {
    guard !waitingSteps.isEmpty else { return }
    let steps = waitingSteps
    waitingSteps = []
    for step in steps { step.resume() }
  }
}
