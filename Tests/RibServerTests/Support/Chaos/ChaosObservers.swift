import Foundation
import GRDB
import RibTestSupport

/// Clients that only look: their sessions rest, and they must be told all the same what another session does.
///
/// They have a server of their own, which nobody kills: a connection that is cut would wake them.
///
/// `@unchecked Sendable`: everything belongs to its thread, and is read by others once that has ended.
final class ChaosObservers: @unchecked Sendable {
  /// How often all of them were told.
  private(set) var tellings = 0
  /// How often their sessions came back into memory.
  private(set) var wakes = 0
  private(set) var deviations: [String] = []
  private let hasEnded = DispatchSemaphore(value: 0)

  init(_ count: Int, for seconds: Int) {
    BlockingThread.start { [self] in
      do {
        try run(count, until: milliseconds() + seconds * 1000)
      } catch {
        deviations.append("The observers failed: \(error)")
      }
      hasEnded.signal()
    }
  }

  func waitForEnd() { hasEnded.wait() }

  private func run(_ count: Int, until end: Int) throws {
    let daemon = try Daemon(["--sessions-idle-rest-seconds", "1"])
    let observers = try (0..<count).map { _ in try PlainClient(daemon.url, app: "screens") }
    let actor = try PlainClient(daemon.url, app: "screens")
    var number = 0
    while milliseconds() < end, deviations.isEmpty {
      // Long enough for all of them to rest: they are silent, and so is the one that acts.
      usleep(4_000_000)
      number += 1
      try actor.act(number, #"{"didSetGlobalCount":\#(number)}"#, to: #""screens""#)
      for (index, observer) in observers.enumerated() where try !Self.hears(number, observer) {
        deviations.append("Observer \(index) at rest was not told of count \(number).")
      }
      tellings += 1
    }
    wakes = try DatabaseQueue(path: "\(daemon.stateDirectory)/sessions.sqlite").read { database in
      try Int.fetchOne(database, sql: "SELECT sum(lease - 1) FROM session") ?? 0
    }
  }

  /// Whether a client is told of a count before a while is over.
  private static func hears(_ count: Int, _ client: PlainClient) throws -> Bool {
    while let text = try? client.next(timeout: 15_000) {
      if text.contains(#""path":"/nodes/2/state/globalCount","value":\#(count)}"#)
        || text.contains(#""globalCount":\#(count),"#)
      {
        return true
      }
    }
    return false
  }
}
