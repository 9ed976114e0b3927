import Logging
import RibServer
import Synchronization

/// The keys of an issuer: loaded when they are needed, and again when they may have changed.
///
/// A fresh key is found by a lookup under a lock. Otherwise the actor decides, by its ``RefreshPlan``, whether to load keys. There is one
/// load at a time, on a queue of its own, since libcurl and files block; all callers that need it wait for it, and a caller whose key is
/// among the stale keys waits for no longer than ``patience``.
actor KeySource {
  private struct Snapshot: Sendable {
    var plan: RefreshPlan
    var set: KeySet?
    /// When the set was loaded last, or found to be the same, in seconds since 1970; nil before that.
    var loaded: Int?
    /// When the load that is under way began; nil if none is.
    var loadStart: ContinuousClock.Instant?
  }

  private let loader: KeyLoader
  private let algorithms: [JWTSettings.Algorithm]
  private let queue: any JobQueue
  private let seconds: @Sendable () -> Int
  private let wall: @Sendable () -> Int
  private let logger: Logger
  private let metrics: KeyMetrics
  /// Written by the actor alone.
  private let snapshot: Mutex<Snapshot>
  private var running: Task<Void, Never>?
  /// The text of the key set in use, so that the same text is not parsed again; nil before the first load.
  private var bytes: [UInt8]?

  /// A source of which nothing is loaded yet.
  ///
  /// - Parameters:
  ///   - loader: loads the key set.
  ///   - pauses: when keys are loaded again, and how long they are used.
  ///   - algorithms: the accepted ones.
  ///   - environment: the clock, and the queue to load on.
  ///   - logger: logs new keys, and loads that fail.
  ///   - metrics: counts both.
  init(
    _ loader: KeyLoader, _ pauses: RefreshPlan.Pauses, for algorithms: [JWTSettings.Algorithm],
    _ environment: Environment, _ logger: Logger, _ metrics: KeyMetrics = KeyMetrics()
  ) {
    self.loader = loader
    self.metrics = metrics
    self.algorithms = algorithms
    self.logger = logger
    queue = environment.makeQueue("ribserver.keys", .background)
    let time = environment.time
    seconds = { time.seconds }
    wall = time.wall
    snapshot = Mutex(Snapshot(plan: RefreshPlan(pauses)))
  }

  /// The key for a token.
  ///
  /// - Parameter name: the token's `kid`; nil if it has none.
  /// - Returns: the key.
  /// - Throws: ``Failure/token(_:)`` if the keys have none for the token; ``Failure/unavailable`` if there are no keys that may be used.
  nonisolated func key(named name: String?) async throws(Failure) -> VerificationKey {
    var lookup = find(name)
    if lookup == nil, case .key? = find(name, evenStale: true) {
      await loadIfDue(within: Self.patience)
      lookup = find(name, evenStale: true)
    } else if lookup == nil || lookup?.isUnknown == true {
      await loadIfDue(isMissing: lookup != nil)
      lookup = find(name, evenStale: true)
    }
    switch lookup {
    case .key(let key): return key
    case .unknown: throw .token(.unknownKey)
    case .notNamed: throw .token(.keyNotNamed)
    case nil: throw .unavailable
    }
  }

  /// Whether there are keys that may be used.
  nonisolated var hasKeys: Bool {
    let now = seconds()
    return snapshot.withLock { $0.set != nil && $0.plan.mayUse(at: now) }
  }

  /// Why a token is not accepted.
  enum Failure: Error, Equatable {
    /// The token is at fault.
    case token(TokenFault)
    /// There are no keys at present to check the token with.
    case unavailable
  }

  /// How long an authentication waits for a load, if the key that it needs is among the stale keys.
  private static let patience = Duration.seconds(2)

  /// Loads keys if they are due, and stops waiting while the load goes on: stale keys are used as long as the issuer does not answer.
  ///
  /// - Parameter patience: how long after its start a load is waited for, whichever call has started it.
  private nonisolated func loadIfDue(within patience: Duration) async {
    let elapsed = snapshot.withLock { $0.loadStart }.map { ContinuousClock.now - $0 } ?? .zero
    guard elapsed < patience else { return }
    let turn = Turn()
    await withCheckedContinuation { continuation in
      Task {
        await loadIfDue(isMissing: false)
        if turn.take() { continuation.resume() }
      }
      Task {
        try? await Task.sleep(for: patience - elapsed)
        if turn.take() { continuation.resume() }
      }
    }
  }

  /// A flag that the first of two tasks takes, which then resumes the continuation.
  private final class Turn: Sendable {
    private let isLeft = Atomic(true)

    /// Takes the flag.
    ///
    /// - Returns: false if the other task has taken it.
    func take() -> Bool { isLeft.exchange(false, ordering: .relaxed) }
  }

  /// Looks a key up.
  ///
  /// - Returns: nil if there are no fresh keys or, with `evenStale`, none that may be used.
  private nonisolated func find(_ name: String?, evenStale: Bool = false) -> KeySet.Lookup? {
    let now = seconds()
    return snapshot.withLock { snapshot in
      guard evenStale ? snapshot.plan.mayUse(at: now) : snapshot.plan.isFresh(at: now) else { return nil }
      return snapshot.set?.find(name)
    }
  }

  /// Waits for the load that is under way, or loads keys if the plan asks for it now.
  ///
  /// - Parameter isMissing: whether a token names a key that is not among the fresh keys.
  func loadIfDue(isMissing: Bool) async {
    if running == nil {
      let now = seconds()
      guard snapshot.withLock({ $0.plan.wantsLoad(at: now, isMissing: isMissing) }) else { return }
      snapshot.withLock { $0.loadStart = .now }
      running = Task { await self.load() }
    }
    await running?.value
  }

  /// The keys in use, and when they were loaded, in seconds since 1970; nil before that.
  nonisolated var present: (set: KeySet?, loaded: Int?) { snapshot.withLock { ($0.set, $0.loaded) } }

  /// Loads keys whether they are due or not, or waits for the load that is under way.
  ///
  /// - Returns: whether there are fresh keys afterwards.
  func loadNow() async -> Bool {
    if running == nil {
      snapshot.withLock { $0.loadStart = .now }
      running = Task { await self.load() }
    }
    await running?.value
    let now = seconds()
    return snapshot.withLock { $0.plan.isFresh(at: now) }
  }

  private func load() async {
    defer {
      running = nil
      snapshot.withLock { $0.loadStart = nil }
    }
    do throws(KeyError) {
      let loaded = try await loadOnQueue()
      let set = try await changed(loaded.bytes)
      let now = seconds()
      snapshot.withLock { snapshot in
        snapshot.plan.succeeded(at: now, freshSeconds: loaded.freshSeconds)
        if let set { snapshot.set = set }
        snapshot.loaded = wall()
      }
      if let set { told(set) }
      metrics.noteLoad(set, at: wall())
      bytes = loaded.bytes
    } catch {
      failed(error)
    }
  }

  private func loadOnQueue() async throws(KeyError) -> KeyLoader.Loaded {
    let result: Result<KeyLoader.Loaded, KeyError> = await withCheckedContinuation { continuation in
      queue.add { [loader] in
        continuation.resume(returning: Result { () throws(KeyError) in try loader.load() })
      }
    }
    return try result.get()
  }

  /// The key set of a text; nil if the text is that of the set in use.
  private func changed(_ bytes: [UInt8]) async throws(KeyError) -> KeySet? {
    bytes == self.bytes ? nil : try await KeySet(bytes, for: algorithms)
  }

  private func told(_ set: KeySet) {
    logger.info(
      "The keys that tokens are checked with are new.",
      metadata: [
        "keys": "\(set.count)", "skipped": "\(set.skipped.count)\(KeyError.list(set.skipped))",
        "from": "\(loader.name)",
      ])
  }

  private func failed(_ error: KeyError) {
    let now = seconds()
    metrics.noteFailure()
    let goesOn = snapshot.withLock { snapshot in
      snapshot.plan.failed(at: now)
      return snapshot.plan.mayUse(at: now)
    }
    logger.warning(
      goesOn
        ? "The keys that tokens are checked with cannot be loaded anew; those from before are used."
        : "The keys that tokens are checked with cannot be loaded; nobody can sign in.",
      metadata: ["reason": "\(error)", "from": "\(loader.name)"])
  }
}

extension KeySet.Lookup {
  /// Whether the token names a key that the set does not have.
  fileprivate var isUnknown: Bool {
    if case .unknown = self { true } else { false }
  }
}
