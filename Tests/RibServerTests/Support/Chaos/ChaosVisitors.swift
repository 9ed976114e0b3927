import Foundation
import RibTestSupport
import Synchronization

/// Visitors, each with a connection for one question: whoever is refused, reset or not answered is one too many.
final class ChaosVisitors: Sendable {
  /// The pace of each: a visit about every so many microseconds.
  private static let pause: UInt32 = 10_000

  private struct Counts {
    var visits = 0
    var longest = 0
    var deviations: [String] = []
  }

  private let url: String
  private let counts = Mutex(Counts())
  private let isOver = Atomic(false)
  private let ended = DispatchSemaphore(value: 0)
  private let count: Int

  /// Begins to visit.
  ///
  /// - Parameters:
  ///   - count: how many visitors, each of which has a thread.
  ///   - port: whom they visit.
  init(_ count: Int, port: Int) {
    url = "http://127.0.0.1:\(port)"
    self.count = count
    for _ in 0..<count {
      BlockingThread.start { [self] in
        while !isOver.load(ordering: .acquiring) {
          visit()
          // The pace of a visitor is a part of the model.
          usleep(Self.pause)
        }
        ended.signal()
      }
    }
  }

  /// How many were there.
  var visits: Int { counts.withLock { $0.visits } }
  /// How long the longest visit took, in milliseconds.
  var longest: Int { counts.withLock { $0.longest } }
  /// The faults of the run.
  var deviations: [String] { counts.withLock { $0.deviations } }

  /// Ends the visits, and waits for the last one.
  func stop() {
    isOver.store(true, ordering: .releasing)
    for _ in 0..<count { ended.wait() }
  }

  private func visit() {
    let start = milliseconds()
    var wrong: String?
    do {
      let answer = try TwinClient(url).ask("GET", "/readyz")
      if answer.status != 200 { wrong = "A visitor was answered \(answer.status): \(answer.body)" }
    } catch {
      wrong = "A visitor was not answered: \(error)"
    }
    counts.withLock { [wrong] counts in
      counts.visits += 1
      counts.longest = max(counts.longest, milliseconds() - start)
      if let wrong { counts.deviations.append(wrong) }
    }
  }
}
