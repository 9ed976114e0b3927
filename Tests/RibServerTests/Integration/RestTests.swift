import CurlTransport
import RibClient
import RibServer
import Testing
import Wire

/// Sessions in which nothing happens leave memory, and those who are connected do not notice.
@Suite(.serialized) struct RestTests {
  private static func withSleepyServer(
    _ body: @escaping @Sendable (Server, _ url: String) async throws -> Void
  ) async throws {
    try await withServer(
      {
        $0.sessions.restSeconds = 1
        $0.sessions.idleRestSeconds = 1
      }, body)
  }

  @Test func connectedClient_wakesItsSession() async throws {
    try await Self.withSleepyServer { server, url in
      let client = try await blocking { UncheckedClient(try CurlClient(url: url, app: "counter")) }
      for count in 1...2 {
        #expect(await eventually { server.sessionCount == 0 })
        try await blocking {
          try client.client.perform(#""increment""#)
          #expect(try client.client.state()["count"]?.text == "\(count)")
        }
      }
    }
  }

  /// Who only looks says nothing that would wake a session, and has to see what the others do.
  @Test func clientsOfOneSession_seeEachOther_howeverLongNothingHappened() async throws {
    try await Self.withSleepyServer { server, url in
      let (first, second) = try await blocking {
        let first = try CurlClient(url: url, app: "counter")
        return (UncheckedClient(first), UncheckedClient(try CurlClient(url: url, joining: first.shareToken())))
      }
      _ = await eventually(within: 4) { server.sessionCount == 0 }
      try await blocking {
        try first.client.perform(#""increment""#)
        try second.client.wait { try $0.state()["count"]?.text == "1" }
      }
    }
  }

  @Test func clientWhoInvites_seesWhatTheInvitedDoes_howeverLateTheyCome() async throws {
    try await Self.withSleepyServer { server, url in
      let (first, token) = try await blocking {
        let first = try CurlClient(url: url, app: "counter")
        return (UncheckedClient(first), try first.shareToken())
      }
      _ = await eventually(within: 4) { server.sessionCount == 0 }
      try await blocking {
        try CurlClient(url: url, joining: token).perform(#""increment""#)
        try first.client.wait { try $0.state()["count"]?.text == "1" }
      }
    }
  }

  /// `@unchecked Sendable`: one thread after the other uses it; each ends before the next begins.
  private final class UncheckedClient: @unchecked Sendable {
    let client: CurlClient
    init(_ client: CurlClient) { self.client = client }
  }
}
