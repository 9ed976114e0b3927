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
        switch watches[index].look(progress) {
        case .fine: break
        case .late: Self.warn(loop.work, context)
        case .hanging: Self.end(loop.work, after: seconds, context)
        }
      }
      context.lateLoopCount.store(watches.count(where: \.isLate), ordering: .relaxed)
      return true
    }
  }

  /// Looks no more.
  func stop() { ticker.cancel() }

  private static func warn(_ work: Workspace, _ context: ServerContext) {
    let (activity, metadata) = describe(work, context)
    context.logger.warning("A loop has not come back for long: it \(activity).", metadata: metadata)
  }

  private static func end(_ work: Workspace, after seconds: Int, _ context: ServerContext) -> Never {
    var (activity, metadata) = describe(work, context)
    metadata["seconds"] = "\(seconds)"
    context.logger.critical("A loop hangs: for seconds it \(activity). The process ends.", metadata: metadata)
    abort()
  }

  /// What a loop was doing, as the flight recorder has it, and for which message.
  private static func describe(_ work: Workspace, _ context: ServerContext) -> (String, Logger.Metadata) {
    let (activity, metadata): (String, Logger.Metadata) =
      switch work.flight?.running {
      case .session(let entry):
        (entry.activity, entry.metadata(app: context.sessions.peek(entry.sessionID)?.core.identity.app))
      case .app(let flight): (flight.activity, ["app": "\(flight.app)"])
      case .process, nil: ("ran something that is no session's action", [:])
      }
    return (activity, metadata.merging(work.lastErrand.metadata) { ours, _ in ours })
  }
}

/// Whether a loop, or the store, comes back, by what it says each time that it is looked at.
///
/// | state | it is in no turn | in another turn, or a later transaction of it | as it was |
/// | --- | --- | --- | --- |
/// | free | free | busy, 1 look | (cannot be) |
/// | busy | free | busy, 1 look | busy, one look more; with more looks than the limit it hangs |
struct TurnWatch {
  /// What a look has found.
  enum Finding {
    /// It comes back.
    case fine
    /// It has not for half of the looks after which it hangs: this is the first look that finds so.
    case late
    /// It does not come back.
    case hanging
  }

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

  /// Whether it has not come back for half of the looks after which it hangs, and for two at least: one finds only that it is busy.
  var isLate: Bool { if case .busy(_, let looks) = state { looks > max(limit / 2, 1) } else { false } }

  /// Takes note of a look.
  ///
  /// - Parameter progress: what was seen.
  /// - Returns: what was found.
  mutating func look(_ progress: Progress) -> Finding {
    guard progress.turn & 1 == 1 else {
      state = .free
      return .fine
    }
    guard case .busy(progress, let looks) = state else {
      state = .busy(progress, looks: 1)
      return .fine
    }
    let wasLate = isLate
    state = .busy(progress, looks: looks + 1)
    if looks >= limit { return .hanging }
    return isLate && !wasLate ? .late : .fine
  }
}
