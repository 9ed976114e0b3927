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
}
