/// Has the store forget sessions whose clients have stayed away for too long.
struct SessionSweeper: Sendable {
  private let store: StoreWriter
  private let loop: EventLoop
  private let sessions: SessionRegistry<Session>
  private let settings: ServerSettings.Sessions

  /// How often it looks, in seconds.
  private static let interval = 10
  /// How many sessions are forgotten in one commit.
  private static let batch = 500

  /// A sweeper.
  ///
  /// - Parameters:
  ///   - store: where from.
  ///   - loop: whose timer it uses.
  ///   - sessions: those in memory.
  ///   - settings: how long sessions last.
  init(
    _ store: StoreWriter, on loop: EventLoop, _ sessions: SessionRegistry<Session>, _ settings: ServerSettings.Sessions
  ) {
    self.store = store
    self.sessions = sessions
    self.loop = loop
    self.settings = settings
  }

  /// Looks now, and again and again.
  func start() { loop.execute { sweep() } }

  private func sweep() {
    guard !loop.isStopping else { return }
    if sessions.takeLeftCount() > 0 { releaseFreeMemory() }
    submit(.probe(now: wallClockSeconds()))
    expire()
    loop.execute(after: .seconds(Self.interval)) { sweep() }
  }

  private func expire() {
    let now = wallClockSeconds()
    let expiry = SessionExpiry(
      acted: now - settings.timeToLiveSeconds,
      untouched: now - min(settings.untouchedSeconds, settings.timeToLiveSeconds), limit: Self.batch)
    submit(.expire(expiry)) { result in
      // There may be more.
      if case .success(.removed(Self.batch)) = result, !loop.isStopping { expire() }
    }
  }

  private func submit(
    _ request: StoreRequest, _ completion: @escaping @Sendable (Result<StoreResult, StoreError>) -> Void = { _ in }
  ) {
    store.submit([StoreJob(request, on: loop, completion)])
  }
}
