import RibCore
import Synchronization

/// What happens in a session while somebody looks: its newest events.
///
/// The session's loop notes them, and whoever looks reads them.
final class SessionWatch: Sendable {
  /// How many events are kept.
  static let limit = 200

  private struct Ring {
    var events: [WatchedEvent] = []
    var lastID = 0
  }

  private let ring = Mutex(Ring())
  private let clock: InspectionClock

  /// A watch that has seen nothing.
  ///
  /// - Parameter clock: tells when events happen.
  init(_ clock: InspectionClock) { self.clock = clock }

  /// The events that are kept, the newest last.
  var events: [WatchedEvent] { ring.withLock { $0.events } }

  /// Notes what the session's tree says.
  func note(_ event: TreeEvent, at now: UInt64) {
    note(event.kind, event.typeName ?? "", event.summary, at: now)
  }

  /// Notes something.
  ///
  /// - Parameters:
  ///   - kind: what it is, in one word.
  ///   - riblet: the type of the riblet; empty for none.
  ///   - text: what has happened, for a person.
  ///   - now: when, in nanoseconds of the monotonic clock.
  ///   - duration: how long the loop was busy with it, in nanoseconds; nil for a part of something longer.
  func note(_ kind: String, _ riblet: String, _ text: String, at now: UInt64, duration: UInt64? = nil) {
    let time = clock.milliseconds(at: now)
    ring.withLock { ring in
      ring.lastID += 1
      if ring.events.count == Self.limit { ring.events.removeFirst() }
      ring.events.append(
        WatchedEvent(
          id: ring.lastID, time: time, kind: kind, riblet: riblet, text: String(text.prefix(300)),
          duration: duration.map { Int($0 / 1000) }))
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
