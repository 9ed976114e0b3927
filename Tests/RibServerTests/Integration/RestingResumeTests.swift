import CurlTransport
import GRDB
import Synchronization
import Testing
import Wire

@testable import RibServer

/// Clients that come back, with all of the view, to sessions that rest: they sleep at once, and no session is read.
@Suite struct RestingResumeTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Runs `body` against a server on the file, and stops it in order.
  private func withHost(
    _ apps: [App] = [Logbook.app()], loops: Int = 1, _ body: @escaping @Sendable (StoreHost) async throws -> Void
  ) async throws {
    let store = try SQLiteStore(path: directory.store, durability: .process)
    try store.begin()
    try await StoreHost.with(apps, on: store, loops: loops, { $0.sessions.restSeconds = 1000 }, body)
  }

  /// Begins sessions on a server that ends then.
  ///
  /// - Returns: what each client was welcomed with; each has written a line, and was refused once.
  private func begin(
    _ count: Int = 1, _ more: @escaping @Sendable (PlainClient, _ url: String) throws -> Void = { _, _ in }
  ) async throws -> [Welcome] {
    let welcomes = Mutex<[Welcome]>([])
    try await withHost { host in
      try await blocking {
        for _ in 0..<count {
          let client = try PlainClient(host.url)
          try client.act(1, #"{"write":"a"}"#)
          try client.next(#"{"t":"patch""#)
          try client.act(2, #""wrong""#)
          try client.next(#"{"t":"nack""#)
          try more(client, host.url)
          let welcome = try client.welcome
          welcomes.withLock { $0.append(welcome) }
        }
      }
    }
    return welcomes.withLock { $0 }
  }

  private func loads(_ host: StoreHost) -> Int { host.store.requests.count { $0 == "load" } }

  private func holder() throws -> Int {
    try DatabaseQueue(path: directory.store).read { try Int.fetchOne($0, sql: "SELECT holder FROM session") ?? -1 }
  }

  // MARK: After a restart

  @Test func clientsThatComeBack_sleepAtOnce() async throws {
    let welcomes = try await begin(20)
    try await withHost(loops: 2) { host in
      let clients = try await blocking {
        try welcomes.map { try PlainClient(host.url, resuming: $0, attempt: 1, revision: 2) }
      }
      for (client, before) in zip(clients, welcomes) {
        let welcome = try client.welcome
        #expect(welcome.resumed && welcome.epoch == before.epoch && welcome.token == before.token)
        #expect(welcome.revision == 2 && welcome.number == 2 && welcome.nackNumbers == [2])
      }
      #expect(host.sessionCount == 0 && loads(host) == 0)
      try await blocking {
        for client in clients {
          try client.send(#"{"t":"ping"}"#)
          try client.next(#"{"t":"pong""#)
        }
      }
      #expect(host.sessionCount == 0 && loads(host) == 0)
      try await blocking {
        // A word wakes it, and only it.
        try clients[3].send(#"{"t":"act","n":3,"to":1,"a":{"write":"b"},"ack":{"rev":2,"n":2}}"#)
        try clients[3].next(#"{"t":"patch","rev":3,"base":2,"n":3,"#)
        try clients[3].send(#"{"t":"resync"}"#)
        #expect(try clients[3].next(#"{"t":"snap""#).contains(#""lines":["a","b"]"#))
        try clients[4].send(#"{"t":"bye"}"#)
        #expect(try clients[4].end() == "ended 1000")
      }
      #expect(loads(host) == 2)
      #expect(await eventually { host.sessionCount == 1 })
    }
  }

  /// What it is told is what it would be told by the session.
  @Test func welcome_isThatOfALoadedSession() async throws {
    let welcome = try await begin()[0]
    try await withHost { host in
      let texts = try await blocking {
        let asleep = try PlainClient(host.url, resuming: welcome, attempt: 1, revision: 2)
        #expect(host.sessionCount == 0)
        let loaded = try PlainClient(host.url, resuming: welcome, attempt: 2, epoch: "", revision: 0)
        try loaded.next(#"{"t":"snap""#)
        #expect(try asleep.end() == "taken 4409")
        return [asleep.greeting, loaded.greeting]
      }
      #expect(texts[0] == texts[1])
    }
  }

  /// What comes in one message with the `hello` is not left out.
  @Test func wordsInTheSameBreath_wakeIt() async throws {
    let welcome = try await begin()[0]
    try await withHost { host in
      try await blocking {
        let hello = PlainClient.resume(welcome, attempt: 1, epoch: welcome.epoch, revision: 2)
        let client = try PlainClient(
          host.url, saying: "[\(hello),\(PlainClient.act(3, #"{"write":"b"}"#)),\(PlainClient.act(4, #""pop""#))]")
        try client.next(#"{"t":"welcome""#)
        try client.next(#"{"t":"patch","rev":3,"base":2,"n":3,"#)
        try client.next(#"{"t":"patch","rev":3,"base":3,"n":4,"#)
      }
    }
  }

  // MARK: Who is not let in

  @Test func othersAreTurnedAway_andNothingIsLoaded() async throws {
    let welcome = try await begin()[0]
    try await withHost { host in
      try await blocking {
        let end = { (token: String?, attempt: Int) in
          try PlainClient(host.url, resuming: welcome, token: token, attempt: attempt, revision: 2).end()
        }
        #expect(try end("x", 5) == "none 4401")
        let client = try PlainClient(host.url, resuming: welcome, attempt: 2, revision: 2)
        #expect(try end(nil, 2) == "none 4410")
        #expect(try end(nil, 1) == "none 4410")
        #expect(try end("x", 9) == "none 4401")
        try client.send(#"{"t":"ping"}"#)
        try client.next(#"{"t":"pong""#)
      }
      #expect(host.sessionCount == 0 && loads(host) == 0)
    }
    try await withHost([App("other") { Logbook(outside: Logbook.Outside()) }]) { host in
      let end = try await blocking { try PlainClient(host.url, resuming: welcome, attempt: 3, revision: 2).end() }
      #expect(end == "none 4404")
      // The answer does not wait for the note that the session is held no more.
      #expect(await eventually { (try? holder()) == 0 })
    }
  }

  // MARK: Who has to be shown more

  @Test func otherView_isLoaded() async throws {
    let welcomes = try await begin(2)
    try await withHost { host in
      try await blocking {
        for (welcome, known) in zip(welcomes, [("x", 2), (welcomes[1].epoch, 1)]) {
          let client = try PlainClient(host.url, resuming: welcome, attempt: 1, epoch: known.0, revision: known.1)
          #expect(try client.welcome.nackNumbers == [2])
          #expect(try client.next(#"{"t":"snap""#).contains(#""lines":["a"]"#))
        }
      }
      #expect(host.sessionCount == 2 && loads(host) == 2)
    }
  }

  /// Its effect runs again, also if no client says a word.
  @Test(arguments: [#"{"nap":"n"}"#, #"{"work":"n"}"#]) func sessionWithAnEffect_isLoaded(_ action: String) async throws
  {
    let welcome = try await begin { client, _ in
      try client.act(3, action)
      try client.next(#"{"t":"patch","rev":2,"base":2,"n":3,"#)
    }[0]
    let outside = Logbook.Outside()
    try await withHost([Logbook.app(outside)]) { host in
      let client = try await blocking { try PlainClient(host.url, resuming: welcome, attempt: 1, revision: 2) }
      let snap = try await blocking { try client.next(#"{"t":"snap""#) }
      #expect(snap.contains(#""interrupted":["n"]"#) && host.sessionCount == 1)
    }
  }

  /// Another version of the program may show another view.
  @Test func sessionOfAnotherProgram_isLoaded() async throws {
    let welcome = try await begin()[0]
    try await DatabaseQueue(path: directory.store).write { try $0.execute(sql: "UPDATE session SET program = 'other'") }
    let outside = Logbook.Outside()
    outside.heading = "new"
    try await withHost([Logbook.app(outside)]) { host in
      let client = try await blocking { try PlainClient(host.url, resuming: welcome, attempt: 1, revision: 2) }
      let snap = try await blocking { try client.next(#"{"t":"snap""#) }
      #expect(snap.contains(#""heading":"new""#) && host.sessionCount == 1)
    }
  }

  // MARK: Several at once

  @Test func clientThatComesAgain_overtakesTheOneThatSleeps() async throws {
    let welcome = try await begin()[0]
    try await withHost(loops: 2) { host in
      try await blocking {
        let clients = try (1...4).map { try PlainClient(host.url, resuming: welcome, attempt: $0, revision: 2) }
        for client in clients.dropLast() { #expect(try client.end() == "taken 4409") }
        #expect(host.sessionCount == 0)
        try clients[3].act(3, #"{"write":"b"}"#)
        try clients[3].next(#"{"t":"patch","rev":3,"base":2,"n":3,"#)
      }
    }
  }

  @Test func clientsOfOneSession_sleepAndWakeTogether() async throws {
    let guests = Mutex<[Welcome]>([])
    let owner = try await begin { client, url in
      let token = try client.share("act")
      let guest = try PlainClient(url, joining: token)
      let welcome = try guest.welcome
      guests.withLock { $0.append(welcome) }
    }[0]
    let guest = guests.withLock { $0[0] }
    try await withHost(loops: 2) { [self] server in
      // Both are on their way when the store answers.
      server.store.hold(true)
      let waiting = try await blocking {
        try [owner, guest].map {
          try PlainClient(server.url, saying: PlainClient.resume($0, attempt: 1, epoch: $0.epoch, revision: 2))
        }
      }
      #expect(await eventually { server.store.isWaiting })
      server.store.hold(false)
      try await blocking {
        for client in waiting { try client.next(#"{"t":"welcome""#) }
        #expect(server.sessionCount == 0 && loads(server) == 0)
        try waiting[0].act(3, #"{"write":"b"}"#)
        try waiting[0].next(#"{"t":"patch","rev":3,"base":2,"n":3,"#)
        try waiting[1].next(#"{"t":"patch","rev":3,"base":2,"n":0,"#)
        #expect(loads(server) == 1)
      }
    }
  }

  /// A request that needs the session in memory waits, loads it, and wakes the client that sleeps.
  @Test func requestThatComesMeanwhile_loadsTheSession() async throws {
    let welcome = try await begin()[0]
    try await withHost { [self] host in
      host.store.hold(at: "resume")
      let client = try await blocking {
        try PlainClient(host.url, saying: PlainClient.resume(welcome, attempt: 1, epoch: welcome.epoch, revision: 2))
      }
      #expect(await eventually { host.store.isWaiting })
      async let answer = blocking {
        try TwinClient(host.url, sessionID: welcome.sessionID, token: welcome.token).act(
          #""3""#, #"{"to":1,"a":{"write":"b"}}"#)
      }
      host.store.hold(false)
      #expect(try await answer.status == 200)
      try await blocking {
        try client.next(#"{"t":"welcome""#)
        try client.next(#"{"t":"patch","rev":3,"base":2,"n":3,"#)
      }
      #expect(host.sessionCount == 1 && loads(host) == 1)
    }
  }

  /// The store does not think that a client waits that was cut on the way.
  @Test func connectionThatIsCutMeanwhile_leavesTheSessionAlone() async throws {
    let welcome = try await begin()[0]
    try await withHost { [self] host in
      host.store.hold(at: "resume")
      let client = try await blocking {
        try PlainClient(host.url, saying: PlainClient.resume(welcome, attempt: 1, epoch: welcome.epoch, revision: 2))
      }
      #expect(await eventually { host.store.isWaiting })
      client.cut()
      host.store.hold(false)
      #expect(await eventually { host.store.requests.contains("noteAbsence") })
      #expect(await eventually { (try? holder()) == 0 })
      // The same without haste.
      let again = try await blocking { try PlainClient(host.url, resuming: welcome, attempt: 2, revision: 2) }
      #expect(try holder() == 1)
      again.cut()
      #expect(await eventually { (try? holder()) == 0 })
    }
  }
}
