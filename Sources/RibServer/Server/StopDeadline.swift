import Dispatch
import Synchronization

/// Gives the store up while the server stops, if it does not come back from a request: its disk is gone, or the server of its
/// file system is.
///
/// A store that has much to write takes its time, commit by commit, and one that is asked for nothing, because a loop still
/// encodes what it is to write, does not hang. Looks are counted, and not time, as by the ``Watchdog``.
///
/// `@unchecked Sendable`: it is the timer alone, which does not change, and whose `cancel` is thread-safe.
final class StopDeadline: @unchecked Sendable {
  private let timer: any DispatchSourceTimer

  /// A deadline that counts from now on.
  ///
  /// - Parameters:
  ///   - seconds: how long one request may take.
  ///   - store: is given up then.
  ///   - onGivingUp: called behind that.
  init(seconds: Int, for store: StoreWriter, onGivingUp: @escaping @Sendable () -> Void) {
    // A queue of its own gets a thread also when those of the pools all wait for something.
    let queue = DispatchQueue(label: "ribserver.stop", qos: .userInitiated)
    timer = DispatchSource.makeTimerSource(queue: queue)
    var watch = TurnWatch(limit: seconds)
    timer.setEventHandler { [timer] in
      let turn = store.turns.load(ordering: .relaxed)
      guard watch.look(TurnWatch.Progress(turn: turn, begun: 0)) else { return }
      timer.cancel()
      store.giveUp()
      onGivingUp()
    }
    timer.schedule(deadline: .now() + .seconds(1), repeating: .seconds(1))
    timer.activate()
  }

  /// All has ended in time.
  func cancel() { timer.cancel() }
}
