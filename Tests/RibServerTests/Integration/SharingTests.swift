import RibClient
import RibServer
import Testing
import Wire

/// Several clients on one session: who may let others in, and how many.
@Suite struct SharingTests {
  private static func hello(_ token: String) -> String { #"{"t":"hello","share":"\#(token)"}"# }

  /// A client with the scope `view` hands on what it may do, and no more.
  @Test func viewer_letsOthersView_andNobodyAct() async throws {
    try await withServer { _, url in
      try await blocking {
        let first = try PlainClient(url, app: "counter")
        let viewer = try PlainClient(url, joining: try first.share("view"))
        let guest = try PlainClient(url, joining: try viewer.share("view"))
        #expect(try guest.welcome.clientID == 3)
        try viewer.send(#"{"t":"share","scope":"act"}"#)
        #expect(try viewer.end() == "denied 4401")
        // Nothing of that concerns the others, and the guest is none that may act.
        try first.act(1, #""increment""#)
        for client in [first, guest] { try client.next(#"{"t":"patch","rev":2,"base":1,"#) }
        try guest.act(1, #""increment""#)
        try guest.next(#"{"t":"nack","n":1,"code":"forbidden""#)
        try guest.send(#"{"t":"share","scope":"act"}"#)
        #expect(try guest.end() == "denied 4401")
      }
    }
  }

  /// Also those that have said `bye` count: each is a record in the store.
  @Test func session_takes64Clients() async throws {
    try await withServer { _, url in
      try await blocking {
        let first = try PlainClient(url, app: "counter")
        let left = try PlainClient(url, joining: try first.share("act"))
        try left.send(#"{"t":"bye"}"#)
        #expect(try left.end() == "ended 1000")
        var guests: [PlainClient] = []
        for _ in 3...64 { guests.append(try PlainClient(url, joining: try first.share("view"))) }
        #expect(try guests.last?.welcome.clientID == 64)
        let token = try first.share("view")
        #expect(try PlainClient(url, saying: Self.hello(token)).end() == "full 4100")
        let refused = try TwinClient(url).create(#"{"share":"\#(token)"}"#)
        #expect(refused.isProblem(503) && refused.headers["Retry-After"] == "1")
        try first.act(1, #""increment""#)
        for client in guests + [first] { try client.next(#"{"t":"patch","rev":2,"base":1,"#) }
      }
    }
  }

  @Test func seventeenthToken_voidsTheOldest() async throws {
    try await withServer { _, url in
      try await blocking {
        let first = try PlainClient(url, app: "counter")
        let tokens = try (0..<17).map { _ in try first.share("view") }
        #expect(try PlainClient(url, saying: Self.hello(tokens[0])).end() == "denied 4401")
        for token in tokens.dropFirst() { _ = try PlainClient(url, joining: token) }
      }
    }
  }
}
