import Logging
import RibCore
import Synchronization

/// Signs persons out: their clients in this process at once, and those of other processes through the store.
///
/// | a client of the person       | when ``signOut(_:)`` returns                                                                  |
/// |------------------------------|-----------------------------------------------------------------------------------------------|
/// | connected here               | its connection has ended with `revoked`                                                       |
/// | whose session rests          | the client is refused when it comes back: revocations are checked as the session is loaded    |
/// | connected to another process | its actions are not committed any more; its connection ends when that process next polls      |
final class SignOuts: Sendable {
  /// How long revocations are kept at least: that should be longer than any credential is valid.
  private static let shortestKeeping = 30 * 86_400

  // Not the context itself, which holds this object: that would be a reference cycle.
  private let revocations: Revocations
  private let environment: Environment
  /// How long revocations are kept, in seconds.
  private let keepingSeconds: Atomic<Int>
  private let logger: Logger
  private let store: StoreWriter
  private let loops: [EventLoop]
  /// The number of the last revocation that the store has reported.
  private let last: Mutex<Int64>

  /// Signs out persons whose clients are on some loops.
  ///
  /// - Parameters:
  ///   - context: the server's.
  ///   - store: keeps the revocations.
  ///   - loops: the server's.
  ///   - last: the number of the last revocation that was read from the store.
  init(_ context: ServerContext, _ store: StoreWriter, _ loops: [EventLoop], last: Int64) {
    revocations = context.revocations
    environment = context.environment
    keepingSeconds = Atomic(max(Self.shortestKeeping, context.settings.sessions.timeToLiveSeconds))
    logger = context.logger
    self.store = store
    self.loops = loops
    self.last = Mutex(last)
  }

  /// Keeps revocations from now on for sessions that last longer, or shorter.
  ///
  /// Thread-safe.
  ///
  /// - Parameter seconds: how long a session waits for its client.
  func keep(forSessionsOf seconds: Int) {
    keepingSeconds.store(max(Self.shortestKeeping, seconds), ordering: .relaxed)
  }

  /// Signs a person out.
  ///
  /// - Throws: ``StoreError`` if the store could not keep the revocation: the person's clients in this process are out nevertheless.
  func signOut(_ person: PersonID) async throws {
    let revocation = revocations.makeRevocation(of: person, at: environment.time.wallMilliseconds())
    await apply([revocation])
    let keeping = Duration.seconds(keepingSeconds.load(ordering: .relaxed))
    let result = await withCheckedContinuation { continuation in
      store.submit([
        StoreJob(.signOut(revocation, keeping: keeping), on: loops[0]) {
          continuation.resume(returning: $0)
        }
      ])
    }
    guard case .signedOut(let stored) = try result.get() else { return }
    await apply([stored])
    logger.audit("A person was signed out.", ["subject": "\(person.subject)"])
  }

  /// Asks the store for revocations by other processes since the last poll, and applies them.
  func poll() {
    let last = last.withLock { $0 }
    store.submit([
      StoreJob(.findRevocations(after: last), on: loops[0]) { [self] result in
        guard case .success(.revocations(let found, let newLast)) = result, !found.isEmpty else { return }
        self.last.withLock { $0 = max($0, newLast) }
        Task.detached(executorPreference: environment.taskExecutor) { [self] in await apply(found) }
      }
    ])
  }

  /// Applies revocations to the clients in this process: when it returns, nothing more is done for those clients.
  private func apply(_ revocations: [Revocation]) async {
    self.revocations.forget(before: environment.time.wall() - keepingSeconds.load(ordering: .relaxed))
    for revocation in revocations { self.revocations.note(revocation) }
    let persons = Set(revocations.map(\.person))
    // A loop runs its jobs in order: what it began before the revocations were noted has finished by then.
    for loop in loops {
      await withCheckedContinuation { continuation in
        loop.execute {
          loop.endConnections(of: persons)
          continuation.resume()
        }
      }
    }
  }
}
