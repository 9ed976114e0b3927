/// Has the store forget sessions whose clients have stayed away for too long.
struct SessionSweeper: Sendable {
  private let store: StoreWriter
  private let loop: EventLoop
  private let settings: ServerSettings.Sessions

  /// How often it looks, in seconds.
  private static let interval = 30
  /// How many sessions are forgotten in one commit.
  private static let batch = 500

  /// A sweeper.
  ///
  /// - Parameters:
  ///   - store: where from.
  ///   - loop: whose timer it uses.
  ///   - settings: how long sessions last.
  init(_ store: StoreWriter, on loop: EventLoop, _ settings: ServerSettings.Sessions) {
    self.store = store
    self.loop = loop
    self.settings = settings
  }

  /// Looks now, and again and again.
  func start() { loop.execute { sweep() } }

  private func sweep() {
    guard !loop.isStopping else { return }
    let now = wallClockSeconds()
    let acted = now - settings.timeToLiveSeconds
    let untouched = now - min(settings.untouchedSeconds, settings.timeToLiveSeconds)
    let requests: [StoreRequest] = [
      .probe(now: now), .expire(SessionExpiry(acted: acted, untouched: untouched, limit: Self.batch)),
    ]
    store.submit(
      requests.map { request in
        StoreWriter.Job(request: request, loop: loop) { result in
          if case .success(.removed(Self.batch)) = result { sweep() }
        }
      })
    // The rest of a large number is on its way already.
    loop.execute(after: .seconds(Self.interval)) { sweep() }
  }
}
