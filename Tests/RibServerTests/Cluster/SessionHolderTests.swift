import Synchronization
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

  private static func ask(
    _ host: StoreHost, for welcome: Welcome, token: String? = nil, client: Int? = nil, attempt: Int? = 1
  ) async -> LinkMessage.Holding {
    let want = LinkMessage.Want(
      number: 1, sessionID: welcome.sessionID,
      claim: SessionClaim(
        tokenHash: SessionToken.hash(token ?? welcome.token), client: client ?? welcome.clientID, attempt: attempt))
    return await withCheckedContinuation { done in
      SessionHolder(context: host.context).answer(want, of: 1) { done.resume(returning: $0) }
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

  /// Another process has it by then, as the store says when the client's end is to be committed: no other commit follows.
  @Test func sessionThatIsLostMeanwhile_isFree() async throws {
    let path = directory.store
    try await withHost { host in
      let client = try await blocking { try PlainClient(host.url) }
      let welcome = try client.welcome
      let other = try SQLiteStore(path: path, durability: .process)
      defer { other.close() }
      _ = try other.perform([.load(sessionID: welcome.sessionID)])
      #expect(await Self.ask(host, for: welcome) == .free)
      #expect(try await blocking { try client.end() } == "moved 4002")
    }
  }

  /// Others are connected, or somebody else asks.
  @Test func sessionThatOthersUse_stays() async throws {
    try await withHost { host in
      let client = try await blocking { try PlainClient(host.url) }
      #expect(await Self.ask(host, for: try client.welcome, token: "another") == .relay)
      // An old connection of the client's own, or a request.
      for attempt in [0, nil] { #expect(await Self.ask(host, for: try client.welcome, attempt: attempt) == .relay) }
      let other = try await blocking { try PlainClient(host.url, joining: try client.share("act")) }
      #expect(await Self.ask(host, for: try client.welcome) == .relay)
      try await blocking {
        try client.act(1, #"{"write":"a"}"#)
        try client.next(#"{"t":"patch""#)
        try other.next(#"{"t":"patch""#)
      }
    }
  }

  /// What runs would be cut off.
  @Test func sessionWithEffects_stays() async throws {
    try await withHost { host in
      let client = try await blocking {
        let client = try PlainClient(host.url)
        try client.act(1, #"{"work":"a"}"#)
        try client.next(#"{"t":"patch""#)
        return client
      }
      #expect(await Self.ask(host, for: try client.welcome) == .relay)
    }
  }

  /// A client that sleeps, and comes back elsewhere, is told to connect again where it slept; others are not.
  @Test func sessionWhoseClientSleeps_isFreeForThatOne() async throws {
    try await withHost({ $0.sessions.idleRestSeconds = 0 }) { host in
      let client = try await blocking { try PlainClient(host.url) }
      #expect(await eventually { host.sessionCount == 0 })
      #expect(await Self.ask(host, for: try client.welcome, client: 2) == .relay)
      #expect(await Self.ask(host, for: try client.welcome, attempt: 0) == .relay)
      #expect(await Self.ask(host, for: try client.welcome) == .free)
      #expect(try await blocking { try client.end() } == "moved 4002")
    }
  }

  /// A node that is about to stop keeps nothing: neither what others use nor what runs.
  @Test(arguments: [false, true]) func nodeThatDrains_keepsNothing(isAsleep: Bool) async throws {
    try await withHost({ if isAsleep { $0.sessions.idleRestSeconds = 0 } }) { host in
      let clients = try await blocking {
        let client = try PlainClient(host.url)
        let other = try PlainClient(host.url, joining: try client.share("act"))
        if !isAsleep {
          try client.act(1, #"{"work":"a"}"#)
          try client.next(#"{"t":"patch""#)
        }
        return [client, other]
      }
      let welcome = try clients[0].welcome
      if isAsleep { #expect(await eventually { host.sessionCount == 0 }) }
      #expect(await Self.ask(host, for: welcome, token: "another", client: 3, attempt: nil) == .relay)
      host.context.isDraining.store(true, ordering: .relaxed)
      #expect(await Self.ask(host, for: welcome, token: "another", client: 3, attempt: nil) == .free)
      #expect(await eventually { host.sessionCount == 0 })
      for client in clients { #expect(try await blocking { try client.end() } == "moved 4002") }
      try await blocking {
        let back = try PlainClient(host.url, resuming: welcome, attempt: 1)
        #expect(back.greeting.contains(#""resumed":true"#) && back.greeting.contains(#""n":\#(isAsleep ? 0 : 1)"#))
      }
    }
  }
}
