import Logging
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Ends the process when a loop does not come back from what it runs: a reducer that waits for ever holds up every session of its
/// loop, and no other part of the server would notice.
///
/// The supervisor starts the process anew, and the flight recorder has what hung: what a session did is refused the third time. The
/// start of a new session, a walk and a description are known by their app's name, and run again. What runs on a loop outside of
/// the recorder, as the encoding of a view for a client that comes, is ended as well, but blamed on nothing.
///
/// Looks are counted, and not time: a process that was stopped or starved has looked as seldom.
final class Watchdog: Sendable {
  private let ticker: Ticker<[TurnWatch]>

  /// A watchdog that looks from now on; nil if the settings want none.
  ///
  /// - Parameters:
  ///   - context: the server's.
  ///   - loops: its loops.
  init?(_ context: ServerContext, _ loops: [EventLoop]) {
    let seconds = context.settings.timeouts.watchdogSeconds
    guard seconds > 0 else { return nil }
    let watches = loops.map { _ in TurnWatch(limit: seconds) }
    ticker = Ticker("ribserver.watchdog", context.environment, watches) { watches in
      for (index, loop) in loops.enumerated() {
        let progress = TurnWatch.Progress(
          turn: loop.turns.load(ordering: .relaxed), begun: loop.work.flight?.beginCount ?? 0)
        if watches[index].look(progress) { Self.end(loop.work.flight?.running, after: seconds, context) }
      }
      return true
    }
  }

  /// Looks no more.
  func stop() { ticker.cancel() }

  private static func end(_ note: FlightNote?, after seconds: Int, _ context: ServerContext) -> Never {
    let activity: String
    var metadata: Logger.Metadata = [:]
    switch note {
    case .session(let entry):
      activity = entry.activity
      metadata = entry.metadata(app: context.sessions.peek(entry.sessionID)?.core.identity.app)
    case .app(let flight):
      activity = flight.activity
      metadata["app"] = "\(flight.app)"
    case .process, nil: activity = "ran something that is no session's action"
    }
    metadata["seconds"] = "\(seconds)"
    context.logger.critical("A loop hangs: for seconds it \(activity). The process ends.", metadata: metadata)
    abort()
  }
}

/// Whether a loop, or the store, comes back, by what it says each time that it is looked at.
///
/// | state | it is in no turn | in another turn, or a later transaction of it | as it was |
/// | --- | --- | --- | --- |
/// | free | free | busy, 1 look | (cannot be) |
/// | busy | free | busy, 1 look | busy, one look more; with more looks than the limit it hangs |
struct TurnWatch {
  /// How far it is.
  struct Progress: Equatable {
    /// Odd within a turn.
    let turn: UInt64
    /// How many transactions have begun; what has none has 0.
    let begun: UInt64
  }

  private enum State {
    /// At the last look nothing ran.
    case free
    /// At so many looks, one after the other, it was as far as this.
    case busy(Progress, looks: Int)
  }

  private var state = State.free
  private let limit: Int

  /// Nothing was seen yet.
  ///
  /// - Parameter limit: how many looks after the first one a turn may go on without progress.
  init(limit: Int) { self.limit = limit }

  /// Takes note of a look.
  ///
  /// - Parameter progress: what was seen.
  /// - Returns: whether it hangs.
  mutating func look(_ progress: Progress) -> Bool {
    guard progress.turn & 1 == 1 else {
      state = .free
      return false
    }
    guard case .busy(progress, let looks) = state else {
      state = .busy(progress, looks: 1)
      return false
    }
    state = .busy(progress, looks: looks + 1)
    return looks >= limit
  }
}
