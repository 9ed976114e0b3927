import Logging
import Metrics
import Synchronization
import Wire

/// The one thread that a store is used on: it takes what all loops have asked for meanwhile, and has it done in one commit.
///
/// The first request that comes while nothing is under way is served at once; those that come while the disk works are
/// served together. If a batch cannot be committed because of something in it, its halves are, and so on: the request that is
/// the reason is refused alone. When the store itself fails, all that was asked for is answered so, and it is tried again until it
/// works.
final class StoreWriter: Sendable {
  private struct State {
    var queue = StoreQueue()
    var isRunning = false
    var pace = CommitPace()
    /// How many requests of the batch that is under way do not read sessions.
    var batchSize = 0
    /// How many requests the writer's thread waits for; nil if it does not.
    var awaited: Int?
    var end = End.open
    var health = StoreHealth()
    /// Requests that could not be done and that no session repeats: that sessions have ended, or have no client.
    ///
    /// They are made again once the store works.
    var notices: [StoreJob] = []
    /// Time that the store has not counted, as it was found by trying whether it works: who asks next for that is told.
    var uncounted: StoreTime.Change?
    /// Told on the writer's thread when the store works again; nil once the store is closed or given up.
    var onRecovery: (@Sendable () -> Void)?
    /// Told there when the store does not have any more what was committed; nil like ``onRecovery``.
    var onLoss: (@Sendable () -> Void)?
    /// Why the store fails, as it was logged last.
    var reason: String?
    /// Whether the loops were told that what was committed may be lost.
    var hasToldOfLoss = false

    /// Whether the store is tried again when it has failed.
    var isOpen: Bool { if case .open = end { true } else { false } }
    /// Whether it may be asked for something.
    var mayAsk: Bool {
      switch end {
      case .open, .closing: true
      case .givenUp, .closed: false
      }
    }

    /// Lets go of the loops, which hold the writer.
    mutating func letGo() {
      notices = []
      onRecovery = nil
      onLoss = nil
    }
  }

  /// How the writer comes to its end.
  ///
  /// | state     | ``close()`` | ``giveUp()`` | the store has returned from everything |
  /// |-----------|-------------|--------------|----------------------------------------|
  /// | `open`    | `closing`   | `givenUp`    |                                        |
  /// | `closing` |             | `givenUp`    | `closed`                               |
  /// | `givenUp` |             |              | `closed`                               |
  /// | `closed`  |             |              |                                        |
  private enum End {
    case open
    /// The store is closed once all that it was asked for is done; until then the caller waits.
    case closing(CheckedContinuation<Void, Never>)
    /// The store has not come back from a request. If it does, it is closed, and asked for nothing more.
    case givenUp
    case closed
  }

  let store: any SessionStore
  private let logger: Logger
  private let metrics: ServerMetrics
  private let time: TimeSource
  private let queue: any JobQueue
  private let state = Mutex(State())
  /// Signalled when there are as many requests as the writer's thread waits for.
  private let enough: any Semaphore
  /// Whether the store fails, as the state has it: each action asks.
  private let fails = Atomic(false)
  /// How many times the store was asked for something, or has come back from it: odd while it has not.
  ///
  /// ``StopDeadline`` reads it while the server stops.
  let turns = Atomic<UInt64>(0)

  /// A writer.
  ///
  /// - Parameters:
  ///   - store: what it writes to.
  ///   - logger: told when the store fails and when it works again.
  ///   - metrics: what is counted.
  ///   - environment: what tells the time, and makes the queue.
  ///   - onRecovery: called when it works again.
  ///   - onLoss: called when it does not have any more what was committed.
  init(
    _ store: any SessionStore, _ logger: Logger, _ metrics: ServerMetrics = ServerMetrics(),
    _ environment: Environment = .system, onRecovery: @escaping @Sendable () -> Void,
    onLoss: @escaping @Sendable () -> Void = {}
  ) {
    self.store = store
    self.logger = logger
    self.metrics = metrics
    time = environment.time
    queue = environment.makeQueue("ribserver.store", .normal)
    enough = environment.makeSemaphore()
    state.withLock { ($0.onRecovery, $0.onLoss) = (onRecovery, onLoss) }
  }

  /// Looks once a second whether the store has what was committed, also while nothing is asked for.
  func beginLooking() {
    queue.add(after: 1_000_000_000) { [self] in
      let (isOpen, isFailing) = state.withLock { ($0.isOpen, $0.health.isFailing) }
      guard isOpen else { return }
      do throws(StoreError) {
        // One that fails is tried already.
        if !isFailing, try !inTurn({ () throws(StoreError) in try store.look() }) { return }
      } catch {
        noteFailure(error, [])
      }
      beginLooking()
    }
  }

