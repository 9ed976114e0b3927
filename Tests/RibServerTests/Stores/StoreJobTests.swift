import Testing
import Wire

@testable import RibServer

@Suite struct StoreJobTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// The commits of a session, one after the other, take one job.
  @Test func doneCommit_lendsItsJob_untilTheLoopStops() async throws {
    let store = try SQLiteStore(path: directory.store, durability: .process)
    let host = try StoreHost([Logbook.app()], on: store)
    let loop = host.loops[0]
    let spare = { loop.executeAndWait { loop.spareJobs.map { ObjectIdentifier($0) } } }
    let client = try await blocking { try PlainClient(host.url) }
    #expect(await eventually { spare().count == 1 })
    let first = spare()
    try await blocking {
      for number in 1...3 {
        try client.act(number, #"{"write":"a"}"#)
        try client.next(#"{"t":"patch""#)
      }
    }
    #expect(await eventually { spare() == first })
    await host.stop()
    #expect(spare().isEmpty)
    withExtendedLifetime(client) {}
  }
}
