import Logging
import Synchronization

/// The parts of a server that listens, and how they stop.
struct RunningServer: Sendable {
  let context: ServerContext
  let listener: Listener
  let loops: [EventLoop]
  let store: StoreWriter
  let ceiling: MemoryCeiling
  /// Nil if none is wanted.
  var watchdog: Watchdog?
  let inspection: ServerInspection
  /// Nil if the program has chosen no backend for metrics, or one that is asked.
  var publication: Ticker<Void>?

  /// Ends connections, then sessions, then the store, each once what stands before has ended.
  ///
  /// - Parameter drainSeconds: how long clients may take to go elsewhere; 0 for not being asked to.
  /// - Returns: what was lost; nil if the store has all of every session.
  func stop(drainingFor drainSeconds: Int) async -> UncleanStopError? {
    context.logger.info("Stopping.", metadata: ["connections": "\(context.connections.count)"])
    // Whoever connects from here on is for those who listen on the same socket, or wait for it.
    if context.settings.socket != nil { await withCheckedContinuation { done in listener.stop { done.resume() } } }
    if drainSeconds > 0 {
      // Who probes is told that clients are to go elsewhere; a port that nobody answers at would look like a server that is gone.
      context.isDraining.store(true, ordering: .relaxed)
      context.cluster?.drain(within: drainSeconds)
      await each { $0.drainAll(within: drainSeconds, $1) }
    }
    listener.stop()
    await each { $0.closeAll($1) }
    let deadline = StopDeadline(
      seconds: context.settings.timeouts.storeSeconds, for: store, context.environment
    ) {
      for loop in loops { loop.giveUpSessions() }
    }
    await each { $0.stopSessions($1) }
    // Otherwise it would be there again.
    await context.cluster?.stop()
    await store.close()
    deadline.cancel()
    if context.ends.isWanted {
      // Of sessions whose end the store has answered.
      await each { $0.afterAnswers($1) }
      await context.ends.finish(within: context.settings.timeouts.storeSeconds)
    }
    if publication != nil {
      await withCheckedContinuation { done in context.metrics.publisher?.publish(inspection) { done.resume() } }
    }
    let error = makeError()
    context.flushRecordings()
    for loop in loops { loop.stop() }
    watchdog?.stop()
    inspection.stop()
    publication?.cancel()
    if error == nil { context.logger.info("Stopped.") }
    return error
  }

  private func makeError() -> UncleanStopError? {
    let error = UncleanStopError(
      lostSessionCount: context.lostSessionCount.load(ordering: .relaxed), isStoreHanging: store.isGivenUp)
    guard error.lostSessionCount > 0 || error.isStoreHanging else { return nil }
    context.logger.critical("\(error)", metadata: ["sessions": "\(error.lostSessionCount)"])
    return error
  }

  /// Has all loops do something, and waits until the last one is done.
  private func each(_ body: @escaping @Sendable (EventLoop, @escaping @Sendable () -> Void) -> Void) async {
    let left = Mutex(loops.count)
    await withCheckedContinuation { done in
      for loop in loops {
        body(loop) {
          let isLast = left.withLock { left in
            left -= 1
            return left == 0
          }
          if isLast { done.resume() }
        }
      }
    }
  }
}
