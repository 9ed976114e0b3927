package import Wire

/// Keeps sessions outside of the memory of the processes that run them.
///
/// A store is called by one thread at a time, the ``StoreWriter``'s, with all that loops have asked for meanwhile: one
/// commit serves many sessions.
///
/// **Who may write.** A session is written by the process that has its ``SessionLease``. Loading or resuming a session raises
/// the lease: what the process that had it before still sends is not written. Under one lease, each ``SessionCut`` has a
/// greater ``SessionCut/version``; a cut with a lesser one than the store has is not written either, so that a statement that
/// was sent once and arrives late changes nothing.
///
/// **Repetition.** A request whose outcome is unknown is made again, as it was or with what has changed since: writing the
/// same cut twice is as writing it once. That includes ``StoreRequest/create(_:_:)``.
///
/// **Time.** No point in time crosses this protocol, only durations: the store has a clock of its own. It does not count
/// the time in which no process used it, nor what the system's clock jumps.
package protocol SessionStore: Sendable {
  /// What a commit survives.
  var durability: Welcome.Durability { get }

  /// What sessions do while the store fails.
  var outage: Outage { get }

  /// Whether other processes use it, or have since then. Any thread asks.
  ///
  /// - Parameter time: nanoseconds of the monotonic clock.
  /// - Returns: true also if it is not known.
  func isShared(since time: UInt64) -> Bool

  /// Takes note that a process starts; called once, before ``perform(_:)``.
  ///
  /// In one commit: what ran when other processes died is counted, and the sessions of processes that have died are free.
  ///
  /// - Parameter start: the process, and what it has found.
  /// - Returns: the number that the store knows the process by; not 0.
  /// - Throws: ``StoreError`` if there was no commit.
  @discardableResult func begin(_ start: StoreStart) throws(StoreError) -> Int

  /// What the store has about something that ran when a process died; called behind ``begin(_:)``.
  ///
  /// - Parameter entry: what ran.
  /// - Returns: the session's app, and how often that has run when a process died; nil for a session that was never committed.
  func known(of entry: FlightEntry) -> (app: String, count: Int)?

  /// Does what is asked for, in order and in one commit.
  ///
  /// - Parameter requests: what loops have asked for.
  /// - Returns: one result a request.
  /// - Throws: ``StoreError`` if there was no commit. If one request is the reason, ``StoreError/isGlobal`` is false, and the
  ///   caller asks again with parts of the batch. Of a store across a network it may be unknown whether there was a commit.
  func perform(_ requests: [StoreRequest]) throws(StoreError) -> [StoreResult]

  /// Looks whether what was committed is still there; called once a second, also while nothing is asked for.
  ///
  /// - Throws: ``StoreError`` if not. ``StoreRequest/probe`` then tries to put it back.
  /// - Returns: whether it is to be called again.
  func look() throws(StoreError) -> Bool

  /// Ends the store's use; what was committed stays.
  func close()
}

extension SessionStore {
  /// What is in no file of this machine is not looked at.
  package func look() throws(StoreError) -> Bool { false }
}

/// What sessions do while their store fails.
package enum Outage: Sendable {
  /// They go on in memory, say so to their clients, and are written when the store is back: no other process can take them over
  /// meanwhile.
  case goesOn
  /// They wait: nothing that is not committed is let out, as another process may take them over.
  case waits
}
