import Logging
import Synchronization

// Sessions that others have taken, and those that this node has taken without knowing.

extension Cluster {
  /// Lets go of sessions that others have taken, and ends a suspension then; cluster values are to be read as well.
  ///
  /// A loop that does not come back holds it up; ending that is the watchdog's.
  func compare() {
    let (loops, sleeping) = state.withLock { state -> ([EventLoop], [SessionLease]) in
      state.mustRefresh = true
      guard !state.isComparing, !state.isStopped else { return ([], []) }
      state.isComparing = !state.loops.isEmpty
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
        return state.withLock { $0.isComparing = false }
      }
      let rest = leases.dropFirst(portion.count)
      if rest.isEmpty { letGo(found + voided) } else { compare(rest, found: found + voided) }
    }
  }

  /// A session may have been taken for this node without the node's knowing, as the store's answer did not come: the next comparisons look for it.
  ///
  /// Thread-safe.
  func mayHaveStrays() { state.withLock { $0.strayLooks = 3 } }

  /// Frees sessions that are this node's and that it does not have, by this comparison and the one before: nobody else would, as long as it lives.
  private func lookForStrays(besides leases: [SessionLease]) {
    let isDue = state.withLock { state in
      defer { state.strayLooks = max(state.strayLooks - 1, 0) }
      return state.strayLooks > 0 && !state.isStopped
    }
    guard isDue else { return }
    do throws(StoreError) {
      // One that is read at this moment is not among the leases yet; nor will it be among the strays again.
      let strays = Set(try directory.unwritten(by: id)).subtracting(leases)
      let lost = state.withLock { state in
        defer {
          state.strays = strays
          if !strays.isEmpty { state.strayLooks = max(state.strayLooks, 1) }
        }
        return strays.intersection(state.strays)
      }
      guard !lost.isEmpty else { return }
      let count = try directory.free(lost.sorted { $0.row < $1.row }, unwrittenBy: id)
      logger.notice("Sessions are free of whose loading nothing was known.", metadata: ["sessions": "\(count)"])
    } catch {
      mayHaveStrays()
      complain("It cannot be found out which sessions were taken unknowingly.", error)
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
        let lastHeard = state.withLock { state in
          state.isComparing = false
          state.nextComparison = time.monotonic() + pace.comparison
          return state.lastHeard
        }
        if !isStopped { trust(since: lastHeard) }
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
