import RibCore

/// What a session asks of its driver: everything that is not a computation.
enum SessionCommand {
  /// The tree is there. A new session is to be found by its name from now on; one that was loaded is made known by the
  /// finder that has loaded it, with the clients that wait for it.
  case enterMemory(isNew: Bool)
  /// The session is in memory no more: whatever runs for it is to end.
  case leaveMemory
  /// Something is to be committed: ``SessionCore/takeCut()`` is to be called at the end of this batch of events.
  case commit
  /// The store is to forget the session; ``SessionCore/didRemove(_:)`` is to be called then, and the app to be told
  /// once it has.
  case remove(SessionLease, EndedSession.Reason)
  /// The app is to be told that the session has ended, which the store does not have.
  case reportEnd(EndedSession.Reason)
  /// The store is to know that the session is in no process's memory.
  case noteAbsence(SessionLease)
  /// The store is to forget its copy of a session that goes on in memory, where nothing outlives the process.
  case forget(SessionLease)
  /// The session was about to rest, and is not any more: it does not count as one that is on its way out.
  case callOffRest
  /// ``SessionCore/timeHasCome()`` is to be called after so many seconds.
  case look(after: Int)
  /// An effect is to run; its reports and its end go to ``SessionCore/receive(_:from:)`` and
  /// ``SessionCore/effectEnded(_:_:)``.
  case start(EffectStart, number: Int)
  /// An effect is to be cancelled.
  case cancel(EffectToken)
  /// All effects are to be cancelled.
  case cancelAll
  /// The session rests, with clients that sleep: when a bell rings, it is to be woken for them.
  case listen([Bell])
  /// The app's walk through the tree is to begin.
  case walk(App.Walk)
  /// Steps of a walk that wait are to look again.
  case resumeWalk
}

/// Runs a session: gives it events, and carries out what it asks for.
protocol SessionDriver: AnyObject {
  /// Whether the store fails at present.
  var isStoreFailing: Bool { get }

  /// Whether other processes use the store, or have since then: one of them may have the session while writing fails here.
  ///
  /// - Parameter time: nanoseconds of the monotonic clock.
  /// - Returns: true also if it is not known.
  func isStoreShared(since time: UInt64) -> Bool

  /// Whether others may have taken the session, as this process was not heard of for long: nothing is shown of it before the store
  /// has answered.
  var isSuspended: Bool { get }

  /// Asks whether the session may leave memory now, which takes memory for what the store gets of it.
  ///
  /// - Parameter isAwaited: whether a client waits for the session elsewhere.
  /// - Returns: true if it is counted as on its way out, until ``SessionCommand/callOffRest``; false if it is not, and
  ///   ``SessionCore/rest()`` is called once there is room.
  func reserveRest(isAwaited: Bool) -> Bool

  /// Carries something out. No call of it comes back to the session before it returns.
  ///
  /// - Parameter command: what the session asks for.
  func carryOut(_ command: SessionCommand)
}
