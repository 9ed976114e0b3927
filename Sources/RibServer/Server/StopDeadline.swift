import Synchronization

/// Gives the store up while the server stops, if it does not come back from a request: its disk is gone, or the server of its
/// file system is.
///
/// A store that has much to write takes its time, commit by commit, and one that is asked for nothing, because a loop still
/// encodes what it is to write, does not hang. Looks are counted, and not time, as by the ``Watchdog``.
final class StopDeadline: Sendable {
  private let ticker: Ticker<TurnWatch>

  /// A deadline that counts from now on.
  ///
  /// - Parameters:
  ///   - seconds: how long one request may take.
  ///   - store: is given up then.
  ///   - environment: what makes its queue.
  ///   - onGivingUp: called behind that.
  init(
    seconds: Int, for store: StoreWriter, _ environment: Environment, onGivingUp: @escaping @Sendable () -> Void
  ) {
    ticker = Ticker("ribserver.stop", environment, TurnWatch(limit: seconds)) { watch in
      let turn = store.turns.load(ordering: .relaxed)
      guard watch.look(TurnWatch.Progress(turn: turn, begun: 0)) == .hanging else { return true }
      store.giveUp()
      onGivingUp()
      return false
    }
  }

  /// All has ended in time.
  func cancel() { ticker.cancel() }
}
