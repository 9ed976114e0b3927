import RibMetrics
import Synchronization
import Wire

extension ServerInspection {
  private static let throttledLimit = 100

  // MARK: Riblets

  /// Begins to time each action of each type of riblet.
  package func beginTiming() {
    let isFirst = looks.withLock { looks in
      looks.readerCount += 1
      if looks.readerCount == 1 { looks.bookStart = context.environment.time.wall() }
      return looks.readerCount == 1
    }
    if isFirst { keepBooks() }
  }

  /// Ends what ``beginTiming()`` has begun, when nobody else looks.
  package func endTiming() {
    let isLast = looks.withLock { looks in
      looks.readerCount -= 1
      return looks.readerCount == 0
    }
    if isLast { keepBooks() }
  }

  /// Has each loop keep a book, or none: as is wanted by the time it gets there.
  private func keepBooks() {
    for loop in loops {
      loop.execute { [self] in
        let isWanted = looks.withLock { $0.readerCount > 0 }
        guard isWanted != (loop.work.book != nil) else { return }
        loop.work.book = isWanted ? ActionBook() : nil
      }
    }
  }

  /// How long riblets take.
  package func riblets() async -> RibletReport {
    let answers = await ask(loops) { (loop, done: @escaping @Sendable ((ActionBook?, SlowLog, Int)) -> Void) in
      done((loop.work.book, loop.work.slow, ObjectIdentifier(loop).hashValue))
    }
    var book = ActionBook()
    for case (let other?, _, _) in answers { book.add(other) }
    var report = RibletReport()
    report.since = looks.withLock { $0.bookStart }
    report.actions = book.report
    let places = Dictionary(uniqueKeysWithValues: loops.enumerated().map { (ObjectIdentifier($1).hashValue, $0) })
    let slow = answers.flatMap { _, log, loop in log.entries.map { (loop: places[loop] ?? 0, entry: $0) } }
    report.slow = slow.sorted { $0.entry.time > $1.entry.time }.prefix(SlowLog.limit).map { loop, entry in
      SlowTransaction(
        id: "\(loop).\(entry.number)", time: clock.milliseconds(at: entry.time), session: entry.session, app: entry.app,
        riblet: entry.riblet, duration: Int(entry.duration / 1000))
    }
    return report
  }

  // MARK: The store

  /// The session store.
  package func store() async -> StoreReport {
    measureStore()
    var report = StoreReport()
    report.kind = context.settings.store.rawValue
    report.durability = loops[0].durability.rawValue
    report.isFailing = loops[0].isStoreFailing
    report.sessions = measure?.sessionCount
    report.parts = (measure?.bytes ?? [:]).sorted { $0.key < $1.key }.map { .init(id: $0.key, bytes: $0.value) }
    report.commits = Int(number("ribserver_store_commits_total") ?? 0)
    report.failedCommits = Int(number("ribserver_store_failed_commits_total") ?? 0)
    if let sizes = histogram("ribserver_store_commit_requests") {
      report.requestsPerCommit = (sizes.sum / Double(sizes.count) * 10).rounded() / 10
    }
    let times = histogram("ribserver_store_commit_seconds")
    report.commitP50 = times?.quantile(0.5).map { Int($0 * 1e6) }
    report.commitP99 = times?.quantile(0.99).map { Int($0 * 1e6) }
    return report
  }

  // MARK: Sign-in

  /// How clients sign in; keys are the authenticator's own business.
  package func signIn() async -> SignInReport {
    let stats = await withCheckedContinuation { continuation in
      gather { figures, _ in continuation.resume(returning: figures.stats.authentications) }
    }
    var report = SignInReport()
    report.isUsed = context.authentications != nil
    report.outcomes = stats.map { .init(purpose: $0.key.purpose, outcome: $0.key.outcome, count: Int($0.value)) }
      .sorted { $0.id < $1.id }
    let now = context.environment.time.monotonic()
    report.throttled = context.failedSignIns.spent(at: now, atMost: Self.throttledLimit).map {
      .init(id: $0.owner.readable, seconds: Int($0.wait / 1_000_000_000) + 1)
    }
    return report
  }

  /// Lets a place try to sign in again.
  ///
  /// - Parameter address: as ``SignInReport/throttled`` names it.
  /// - Returns: whether it had to wait.
  package func unblock(_ address: String) -> Bool {
    let now = context.environment.time.monotonic()
    guard let owner = context.failedSignIns.spent(at: now, atMost: .max).first(where: { $0.owner.readable == address })
    else { return false }
    context.failedSignIns.refill(owner.owner)
    return true
  }

  // MARK: Settings

  /// The settings in force.
  ///
  /// - Parameter source: says where a setting's value comes from; nil if that is not known.
  /// - Returns: the settings, in the order of the help.
  package func settings(from source: (_ key: String) -> String?) -> [SettingReport] {
    Setting.all.map { setting in
      SettingReport(
        id: setting.key, value: setting.value(in: context.settings), source: source(setting.key),
        summary: setting.summary, needsRestart: !setting.isLive)
    }
  }

  // MARK: Crashes

  /// The causes of death of earlier processes, and the actions and effects that are not run again.
  ///
  /// - Throws: ``StoreError`` if the store cannot be read.
  package func crashes() async throws -> CrashSummary {
    var reports = CrashSummary()
    reports.found = foundCrashCount
    let poison = try await withStateDirectory { try $0.poison() } ?? []
    reports.poison = poison.map {
      .init(session: $0.session, app: $0.app, client: $0.client, number: $0.number, count: $0.count)
    }
    return reports
  }

  /// Does something with the directory of the store, which is opened and waited for away from all loops, and from the threads of tasks.
  ///
  /// - Parameter body: what is done.
  /// - Returns: what `body` returns; nil if the store has no directory.
  /// - Throws: ``StoreError`` if the store cannot be opened, or what `body` throws.
  func withStateDirectory<Value: Sendable>(
    _ body: @escaping @Sendable (StateDirectory) throws -> Value
  ) async throws -> Value? {
    let settings = context.settings
    guard settings.store == .sqlite else { return nil }
    return try await away { try body(StateDirectory(settings.stateDirectory)) }
  }

  /// Does something that may wait for a disk, away from all loops.
  func away<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    let queue = context.environment.makeQueue("ribserver.inspection", .background)
    return try await withCheckedThrowingContinuation { continuation in
      queue.add { continuation.resume(with: Result { try body() }) }
    }
  }
}
