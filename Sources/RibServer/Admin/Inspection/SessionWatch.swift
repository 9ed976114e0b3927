import RibCore
import Synchronization

/// The newest events of a session while somebody looks.
///
/// The session's loop notes them, and whoever looks reads them.
final class SessionWatch: Sendable {
  /// How many events are kept.
  static let limit = 200
  /// How many characters of a text are kept.
  private static let textLimit = 300

  private struct Ring {
    /// The events, with the texts of those that may have what users have typed.
    var events: [(event: WatchedEvent, fullText: String?)] = []
    var lastID = 0
  }

  private let ring = Mutex(Ring())
  private let clock: InspectionClock

  /// A watch that has seen nothing.
  ///
  /// - Parameter clock: tells when events happen.
  init(_ clock: InspectionClock) { self.clock = clock }

  /// The events that are kept, the newest last.
  ///
  /// - Parameter showsState: whether texts may have what users have typed.
  /// - Returns: the events.
  func events(showsState: Bool) -> [WatchedEvent] {
    ring.withLock { ring in
      ring.events.map { event, fullText in
        guard showsState, let fullText else { return event }
        var full = event
        full.text = fullText
        return full
      }
    }
  }

  /// Notes what the session's tree says.
  func note(_ event: TreeEvent, at now: UInt64) {
    note(event.kind, event.typeName ?? "", event.publicSummary, inFull: event.summary, at: now)
  }

  /// Notes something.
  ///
  /// - Parameters:
  ///   - kind: what it is, in one word.
  ///   - riblet: the type of the riblet; empty for none.
  ///   - text: what has happened, for a person, without what users may have typed.
  ///   - fullText: the same with it; nil if there is nothing to hide.
  ///   - now: when, in nanoseconds of the monotonic clock.
  ///   - duration: how long the loop was busy with it, in nanoseconds; nil for a part of something longer.
  func note(
    _ kind: String, _ riblet: String, _ text: String, inFull fullText: String? = nil, at now: UInt64,
    duration: UInt64? = nil
  ) {
    let time = clock.milliseconds(at: now)
    ring.withLock { ring in
      ring.lastID += 1
      if ring.events.count == Self.limit { ring.events.removeFirst() }
      let event = WatchedEvent(
        id: ring.lastID, time: time, kind: kind, riblet: riblet, text: String(text.prefix(Self.textLimit)),
        duration: duration.map { Int($0 / 1000) })
      ring.events.append((event, fullText.map { String($0.prefix(Self.textLimit)) }))
    }
  }
}

/// Tells the times of a server's loops as people do: by the time of day, as it was when the server was first looked at.
struct InspectionClock: Sendable {
  private let wall: Int
  private let monotonic: UInt64

  /// A clock.
  ///
  /// - Parameter time: the server's clocks.
  init(_ time: TimeSource) {
    wall = time.wall() * 1000
    monotonic = time.monotonic()
  }

  /// A moment as people tell it.
  ///
  /// - Parameter time: the moment, in nanoseconds of the monotonic clock.
  /// - Returns: milliseconds since 1970.
  func milliseconds(at time: UInt64) -> Int {
    time >= monotonic ? wall + Int((time - monotonic) / 1_000_000) : wall - Int((monotonic - time) / 1_000_000)
  }

  /// A moment as people tell it.
  ///
  /// - Parameter time: the moment, in nanoseconds of the monotonic clock.
  /// - Returns: seconds since 1970.
  func seconds(at time: UInt64) -> Int { milliseconds(at: time) / 1000 }
}
