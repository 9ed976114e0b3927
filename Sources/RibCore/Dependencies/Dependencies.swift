public import Logging

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The clock, dates, ids, random numbers and the logger of a riblet, so that a test can replace them.
///
/// A riblet's `init` takes dependencies, as they are or as a part of a type of its own. ``live`` are the real ones.
/// The dependencies of RibTesting's `unimplemented(clock:)` fail a test at each use: the test sets those that its riblet
/// needs, and learns of those that it forgot.
///
///     var dependencies = Dependencies.unimplemented()
///     dependencies.date = { Date(timeIntervalSince1970: 0) }
public struct Dependencies: Sendable {
  /// Measures time and waits.
  public var clock: any Clock<Duration>
  /// The time of day.
  public var date: @Sendable () -> Date
  /// A new UUID.
  public var uuid: @Sendable () -> UUID
  /// 64 random bits; ``random(in:)`` and others build on it.
  public var randomBits: @Sendable () -> UInt64
  /// The logger of the riblets.
  public var logger: Logger

  /// Dependencies, each given by the caller.
  package init(
    clock: any Clock<Duration>, date: @escaping @Sendable () -> Date, uuid: @escaping @Sendable () -> UUID,
    randomBits: @escaping @Sendable () -> UInt64, logger: Logger
  ) {
    self.clock = clock
    self.date = date
    self.uuid = uuid
    self.randomBits = randomBits
    self.logger = logger
  }

  /// The system's clock, time, UUIDs and random numbers, and a logger with the label `riblets`.
  ///
  /// A recording notes what a reducer draws from them, and a replay returns it again.
  public static var live: Dependencies {
    Dependencies(
      clock: LiveClock(), date: { DrawTape.draw("date") { Date() } }, uuid: { DrawTape.draw("uuid") { UUID() } },
      randomBits: {
        DrawTape.draw("randomBits") {
          var generator = SystemRandomNumberGenerator()
          return generator.next()
        }
      }, logger: Logger(label: "riblets"))
  }

  /// Dependencies that are missing: each reports its use, and returns a fixed value that does no harm.
  ///
  /// - Parameter onUse: called with the dependency that was used; it should fail the test.
  /// - Returns: dependencies of which the test sets those that its riblet needs.
  package static func unimplemented(onUse: @escaping @Sendable (MissingDependency) -> Void) -> Dependencies {
    Dependencies(
      clock: UnimplementedClock(onUse: onUse),
      date: {
        onUse(MissingDependency(name: "date"))
        return Date(timeIntervalSinceReferenceDate: 0)
      },
      uuid: {
        onUse(MissingDependency(name: "uuid"))
        return UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
      },
      randomBits: {
        onUse(MissingDependency(name: "randomBits"))
        return 0
      },
      logger: Logger(label: "unimplemented") { _ in UnimplementedLogHandler(onUse: onUse) })
  }

  /// A random integer in a range, made from one draw of ``randomBits``.
  ///
  /// One draw for any range: the standard library draws again when it cannot use the bits, for ever if a test always
  /// gives the same ones.
  public func random(in range: ClosedRange<Int>) -> Int {
    let bits = randomBits()
    let greatest = UInt64(truncatingIfNeeded: range.upperBound &- range.lowerBound)
    let offset = greatest == .max ? bits : bits.multipliedFullWidth(by: greatest + 1).high
    return range.lowerBound &+ Int(truncatingIfNeeded: offset)
  }

  /// A random element, chosen with one draw of ``randomBits``; nil, without a draw, if the collection is empty.
  public func randomElement<Elements: Collection>(of elements: Elements) -> Elements.Element? {
    guard !elements.isEmpty else { return nil }
    return elements[elements.index(elements.startIndex, offsetBy: random(in: 0...elements.count - 1))]
  }
}

/// A riblet under test has used a dependency that the test did not give it.
package struct MissingDependency: Error, Equatable, Sendable, CustomStringConvertible {
  /// The property of ``Dependencies`` that was used.
  package let name: String

  /// What happened, and what to do.
  package var description: String {
    "The riblet has used `\(name)`, which this test has not given it: set `\(name)` of its Dependencies."
  }
}

/// A clock that stands still and reports each use.
private struct UnimplementedClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  let onUse: @Sendable (MissingDependency) -> Void

  var now: Instant {
    onUse(MissingDependency(name: "clock"))
    return Instant(offset: .zero)
  }
  var minimumResolution: Duration { .zero }

  /// Throws, so that no task waits for a clock that never goes on.
  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    onUse(MissingDependency(name: "clock"))
    throw CancellationError()
  }
}

private struct UnimplementedLogHandler: LogHandler {
  let onUse: @Sendable (MissingDependency) -> Void
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .trace

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { onUse(MissingDependency(name: "logger")) }
}
