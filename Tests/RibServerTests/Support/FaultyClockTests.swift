import Foundation
import Testing
import Wire
import WireHTTP

/// A clock that does not jump would show nothing.
@Suite(.blocking) struct FaultyClockTests {
  // A sanitizer has functions of its own, before those of any library.
  @Test(.enabled(if: Sanitizer.current == nil)) func daemon_goesByIt() async throws {
    let directory = try TemporaryDirectory()
    let clock = try FaultyClock(in: directory.path)
    let daemon = try Daemon(environment: clock.environment)
    try await blocking {
      let year = Calendar(identifier: .gregorian).component(.year, from: Date())
      for years in [0, -10, 10] {
        clock.set(years * 31_556_952)
        let date = try TwinClient(daemon.url).ask("GET", "/healthz").headers["Date"] ?? ""
        // The same day, or the one beside it.
        #expect((-1...1).contains { date.contains(" \(year + years + $0) ") }, "\(date)")
      }
    }
    #expect(daemon.stop() == 0)
  }
}
