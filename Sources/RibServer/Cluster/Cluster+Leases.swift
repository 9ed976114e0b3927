import Logging
import Synchronization

// Sessions that others have taken, and those that this node has taken without knowing.

extension Cluster {
  /// Lets go of sessions that others have taken, and ends a suspension then; cluster values are to be read as well.
  ///
  /// A comparison that began before the node was suspended does not end the suspension: others may have taken sessions since that were
  /// compared already. Another one follows. A loop that does not come back holds it up; ending that is the watchdog's.
  func compare() {
    let (loops, sleeping) = state.withLock { state -> ([EventLoop], [SessionLease]) in
      state.mustRefresh = true
      guard state.comparison == nil, !state.isStopped else { return ([], []) }
      state.comparison = state.loops.isEmpty ? nil : state.suspension
      return (state.loops, state.sessions?.sleepingLeases ?? [])
    }
    each(loops, sleeping) {
      $0.leases
    } then: { [self] leases in
      compare(leases[...], found: [])
      queue.add { [self] in lookForStrays(besides: leases) }
    }
  }

  /// Compares a portion, and then the next: beats go between them.
  private func compare(_ leases: ArraySlice<SessionLease>, found: [SessionLease]) {
    queue.add { [self] in
      guard !isStopped else { return }
      let portion = leases.prefix(pace.leases)
      let voided: [SessionLease]
      do throws(StoreError) {
        voided = portion.isEmpty ? [] : try directory.voided(among: Array(portion))
      } catch {
        complain("It cannot be found out which sessions others have taken.", error)
        return state.withLock { $0.comparison = nil }
      }
      let rest = leases.dropFirst(portion.count)
      if rest.isEmpty { letGo(found + voided) } else { compare(rest, found: found + voided) }
    }
  }

  /// Takes note of what has become of a request for a session: it may be this node's without the node's knowing if there was no answer.
  ///
  /// Thread-safe.
  ///
  /// - Parameters:
  ///   - id: the session's name.
  ///   - result: the answer.
  func noteAnswer(about id: String, _ result: Result<StoreResult, StoreError>) {
    state.withLock { state in
      switch result {
      case .failure: state.strays.suspect(id)
      case .success(.loaded), .success(.resting): state.strays.acquit(id)
      case .success: break
      }
    }
  }

  /// Frees sessions that are this node's and that it does not have.
  private func lookForStrays(besides leases: [SessionLease]) {
    let now = time.monotonic()
    let ids = state.withLock { state -> [String] in
      guard now >= state.nextLookAtStrays, !state.isStopped else { return [] }
      state.nextLookAtStrays = now + pace.comparison
      return state.strays.next(pace.leases)
    }
    guard !ids.isEmpty else { return }
    do throws(StoreError) {
      let (held, known) = (try directory.leases(ofSessions: ids, heldBy: id), Set(leases))
      let lost = state.withLock { $0.strays.didLook(at: ids, held, besides: known) }
      // A beat may be due before.
      if !lost.isEmpty { queue.add { [self] in free(lost) } }
    } catch {
      complain("It cannot be found out which sessions are this node's.", error)
    }
  }

  private func free(_ strays: [SessionLease]) {
    guard !isStopped else { return }
    do throws(StoreError) {
      let count = try directory.free(strays, heldBy: id)
      if count > 0 {
        logger.notice("Sessions are free that were this node's unknowingly.", metadata: ["sessions": "\(count)"])
      }
    } catch {
      complain("Sessions that were this node's unknowingly cannot be freed.", error)
    }
  }

  private func letGo(_ leases: [SessionLease]) {
    let (loops, sessions) = state.withLock { ($0.loops, $0.sessions) }
    if !leases.isEmpty {
      logger.notice("Sessions have gone on elsewhere.", metadata: ["sessions": "\(leases.count)"])
      sessions?.letGo(leases)
    }
    // No loop shows anything of them once the node is trusted.
    each(loops, []) { loop in
      if !leases.isEmpty { loop.letGo(leases) }
      return []
    } then: { [self] _ in
      queue.add { [self] in
        let (lastHeard, isCurrent) = state.withLock { state in
          defer { state.comparison = nil }
          state.nextComparison = time.monotonic() + pace.comparison
          return (state.lastHeard, state.comparison == state.suspension)
        }
        guard !isStopped else { return }
        if isCurrent { trust(since: lastHeard) } else { compare() }
      }
    }
  }

  /// Asks all loops, and goes on with what they say once the last one has said it.
  private func each(
    _ loops: [EventLoop], _ first: [SessionLease], _ ask: @escaping @Sendable (EventLoop) -> [SessionLease],
    then goOn: @escaping @Sendable ([SessionLease]) -> Void
  ) {
    let found = Leases(awaiting: loops.count, first)
    for loop in loops { loop.execute { if let all = found.add(ask(loop)) { goOn(all) } } }
  }

  /// The leases of all loops, as they come.
  private final class Leases: Sendable {
    private let state: Mutex<(left: Int, leases: [SessionLease])>

    init(awaiting count: Int, _ leases: [SessionLease]) { state = Mutex((count, leases)) }

    /// Adds those of a loop.
    ///
    /// - Returns: all, if it was the last one.
    func add(_ leases: [SessionLease]) -> [SessionLease]? {
      state.withLock { state in
        state.leases += leases
        state.left -= 1
        return state.left == 0 ? state.leases : nil
      }
    }
  }
}

extension EventLoop {
  /// The leases of the loop's sessions; to be called on the loop.
  fileprivate var leases: [SessionLease] { sessions.values.compactMap(\.core.lease) }

  /// Lets go of sessions that others have taken; to be called on the loop.
  ///
  /// - Parameter leases: which are void.
  fileprivate func letGo(_ leases: [SessionLease]) {
    let voided = Dictionary(leases.map { ($0.row, $0.number) }) { first, _ in first }
    for session in Array(sessions.values) {
      guard let lease = session.core.lease, voided[lease.row] == lease.number else { continue }
      session.core.leaseIsVoid()
    }
  }
}
