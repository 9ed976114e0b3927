import RibCore
import RibTesting
import Testing
import Wire

struct SendTests {
  @Test func send_ofACancelledTask_reportsNothing() async throws {
    let session = try TestSession(Desk(detail: "a"))
    try session.act(#"{"load":"it"}"#, to: .path("detail"))
    let effect = try #require(session.pendingEffects.first)
    let counter = ReportCounter()
    try await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await effect.run { _ in await counter.note() }
    }.value
    #expect(await counter.count == 0)
    // The same effect reports when nobody cancels its task.
    try await effect.run { _ in await counter.note() }
    #expect(await counter.count == 1)
  }
}

private actor ReportCounter {
  private(set) var count = 0
  func note() { count += 1 }
}
