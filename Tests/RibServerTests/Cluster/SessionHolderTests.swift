import Testing
import Wire

@testable import RibServer

/// Which sessions a node lets go of when another one asks for them.
@Suite(.timeLimit(.minutes(5))) struct SessionHolderTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func withHost(
    _ change: (inout ServerSettings) -> Void = { _ in }, _ body: @escaping @Sendable (StoreHost) async throws -> Void
  ) async throws {
    let store = try SQLiteStore(path: directory.store, durability: .process)
    try await StoreHost.with([Logbook.app()], on: store, outage: .waits, isShared: nil, change, body)
  }

  private static func ask(_ host: StoreHost, for welcome: Welcome, token: String? = nil, attempt: Int? = 1) async
    -> LinkMessage.Holding
  {
    let want = LinkMessage.Want(
      number: 1, sessionID: welcome.sessionID,
      claim: SessionClaim(tokenHash: SessionToken.hash(token ?? welcome.token), attempt: attempt))
    return await withCheckedContinuation { done in
      SessionHolder(context: host.context).answer(want) { done.resume(returning: $0) }
    }
  }

  /// Its former connection ends, and the store has all that the client has seen: it is shown nothing anew.
  @Test func sessionOfALoneClient_isFree() async throws {
    try await withHost { host in
      let client = try await blocking { try PlainClient(host.url) }
      let welcome = try client.welcome
      try await blocking {
        try client.act(1, #"{"write":"a"}"#)
        try client.next(#"{"t":"patch""#)
      }
      #expect(await Self.ask(host, for: welcome) == .free)
      #expect(await eventually { host.sessionCount == 0 })
      try await blocking {
        #expect(try client.end() == "moved 4002")
        let back = try PlainClient(
          host.url, saying: PlainClient.resume(welcome, attempt: 1, epoch: welcome.epoch, revision: 2))
        try back.greet()
        #expect(back.greeting.contains(#""resumed":true"#) && back.greeting.contains(#""n":1"#))
        try back.act(2, #"{"write":"b"}"#)
        try back.next(#"{"t":"patch","rev":3,"base":2,"n":2,"#)
      }
    }
  }

  @Test func sessionWithoutClients_isFree() async throws {
    try await withHost { host in
      let welcome = try await blocking { try PlainClient.writeAndLeave(host.url) }
      #expect(await eventually { host.isAbandoned(welcome.sessionID) })
      #expect(await Self.ask(host, for: welcome) == .free)
      #expect(await eventually { host.sessionCount == 0 })
      // What is not there is free as well.
      #expect(await Self.ask(host, for: welcome) == .free)
    }
  }

  /// Others are connected, or somebody else asks.
  @Test func sessionThatOthersUse_isBusy() async throws {
    try await withHost { host in
      let client = try await blocking { try PlainClient(host.url) }
      #expect(await Self.ask(host, for: try client.welcome, token: "another") == .busy)
      // An old connection of the client's own, or a request.
      for attempt in [0, nil] { #expect(await Self.ask(host, for: try client.welcome, attempt: attempt) == .busy) }
      let other = try await blocking { try PlainClient(host.url, joining: try client.share("act")) }
      #expect(await Self.ask(host, for: try client.welcome) == .busy)
      try await blocking {
        try client.act(1, #"{"write":"a"}"#)
        try client.next(#"{"t":"patch""#)
        try other.next(#"{"t":"patch""#)
      }
    }
  }

  /// Clients that sleep are told to connect again.
  @Test func sessionWhoseClientsSleep_isFree() async throws {
    try await withHost({ $0.sessions.idleRestSeconds = 0 }) { host in
      let client = try await blocking { try PlainClient(host.url) }
      #expect(await eventually { host.sessionCount == 0 })
      #expect(await Self.ask(host, for: try client.welcome) == .free)
      #expect(try await blocking { try client.end() } == "moved 4002")
    }
  }
}
