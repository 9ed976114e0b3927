import CurlTransport
import RibClient
import Wire

/// A client that acts until time is up.
///
/// `@unchecked Sendable`: used by one thread, and by another once that has ended.
final class LoadClient: @unchecked Sendable {
  private let client: CurlClient
  private let lines: [ActionLine]
  private(set) var figures = LoadFigures()
  /// Why it has given up; nil if it has not.
  private(set) var complaint: String?

  /// How much longer than its time it waits for a server that is away.
  private static let patience = Duration.seconds(30)

  /// A client that is live.
  ///
  /// - Parameters:
  ///   - client: with a session.
  ///   - lines: what it does, again and again.
  init(_ client: CurlClient, _ lines: [ActionLine]) {
    self.client = client
    self.lines = lines
  }

  /// Acts, and ends the session.
  ///
  /// - Parameter end: when.
  func run(until end: ContinuousClock.Instant) {
    var turn = 0
    do {
      while ContinuousClock.now < end {
        let start = ContinuousClock.now
        try perform(lines[turn % lines.count], until: end + Self.patience)
        figures.answered(after: start.duration(to: .now))
        turn += 1
      }
      try client.end()
    } catch {
      complaint = "\(error)"
    }
  }

  /// Acts, and waits for the answer, over as many connections as it takes.
  ///
  /// - Parameters:
  ///   - line: the action.
  ///   - limit: when it gives up a server that does not come back.
  /// - Throws: ``CurlClient``'s error of the connection that it gave up.
  private func perform(_ line: ActionLine, until limit: ContinuousClock.Instant) throws {
    do {
      try client.act(line.action, to: line.address ?? .path(""))
      try client.settle { figures.note($0) }
    } catch {
      try comeBack(after: error, until: limit)
    }
  }

  private func comeBack(after error: any Error, until limit: ContinuousClock.Instant) throws {
    var error = error
    while true {
      guard let delay = client.delay(after: error), CurlClient.comesBack(after: error) != .asNewSession,
        ContinuousClock.now < limit
      else {
        figures.note(client.abandon())
        throw error
      }
      Terminal.sleep(milliseconds: delay)
      do {
        try client.reconnect { figures.note($0) }
        figures.returns += 1
        return try client.settle { figures.note($0) }
      } catch let next {
        error = next
      }
    }
  }
}
