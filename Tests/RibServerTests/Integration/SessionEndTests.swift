import RibCore
import Testing
import Wire

@testable import RibServer

/// An app is told of its sessions' ends, and of nothing else.
@Suite(.timeLimit(.minutes(5))) struct SessionEndTests {
  private let directory: TemporaryDirectory
  private let ends = EndLog()

  init() throws { directory = try TemporaryDirectory() }

  private var apps: [App] { [ends.watching(Logbook.app())] }

  private func withServer(
    _ store: ServerSettings.Store, _ change: (inout ServerSettings) -> Void = { _ in },
    _ body: @escaping @Sendable (Server, _ url: String) async throws -> Void
  ) async throws {
    try await RibServerTests.withServer(
      apps: apps,
      {
        $0.store = store
        $0.stateDirectory = directory.path
        change(&$0)
      }, body)
  }

  @Test(arguments: [ServerSettings.Store.memory, .sqlite])
  func goodbye_isTold_onceTheSessionIsDeleted(_ store: ServerSettings.Store) async throws {
    try await withServer(store) { _, url in
      let id = try await blocking {
        let client = try PlainClient(url)
        try client.act(1, #"{"write":"a"}"#)
        try client.next(#"{"t":"patch""#)
        try client.send(#"{"t":"bye"}"#)
        try client.next(#"{"t":"bye","code":"ended""#)
        return try client.welcome.sessionID
      }
      #expect(await eventually { !ends.all.isEmpty })
      #expect(ends.all == [EndedSession(id: id, reason: .goodbye)])
    }
    #expect(ends.all.count == 1)
  }

  /// Its creation may still be on the way to the store.
  @Test(arguments: [ServerSettings.Store.memory, .sqlite])
  func goodbye_rightAfterHello_isTold(_ store: ServerSettings.Store) async throws {
    try await withServer(store) { _, url in
      try await blocking {
        let client = try PlainClient(url, saying: #"[{"t":"hello","app":"logbook"},{"t":"bye"}]"#)
        _ = try? client.all(until: #"{"t":"bye""#)
      }
      #expect(await eventually { !ends.all.isEmpty })
    }
    #expect(ends.reasons == [.goodbye])
  }

  /// Wherever it is: with clients that are there, at rest with one that sleeps, or without any.
  @Test(arguments: [ServerSettings.Store.memory, .sqlite], ["live", "asleep", "away"])
  func sessionThatTheProgramEnds_isGone(_ store: ServerSettings.Store, place: String) async throws {
    try await withServer(
      store, { if place != "live" { ($0.sessions.restSeconds, $0.sessions.idleRestSeconds) = (0, 0) } }
    ) {
      server, url in
      let (client, welcome) = try await blocking { () throws in
        let client = try PlainClient(url)
        try client.act(1, #"{"write":"a"}"#)
        try client.next(#"{"t":"patch""#)
        if place == "away" { client.cut() }
        return (client, try client.welcome)
      }
      if place != "live", store == .sqlite { #expect(await eventually { server.sessionCount == 0 }) }
      let isEnded = try await [server.end(session: welcome.sessionID), server.end(session: welcome.sessionID)]
      #expect(isEnded == [true, false])
      try await blocking { () throws in
        if place != "away" { #expect(try client.end() == "revoked 4402") }
        #expect(try PlainClient(url, saying: PlainClient.resume(welcome, attempt: 1)).end() == "gone 4200")
        let twin = try TwinClient(url, sessionID: welcome.sessionID, token: welcome.token)
        #expect(try twin.view().status == 404)
      }
      #expect(await eventually { ends.reasons == [.dismissed] })
      #expect(server.sessionCount == 0)
    }
  }

  /// The process that has it is not asked: what it does from then on is not done.
  @Test func sessionThatAnotherProcessEnds_isGone() async throws {
    try await withServer(.sqlite) { _, url in
      let client = try await blocking { try PlainClient(url) }
      let id = try client.welcome.sessionID
      try await withServer(.sqlite) { other, _ in
        let isEnded = try await other.end(session: id)
        #expect(isEnded)
      }
      try await blocking { () throws in
        try client.act(1, #"{"write":"a"}"#)
        #expect(try ["moved 4002", "gone 4200"].contains(client.end()))
        #expect(try PlainClient(url, saying: PlainClient.resume(try client.welcome, attempt: 1)).end() == "gone 4200")
      }
    }
  }

  @Test(arguments: [ServerSettings.Store.memory, .sqlite])
  func clientThatDoesNotComeBack_isTold(_ store: ServerSettings.Store) async throws {
    try await withServer(store, { $0.sessions.timeToLiveSeconds = 0 }) { _, url in
      let id = try await blocking { try PlainClient.writeAndLeave(url).sessionID }
      #expect(await eventually { !ends.all.isEmpty })
      #expect(ends.all == [EndedSession(id: id, reason: .expired)])
    }
    #expect(ends.all.count == 1)
  }

  /// A session that leaves memory, comes back and stops with its server has not ended.
  ///
  /// It has when a server that is started later finds that its time is over.
  @Test func restAndStop_areNoEnd_andTheEndOfASleeperIs() async throws {
    let welcome = try await rest()
    #expect(ends.all.isEmpty)
    let clock = TestClock()
    let store = try SQLiteStore(path: directory.store, durability: .process, clock: clock.clock)
    try store.begin()
    clock.advance(60)
    let run = try SweeperRun(store, apps: apps, timeToLive: 50)
    #expect(await eventually { !ends.all.isEmpty })
    await run.stop()
    #expect(ends.all == [EndedSession(id: welcome.sessionID, reason: .expired)])
  }

  /// Has a session rest, come back, rest again, and its server stop.
  private func rest() async throws -> Welcome {
    let host = try StoreHost(
      apps, on: try SQLiteStore(path: directory.store, durability: .process), { $0.sessions.restSeconds = 0 })
    let welcome = try await blocking { try PlainClient.writeAndLeave(host.url) }
    #expect(await eventually { host.sessionCount == 0 })
    try await blocking {
      let client = try PlainClient(host.url, resuming: welcome, attempt: 1)
      try client.act(2, #"{"write":"b"}"#)
      _ = try client.all(until: #"{"t":"patch""#)
      client.cut()
    }
    #expect(await eventually { host.sessionCount == 0 })
    try await blocking { _ = try PlainClient(host.url, resuming: welcome, attempt: 2) }
    await host.stop()
    return welcome
  }

  /// The client hears that its session has ended while the store fails; the app hears it once the store has deleted it.
  @Test func endWhileTheStoreFails_isToldOnceTheStoreWorks() async throws {
    let store = try SQLiteStore(path: directory.store, durability: .process)
    try await StoreHost.with(apps, on: store) { host in
      let client = try await blocking { try PlainClient(host.url) }
      host.store.fail(true)
      try await blocking {
        try client.send(#"{"t":"bye"}"#)
        _ = try client.all(until: #"{"t":"bye","code":"ended""#)
      }
      #expect(await eventually { host.writer.isFailing && host.sessionCount == 0 })
      #expect(ends.all.isEmpty)
      host.store.fail(false)
      #expect(await eventually { !ends.all.isEmpty })
      #expect(try store.load(try client.welcome.sessionID) == nil)
    }
    #expect(ends.reasons == [.goodbye])
  }

  /// What one process takes for the end is none if another one has the session.
  @Test func sessionThatGoesOnElsewhere_isNotToldOf() async throws {
    let store = try SQLiteStore(path: directory.store, durability: .process)
    try await StoreHost.with(apps, on: store) { host in
      let (first, second) = try await blocking { (try PlainClient(host.url), try PlainClient(host.url)) }
      let id = try first.welcome.sessionID
      #expect(await eventually { host.isCommitted(id) })
      // As another process does.
      #expect(try store.load(id) != nil)
      try await blocking {
        try first.send(#"{"t":"bye"}"#)
        // The writer takes this one up behind the other.
        try waitUntil { host.store.requests.contains("remove") }
        try second.send(#"{"t":"bye"}"#)
        _ = try second.all(until: #"{"t":"bye""#)
      }
      #expect(await eventually { !ends.all.isEmpty })
      #expect(try ends.all.map(\.id) == [second.welcome.sessionID])
      #expect(try store.load(id) != nil)
    }
    #expect(ends.all.count == 1)
  }

  /// A server that stops waits for what its apps do about an end; but not for ever.
  @Test(arguments: [true, false]) func stop_waitsForTheApp(returns: Bool) async throws {
    let gate = Gate()
    let app = Logbook.app().onEnd { [ends] session in
      await gate.pass()
      // A server that does not wait has stopped long before.
      for _ in 0..<10_000 { await Task.yield() }
      ends.note(session)
    }
    let host = try StoreHost(
      [app], on: try SQLiteStore(path: directory.store, durability: .process),
      { $0.timeouts.storeSeconds = returns ? 600 : 1 })
    try await blocking {
      let client = try PlainClient(host.url)
      try client.send(#"{"t":"bye"}"#)
      try client.next(#"{"t":"bye","code":"ended""#)
    }
    #expect(await eventually { gate.waitingCount == 1 })
    async let stopped: Void = host.stop()
    #expect(await eventually { host.store.isClosed })
    if returns { gate.open() }
    await stopped
    #expect(ends.reasons == (returns ? [.goodbye] : []))
    gate.open()
  }
}
