import Logging
import Wire

/// Where a ``SessionFinder`` gets sessions that are not in memory: a loop, and the store behind it.
protocol SessionSource {
  /// Whatever runs a session.
  associatedtype Member: AnyObject & Sendable

  /// Whether sessions are not to come into memory any more.
  var isStopping: Bool { get }

  /// Asks the store for a session, and makes it this server's.
  ///
  /// - Parameters:
  ///   - id: its name.
  ///   - tokenHash: of the token that is to open it; nil for a client that was let in before.
  ///   - completion: called on the loop.
  func load(
    _ id: String, _ tokenHash: String?, _ completion: @escaping @Sendable (Result<StoreResult, StoreError>) -> Void)

  /// Brings a session into memory.
  ///
  /// - Parameter stored: what the store has of it.
  /// - Returns: the session, or why it cannot go on; it is the source's to tell the store that nobody has it then.
  func restore(_ stored: StoredSession) -> Result<Member, Ending>

  /// Runs something on the loop.
  ///
  /// - Parameter body: what.
  func execute(_ body: @escaping @Sendable () -> Void)
}

/// Finds sessions for all who look for one, whether they come by WebSocket, by a request or for a stream of events.
///
/// | a session                     | is found                                                                    |
/// |-------------------------------|-----------------------------------------------------------------------------|
/// | is in memory, on any loop     | at once                                                                     |
/// | is being loaded for somebody  | when it is there                                                            |
/// | is in the store               | once it is loaded by the loop of who asked first, if the token opens it     |
/// | is nowhere, cannot be read    | not: with the reason                                                        |
///
/// Who has found a session goes to its loop and asks to be let in, ``SessionCore/admit(_:at:)``; if the session has left
/// memory on the way, it is looked for again.
struct SessionFinder<Source: SessionSource & Sendable>: Sendable {
  let registry: SessionRegistry<Source.Member>
  let source: Source

  /// Looks for a session; to be called on the source's loop.
  ///
  /// - Parameters:
  ///   - id: its name.
  ///   - tokenHash: of the token that is to open it; nil for a client that was let in before.
  ///   - completion: called on that loop later, with the session or with why there is none.
  /// - Returns: the session if it is in memory; then nothing is called.
  func find(
    _ id: String, _ tokenHash: String?, _ completion: @escaping @Sendable (Result<Source.Member, Ending>) -> Void
  ) -> Source.Member? {
    let search = registry.find(id, tokenHash) { result in source.execute { completion(result) } }
    switch search {
    case .found(let member): return member
    case .waits: break
    case .mustLoad: load(id, tokenHash)
    }
    return nil
  }

  private func load(_ id: String, _ tokenHash: String?) {
    source.load(id, tokenHash) { result in didLoad(id, result) }
  }

  private func didLoad(_ id: String, _ result: Result<StoreResult, StoreError>) {
    // Nobody would have it leave memory again.
    guard !source.isStopping else { return finish(id, .shutdown, "The server is going down.") }
    switch result {
    case .success(.loaded(let stored)): registry.finish(id, source.restore(stored))
    case .success(.denied(let state)):
      let ending = Ending(.denied, "The token opens nothing in this session.")
      // Those who are left were judged.
      if registry.deny(id, by: state, ending) { load(id, nil) }
    case .success(.refused): finish(id, .failed, "What is kept of the session is damaged.")
    case .failure: finish(id, .unavailable, "The session store cannot be read. Come back later.")
    case .success: finish(id, .gone, "There is no such session, or none any more. Say hello without resume.")
    }
  }

  private func finish(_ id: String, _ bye: Bye, _ reason: String) {
    registry.finish(id, .failure(Ending(bye, reason)))
  }
}
