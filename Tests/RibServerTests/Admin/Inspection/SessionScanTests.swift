import Dispatch
import RibTestSupport
import Synchronization
import Testing

@testable import RibServer

/// When a scan of a loop's sessions ends; `InspectorTests` has what it finds.
@Suite struct SessionScanTests {
  /// A search that was cancelled costs the loops nothing more.
  @Test(arguments: [false, true]) func scan_endsWhenNobodyWaitsForIt(_ isUnwanted: Bool) async throws {
    try await withServer { server, url in
      let client = try await blocking { try PlainClient(url, app: "counter") }
      let inspection = try #require(server.inspection)
      let flag = SessionScan.Flag()
      if isUnwanted { flag.set() }
      let found = await inspection.ask(inspection.loops) { loop, done in
        SessionScan(loop, SessionSearch(), inspection.clock, until: flag, done).goOn()
      }
      #expect(found.count == 2)
      #expect(found.reduce(0) { $0 + $1.totalCount } == (isUnwanted ? 0 : 1))
      withExtendedLifetime(client) {}
    }
  }

  @Test func searchThatIsCancelled_isWantedNoMore() async throws {
    try await withServer { server, url in
      let client = try await blocking { try PlainClient(url, app: "counter") }
      let inspection = try #require(server.inspection)
      // The loops do nothing until the search is cancelled.
      let gates = inspection.loops.map { loop in
        let gate = DispatchSemaphore(value: 0)
        loop.execute { gate.wait() }
        return gate
      }
      defer { for gate in gates { gate.signal() } }
      let search = Task { await inspection.sessions(SessionSearch()) }
      try await blocking { try waitUntil { inspection.looks.withLock { $0.searchCount } == 1 } }
      search.cancel()
      for gate in gates { gate.signal() }
      #expect(await search.value.totalCount == 0)
      withExtendedLifetime(client) {}
    }
  }
}
