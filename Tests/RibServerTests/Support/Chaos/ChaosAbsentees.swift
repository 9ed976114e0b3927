import Foundation
import RibClient
import RibTestSupport
import Wire

/// Clients that stay away for a while, in which the clock jumps by more than their sessions are kept.
///
/// None of the sessions may be forgotten; one that nobody comes back to is. They have a server of their own, which lives for longer than those of the chaos: sessions are not forgotten at once after
/// a start.
///
/// `@unchecked Sendable`: everything belongs to its thread, and is read by others once that has ended.
final class ChaosAbsentees: @unchecked Sendable {
  private struct Absentee {
    let welcome: Welcome
    var actions = 1
    var attempt = 0
  }

  /// How long sessions are kept, how long the clients stay away, and how long a life lasts: in seconds.
  private static let (timeToLive, absence, life) = (40, 12, 80)

  private(set) var returns = 0
  private(set) var jumps = 0
  /// How many sessions were forgotten that nobody has come back to.
  private(set) var forgotten = 0
  private(set) var deviations: [String] = []
  private var random: SeededGenerator
  private let hasEnded = DispatchSemaphore(value: 0)

  init(_ count: Int, for seconds: Int, seed: UInt64) {
    random = SeededGenerator(seed: seed, stream: 4_000_000)
    BlockingThread.start { [self] in
      do {
        try run(count, until: milliseconds() + seconds * 1000)
      } catch {
        deviations.append("The clients that stay away failed: \(error)")
      }
      hasEnded.signal()
    }
  }

  func waitForEnd() { hasEnded.wait() }

  private func run(_ count: Int, until end: Int) throws {
    let directory = try TemporaryDirectory()
    let clock = try FaultyClock(in: directory.path)
    var daemon = try Self.start(directory, clock)
    var absentees = try (0..<count).map { _ in try Self.begin(daemon) }
    while milliseconds() < end {
      let lost = try Self.begin(daemon)
      let endOfLife = min(milliseconds() + Self.life * 1000, end)
      while milliseconds() < endOfLife {
        // Within it is looked for old sessions once at least.
        for _ in 0..<3 {
          usleep(UInt32(Self.absence) * 1_000_000 / 3)
          jump(clock)
        }
        for index in absentees.indices { try comeBack(&absentees[index], daemon) }
      }
      if milliseconds() < end {
        let answer = try PlainClient(daemon.url, saying: PlainClient.resume(lost.welcome, attempt: 1)).next()
        if answer.hasPrefix(#"{"t":"bye","code":"gone""#) { forgotten += 1 }
      }
      _ = daemon.stop(random.happens(0.5) ? SIGKILL : SIGTERM)
      jump(clock)
      daemon = try Self.start(directory, clock)
    }
    _ = daemon.stop()
  }

  private static func start(_ directory: TemporaryDirectory, _ clock: FaultyClock) throws -> Daemon {
    try Daemon(
      [
        "--sessions-rest-seconds", "1", "--sessions-time-to-live-seconds", "\(timeToLive)",
        "--sessions-untouched-seconds",
        "\(timeToLive)",
      ], stateDirectory: "\(directory.path)/state", environment: clock.environment)
  }

  private func jump(_ clock: FaultyClock) {
    jumps += 1
    clock.jump(&random)
  }

  private static func begin(_ daemon: Daemon) throws -> Absentee {
    let client = try PlainClient(daemon.url, app: "counter")
    defer { client.cut() }
    try client.act(1, #""increment""#)
    try client.next(#"{"t":"patch""#)
    return Absentee(welcome: try client.welcome)
  }

  private func comeBack(_ absentee: inout Absentee, _ daemon: Daemon) throws {
    absentee.attempt += 1
    let client = try PlainClient(daemon.url, saying: PlainClient.resume(absentee.welcome, attempt: absentee.attempt))
    defer { client.cut() }
    let answer = try client.next()
    guard answer.hasPrefix(#"{"t":"welcome""#) else {
      // One of them, once: the others will say the same.
      if deviations.isEmpty { deviations.append("A client that was away for a while is told: \(answer)") }
      return
    }
    let snapshot = try client.next(#"{"t":"snap""#)
    if !snapshot.contains(#""count":\#(absentee.actions)"#) {
      deviations.append("A client that was away with \(absentee.actions) actions is shown: \(snapshot)")
    }
    absentee.actions += 1
    try client.act(absentee.actions, #""increment""#)
    try client.next(#"{"t":"patch""#)
    returns += 1
  }
}
