import Logging
import Synchronization
import Wire

/// Brings sessions into the memory of a loop.
struct LoopSource: SessionSource, Sendable {
  let context: ServerContext
  let loop: EventLoop

  var isStopping: Bool { loop.isStopping }
  var isSuspended: Bool { context.isSuspended(at: loop.now) }
  var wallClock: Int { loop.work.environment.time.wall() }

  var program: String { context.program }

  func noteAbsence(ofSession id: String, _ lease: SessionLease) { loop.noteAbsence(ofSession: id, lease) }

  func execute(_ body: @escaping @Sendable () -> Void) { loop.execute(body) }

  var now: UInt64 { loop.now }

  func executeSoon(_ body: @escaping @Sendable () -> Void) {
    // Not all who wait for one process at once.
    loop.execute(after: .milliseconds(300 + Int(loop.work.environment.randomWord() % 400)), body)
  }

  func ask(_ request: StoreRequest, _ completion: @escaping @Sendable (Result<StoreResult, StoreError>) -> Void) {
    guard let store = loop.store else { return completion(.success(.missing)) }
    // A session that rests on takes no memory.
    if case .resume = request { return resume(request, from: store, completion) }
    guard let error = admit() else { return load(takingOver(request), from: store, completion) }
    loop.execute { completion(.failure(error)) }
  }

  private func resume(
    _ request: StoreRequest, from store: StoreWriter,
    _ completion: @escaping @Sendable (Result<StoreResult, StoreError>) -> Void
  ) {
    let takeover = context.cluster?.takeover ?? .anybody
    store.submit([
      StoreJob(request, on: loop) { result in
        noteAnswer(to: request, result)
        // Of a holder that is dead, or where no node can be asked.
        let mustLoad = if case .success(.held(let holder)) = result { takeover.includes(holder) } else { false }
        completion(mustLoad ? .success(.mustLoad) : result)
      }
    ])
  }

  private func noteAnswer(to request: StoreRequest, _ result: Result<StoreResult, StoreError>) {
    switch request {
    case .load(let id, _, _): context.cluster?.noteAnswer(about: id, result)
    case .resume(let resume): context.cluster?.noteAnswer(about: resume.sessionID, result)
    default: break
    }
  }

  /// A request to load, as it is at first: from dead nodes a session is taken, and from others if nobody can ask them.
  private func takingOver(_ request: StoreRequest) -> StoreRequest {
    guard case .load(let id, let tokenHash, .nobody) = request else { return request }
    return .load(sessionID: id, tokenHash: tokenHash, from: context.cluster?.takeover ?? .anybody)
  }

  func ask(
    _ holder: Int, about id: String, _ claim: SessionClaim, _ completion: @escaping @Sendable (Placement) -> Void
  ) {
    guard let cluster = context.cluster else { return loop.execute { completion(.here(from: .anybody)) } }
    cluster.ask(holder, about: id, claim) { placement in loop.execute { completion(placement) } }
  }

  func noteMove(of id: String) { context.cluster?.noteMove(of: id) }

  /// Makes room for a session, or says why there is none: its client comes back a little later.
  ///
  /// One that is not read for want of a place takes nothing of the budget of ``MemoryCeiling``.
  private func admit() -> StoreError? {
    guard context.loads.withLock({ $0.enter(at: loop.now) }) else {
      return StoreError("More sessions wait to be read than can be read in time.")
    }
    guard context.isOverMemory.load(ordering: .relaxed),
      context.loadBudget.subtract(1, ordering: .relaxed).newValue < 0
    else { return nil }
    context.loads.withLock { $0.cancel() }
    return StoreError("The server's memory is full.")
  }

  private func load(
    _ request: StoreRequest, from store: StoreWriter,
    _ completion: @escaping @Sendable (Result<StoreResult, StoreError>) -> Void
  ) {
    let (logger, context, loop) = (context.logger, context, loop)
    store.submit([
      StoreJob(request, on: loop) { result in
        context.loads.withLock { loads in
          switch result {
          case .success(.loaded): loads.leave(at: loop.now)
          case .success: loads.leaveUnread(at: loop.now)
          case .failure: loads.fail()
          }
        }
        if case .success(.refused(let error)) = result, case .load(let id, _, _) = request {
          logger.critical("A session cannot be read.", metadata: ["session": "\(id)", "reason": "\(error)"])
        }
        noteAnswer(to: request, result)
        completion(result)
      }
    ])
  }

  func refusal(of resting: RestingSession) -> Ending? {
    let identity = resting.identity
    if let person = resting.client.person, context.revocations.covers(person) {
      noteAbsence(ofSession: identity.id, resting.lease)
      return Binding.revoked
    }
    guard context.apps[identity.app] == nil else { return nil }
    noteAbsence(ofSession: identity.id, resting.lease)
    return unknownApp(identity.app)
  }

  private func unknownApp(_ name: String) -> Ending {
    Ending(.unknownApp, "There is no app \"\(name)\" here any more.", needsAnotherProgram: true)
  }

  var nodeOfAnotherProgram: Int? { context.cluster?.nodeOfAnotherProgram }

  func restore(_ stored: StoredSession) -> Result<Session, Ending> {
    do throws(Ending) {
      return .success(try makeSession(stored))
    } catch {
      noteAbsence(ofSession: stored.identity.id, stored.lease)
      return .failure(error)
    }
  }

  private func makeSession(_ stored: StoredSession) throws(Ending) -> Session {
    let id = stored.identity.id
    guard let app = context.apps[stored.identity.app] else { throw unknownApp(stored.identity.app) }
    if let crash = stored.crashes.first(where: { $0.client == 0 && $0.count >= StoredSession.Crash.limit }) {
      context.logger.critical(
        "A session is set aside: the server dies of it.", metadata: ["session": "\(id)", "times": "\(crash.count)"])
      throw Ending(.poisoned, "The server's process has died \(crash.count) times while it ran this session.")
    }
    // What builds the root is as much the app's code as what restores its state.
    loop.work.flight?.begin(id, client: 0, number: 0)
    defer { loop.work.flight?.end() }
    let session: Session
    do {
      session = try Session(of: app, stored, on: loop, context)
    } catch {
      context.logger.error(
        "A session could not be built.", metadata: ["session": "\(id)", "app": "\(app.name)", "error": "\(error)"])
      throw Ending(.failed, "The app \"\(app.name)\" could not be started.")
    }
    if let ending = session.core.restore(stored) { throw ending }
    return session
  }
}