  /// Whether the store fails.
  var isFailing: Bool { fails.load(ordering: .acquiring) }

  /// Asks for something.
  ///
  /// Thread-safe.
  ///
  /// - Parameter jobs: what.
  func submit(_ jobs: [StoreJob]) {
    let (mustStart, isEnough) = state.withLock { state in
      state.queue.append(jobs)
      let isEnough = state.awaited.map { state.queue.count >= $0 } ?? false
      if isEnough { state.awaited = nil }
      defer { state.isRunning = true }
      return (!state.isRunning, isEnough)
    }
    if mustStart { queue.add { self.run() } }
    if isEnough { enough.signal() }
  }

  /// Closes the store once all that was asked for is done, and returns then, or when the store is given up.
  func close() async {
    await withCheckedContinuation { done in
      let mustWait = state.withLock { state in
        guard case .open = state.end else { return false }
        state.end = .closing(done)
        return true
      }
      // Behind what runs.
      queue.add { self.closeStore() }
      if !mustWait { done.resume() }
    }
  }

  /// Waits for the store no longer: it is asked for nothing more, and requests that wait fail when it comes back.
  func giveUp() {
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      switch state.end {
      case .open, .givenUp:
        state.end = .givenUp
        state.letGo()
        return nil
      case .closing(let waiting):
        state.end = .givenUp
        state.letGo()
        return waiting
      case .closed: return nil
      }
    }
    waiting?.resume()
  }

  /// Whether the store has not come back from a request, and was left alone.
  var isGivenUp: Bool { state.withLock { if case .givenUp = $0.end { true } else { false } } }

  private var isClosed: Bool { state.withLock { if case .closed = $0.end { true } else { false } } }

  private func closeStore() {
    guard !isClosed else { return }
    inTurn {
      saveAtLast()
      store.close()
    }
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      defer {
        state.end = .closed
        state.letGo()
      }
      guard case .closing(let waiting) = state.end else { return nil }
      return waiting
    }
    waiting?.resume()
  }

  /// Restores lost files before the store is closed, after which the data would be gone.
  private func saveAtLast() {
    do throws(StoreError) {
      _ = try store.look()
    } catch {
      logger.error("The session store fails as it is closed.", metadata: ["reason": "\(error)"])
      do throws(StoreError) {
        _ = try store.perform([.probe])
      } catch {
        logger.critical("What was committed may be lost.", metadata: ["reason": "\(error)"])
      }
    }
  }

  /// The error of requests that come to a store that was closed or given up.
  private static let isOver = StoreError("The store is asked for nothing more.")

  private func run() {
    while let jobs = take() {
      guard state.withLock({ $0.mayAsk }) else {
        // A request without an answer keeps its completion, and with it the loop, in memory.
        for job in jobs { job.result = .failure(Self.isOver) }
        answer(jobs)
        continue
      }
      let start = time.monotonic()
      do throws(StoreError) {
        try perform(jobs[...])
      } catch {
        let failed = jobs.filter { $0.result == nil }
        for job in failed { job.result = .failure(error) }
        // Of a store that was given up nobody waits to work again.
        if state.withLock({ $0.mayAsk }) { noteFailure(error, failed) }
      }
      state.withLock {
        $0.pace.didCommit($0.batchSize, with: $0.queue.writeCount, from: start, to: time.monotonic())
      }
      answer(jobs)
    }
  }

  /// Waits until there is enough for a commit, where it is worth it.
  private func waitForMore() {
    let end = state.withLock { state -> UInt64? in
      guard case .open = state.end, state.queue.count > 0 else { return nil }
      let wait = state.pace.wait(with: state.queue.count, at: time.monotonic())
      state.awaited = wait?.count
      return wait?.end
    }
    guard let end, !enough.wait(until: end) else { return }
    let isSignalled = state.withLock { state in
      defer { state.awaited = nil }
      return state.awaited == nil
    }
    // Between the two.
    if isSignalled { enough.wait() }
  }

  private func take() -> [StoreJob]? {
    waitForMore()
    return state.withLock { state in
      let writeCount = state.queue.writeCount
      let jobs = state.queue.takeBatch()
      state.batchSize = writeCount - state.queue.writeCount
      guard jobs.isEmpty else { return jobs }
      state.isRunning = false
      return nil
    }
  }

  /// Has requests done: in one commit, or without those that cannot be.
  ///
  /// - Parameter jobs: what was asked for; their results are set.
  /// - Throws: ``StoreError`` if the store fails; the jobs that are not done have no result then.
  private func perform(_ jobs: ArraySlice<StoreJob>) throws(StoreError) {
    let start = time.monotonic()
    do throws(StoreError) {
      let results = try inTurn { () throws(StoreError) in try store.perform(jobs.map(\.request)) }
      metrics.commits.increment()
      metrics.commitTime.recordNanoseconds(time.monotonic() - start)
      metrics.commitSize.record(jobs.count)
      for (job, result) in zip(jobs, results) {
        var result = result
        if case .probe = job.request { result = withUncounted(result) }
        job.result = .success(result)
      }
    } catch {
      guard !error.isGlobal else { throw error }
      guard jobs.count > 1 else {
        for job in jobs { job.result = .success(.refused(error)) }
        return
      }
      guard state.withLock({ $0.mayAsk }) else { throw Self.isOver }
      let middle = jobs.startIndex + jobs.count / 2
      try perform(jobs[..<middle])
      try perform(jobs[middle...])
    }
  }

  /// What a probe is answered: also what was found since the last one, by trying whether the store works.
  private func withUncounted(_ result: StoreResult) -> StoreResult {
    let uncounted = state.withLock { state in
      defer { state.uncounted = nil }
      return state.uncounted
    }
    guard case .noted = result, let uncounted else { return result }
    return .notCounted(uncounted)
  }

  private func inTurn<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    turns.add(1, ordering: .relaxed)
    defer { turns.add(1, ordering: .relaxed) }
    return try body()
  }

  /// Each loop is told once for all that have asked from there.
  private func answer(_ jobs: [StoreJob]) {
    var rest = jobs
    while let loop = rest.first?.loop {
      let mine = rest.filter { $0.loop === loop }
      if mine.count == rest.count { rest = [] } else { rest.removeAll { $0.loop === loop } }
      loop.answer(mine)
    }
  }

  // MARK: Failure

  private func noteFailure(_ error: StoreError, _ jobs: [StoreJob]) {
    noteLoss(error)
    let pause = state.withLock { state in
      for job in jobs where state.isOpen {
        switch job.request {
        case .remove, .noteAbsence, .signOut: state.notices.append(job.again())
        case .create, .write, .load, .resume, .findExpired, .forget, .findRevocations, .tidy, .probe, .measure: break
        }
      }
      defer { fails.store(state.health.isFailing, ordering: .releasing) }
      if state.reason == nil { state.reason = "\(error)" }
      return state.health.didFail(at: time.monotonic())
    }
    metrics.failedCommits.increment()
    metrics.storeIsFailing.record(1)
    guard let pause else { return }
    let meanwhile =
      switch store.outage {
      case .goesOn: "Sessions go on in memory until it is back."
      case .waits: "Sessions wait until it is back."
      }
    logger.error("The session store fails. \(meanwhile)", metadata: ["reason": "\(error)"])
    tryAgain(after: pause)
  }

  /// Tells the loops, once until the store works again, that what was committed may be lost.
  private func noteLoss(_ error: StoreError) {
    guard error.endangersAll else { return }
    let onLoss = state.withLock { state -> (@Sendable () -> Void)? in
      defer { state.hasToldOfLoss = true }
      return state.hasToldOfLoss ? nil : state.onLoss
    }
    onLoss?()
  }

  private func tryAgain(after pause: Int) {
    queue.add(after: UInt64(pause) * 1_000_000) { [self] in
      guard state.withLock({ $0.isOpen }) else { return }
      var results: [StoreResult]?
      do throws(StoreError) {
        results = try inTurn { () throws(StoreError) in try store.perform([.probe]) }
      } catch {
        noteLoss(error)
        noteReason("\(error)")
      }
      let works = results != nil
      let next = state.withLock { state in
        if case .notCounted(let change)? = results?.first { state.uncounted = change }
        defer { fails.store(state.health.isFailing, ordering: .releasing) }
        return state.health.didTry(works: works, at: time.monotonic())
      }
      if let next { tryAgain(after: next) } else { recover() }
    }
  }

  /// Logs why the store fails, if it is another reason than before.
  private func noteReason(_ reason: String) {
    let isNews = state.withLock { state in
      defer { state.reason = reason }
      return state.reason != reason
    }
    if isNews { logger.error("The session store still fails.", metadata: ["reason": "\(reason)"]) }
  }

  private func recover() {
    let (notices, onRecovery) = state.withLock { state in
      defer { (state.notices, state.reason, state.hasToldOfLoss) = ([], nil, false) }
      return (state.notices, state.onRecovery)
    }
    metrics.storeIsFailing.record(0)
    logger.notice("The session store works again.")
    if !notices.isEmpty { submit(notices) }
    onRecovery?()
  }
}
