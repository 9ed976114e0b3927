import CurlTransport
import Synchronization
import Testing
import Wire
import WireHTTP

@testable import RibCore
@testable import RibServer

/// A store that has sessions wait while it fails: nothing is let out that it does not have.
@Suite struct StoreOutageTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func withHost(
    _ outside: Logbook.Outside = Logbook.Outside(), outage: Outage = .waits,
    change: (inout ServerSettings) -> Void = { _ in },
    _ body: @escaping @Sendable (StoreHost) async throws -> Void
  ) async throws {
    let store = try SQLiteStore(path: directory.store, durability: .process)
    try await StoreHost.with([Logbook.app(outside)], on: store, outage: outage, change, body)
  }

  private static func isTold(_ client: PlainClient) -> Bool { (try? client.next(timeout: 50)) != nil }

  @Test(arguments: [false, true]) func whatTheStoreHasNotAnswered_isHeld(losesAnswers: Bool) async throws {
    let outside = Logbook.Outside()
    try await withHost(outside) { host in
      let client = try await blocking { try PlainClient(host.url) }
      let fail = { @Sendable (fails: Bool) in losesAnswers ? host.store.loseAnswers(fails) : host.store.fail(fails) }
      fail(true)
      try await blocking {
        try client.act(1, #"{"write":"a"}"#)
        try client.act(2, #"{"workAndWrite":"b"}"#)
        try client.act(3, #""wrong""#)
      }
      #expect(await eventually { host.writer.isFailing })
      try await blocking {
        try host.waitUntilRun(3, of: client)
        #expect(!Self.isTold(client))
        // A session that begins meanwhile waits as well.
        let late = try PlainClient(host.url, saying: #"{"t":"hello","app":"logbook"}"#)
        try waitUntil { host.sessionCount == 2 }
        #expect(!Self.isTold(late))
        #expect(outside.log.isEmpty)
        fail(false)
        try late.next(#"{"t":"welcome""#)
        // No notice comes: nothing was let out that does not survive.
        try client.next(#"{"t":"patch","rev":2,"base":1,"n":1,"#)
        try client.next(#"{"t":"patch","rev":2,"base":2,"n":2,"#)
        try client.next(#"{"t":"nack","n":3,"#)
        try client.next(#"{"t":"patch","rev":3,"base":2,"n":3,"#)
        try client.act(4, #"{"write":"c"}"#)
        try client.next(#"{"t":"patch","rev":4,"base":3,"n":4,"#)
      }
      let loaded = try #require(try host.store.load(try client.welcome.sessionID))
      #expect(loaded.tree.nodes[1]?.state?.contains(#"["a","b","c"]"#) == true)
      #expect(loaded.nacks.map(\.nack.number) == [3] && loaded.state.clients[0].number == 4)
    }
  }

  /// Clients that ask whether the server is there are answered: they would all come anew otherwise, again and again.
  @Test func ping_isAnsweredWhileTheStoreIsAway() async throws {
    try await withHost { host in
      let client = try await blocking { try PlainClient(host.url) }
      host.store.hold(true)
      try await blocking {
        try client.act(1, #"{"write":"a"}"#)
        try client.send(#"{"t":"ping"}"#)
        try host.waitUntilRun(1, of: client)
        // A store that takes its time changes no order.
        #expect(!Self.isTold(client))
        host.store.fail(true)
        host.store.hold(false)
        #expect(try client.next() == #"{"t":"pong"}"#)
        try client.send(#"{"t":"ping"}"#)
        #expect(try client.next() == #"{"t":"pong"}"#)
        #expect(!Self.isTold(client))
        host.store.fail(false)
        try client.next(#"{"t":"patch","rev":2,"base":1,"n":1,"#)
        #expect(try client.next() == #"{"t":"pong"}"#)
      }
    }
  }

  /// A client to which no event may be sent yet hears that the server is there, and is not taken for one that takes nothing.
  @Test func events_areKeptAliveWhileTheyWait() async throws {
    try await withHost(change: { $0.timeouts.heartbeatSeconds = 1 }) { host in
      let client = try await blocking { try PlainClient(host.url) }
      let welcome = try client.welcome
      host.store.hold(true)
      try await blocking {
        let stream = try CurlSocket(url: host.url)
        let head = "HTTP/1.1\r\nHost: localhost\r\nRiblet-Token: \(welcome.token)\r\n"
        let path = "/v1/sessions/\(welcome.sessionID)"
        try stream.send(Array("GET \(path)/events \(head)\r\n".utf8))
        // More than what a client that is well has yet to take.
        let body = #"{"to":1,"a":{"write":"\#(String(repeating: "a", count: 5000))"}}"#
        let fields = "Idempotency-Key: \"1\"\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)"
        let caller = try CurlSocket(url: host.url)
        try caller.send(Array("POST \(path)/actions \(head)\(fields)\r\n\r\n\(body)".utf8))
        try host.waitUntilRun(1, of: client)
        var buffer = ReceiveBuffer()
        while buffer.text.ranges(of: ":\n\n").count < 3 { try #require(try stream.receive(into: &buffer)) }
        #expect(!buffer.text.contains(#""n":1,"#))
        host.store.hold(false)
        while !buffer.text.contains(#""n":1,"#) { try #require(try stream.receive(into: &buffer)) }
      }
    }
  }

  /// Waits for something of WebSocket's own that a client is sent, without an answer to what else comes.
  private static func await(_ client: PlainClient, _ isAwaited: (WebSocketEvent) -> Bool) throws {
    var (reader, buffer) = (FrameReader(role: .client, messageLimit: 10_000), ReceiveBuffer())
    while true {
      let event = try reader.nextEvent(from: &buffer)
      if let event, isAwaited(event) { return }
      if event == nil { try #require(try client.socket.socket.receive(into: &buffer)) }
    }
  }

  /// Waits for the server to ask whether a client is there.
  private static func awaitPing(_ client: PlainClient) throws {
    try Self.await(client) { if case .ping = $0 { true } else { false } }
  }

  /// Waits until the server has given a client up that is well otherwise: for the heartbeat and the grace.
  private static func awaitSilence(_ client: PlainClient) throws {
    var buffer = ReceiveBuffer()
    while try client.socket.socket.receive(into: &buffer) {}
    #expect(buffer.text.contains("silent"))
  }

  /// The same for a WebSocket: its client is asked whether it is there, before what waits, and answered if it asks.
  @Test func client_isPingedWhileItsAnswerWaits() async throws {
    try await withHost(change: { $0.timeouts.heartbeatSeconds = 1 }) { host in
      let client = try await blocking { try PlainClient(host.url) }
      host.store.hold(true)
      try await blocking {
        // The first ping may have come before the answer that waits, the next one comes behind another sign of life.
        for number in 1...2 {
          try client.act(number, #"{"write":"a"}"#)
          try host.waitUntilRun(number, of: client)
          try Self.awaitPing(client)
        }
        // A ping without a word.
        try client.socket.socket.send([0x89, 0x80, 0, 0, 0, 0])
        try Self.await(client) { if case .pong = $0 { true } else { false } }
        host.store.hold(false)
        try client.next(#"{"t":"patch","rev":2,"base":1,"n":1,"#)
        try client.next(#"{"t":"patch","rev":3,"base":2,"n":2,"#)
      }
    }
  }

  /// Large answers that wait are no reason not to hear the client: it reads all that it is sent.
  @Test func client_isHeardWhileMuchWaits() async throws {
    try await withHost(change: { $0.limits.writeQueueBytes = 10_000 }) { host in
      let client = try await blocking { try PlainClient(host.url) }
      host.store.hold(true)
      try await blocking {
        let line = String(repeating: "a", count: 6000)
        for number in 1...4 { try client.act(number, #"{"write":"\#(line)"}"#) }
        try host.waitUntilRun(4, of: client)
        host.store.hold(false)
        try client.next(#"{"t":"patch","rev":2,"base":1,"n":1,"#)
      }
    }
  }

  /// But what waits for a commit takes memory, and is not to be more than four times what may wait for a client.
  @Test func client_isNotHeardWhileTooMuchWaits() async throws {
    try await withHost(change: { $0.limits.writeQueueBytes = 10_000 }) { host in
      let client = try await blocking { try PlainClient(host.url) }
      let other = try await blocking { try PlainClient(host.url) }
      host.store.hold(true)
      try await blocking {
        let wishes = Array(repeating: #"{"t":"share","scope":"view"}"#, count: 400)
        for start in stride(from: 0, to: 400, by: 50) {
          try client.send("[\(wishes[start..<start + 50].joined(separator: ","))]")
        }
        try waitUntil { host.count(.pausedByCommit) == 1 }
        // Time enough for the server to hear the rest: it takes turns.
        for number in 1...40 {
          try other.act(number, #"{"write":"b"}"#)
          try host.waitUntilRun(number, of: other)
        }
        #expect(host.queueBytes(of: try client.welcome) < 41_000)
        host.store.hold(false)
        for _ in wishes { try client.next(#"{"t":"share","token":"#) }
      }
    }
  }

  /// A client that is not read from, as too many of its actions wait, cannot answer a ping, and is not called silent for it.
  @Test func client_withManyWaitingActions_isNotCalledSilent() async throws {
    try await withHost(change: { $0.timeouts.heartbeatSeconds = 1 }) { host in
      let client = try await blocking { try PlainClient(host.url) }
      let other = try await blocking { try PlainClient(host.url) }
      host.store.hold(true)
      try await blocking {
        for number in 1...300 { try client.act(number, #"{"write":"a"}"#) }
        try host.waitUntilRun(256, of: client)
        try other.send(#"{"t":"ping"}"#)
        try Self.awaitPing(client)
        try Self.awaitSilence(other)
        host.store.hold(false)
        try host.waitUntilRun(300, of: client)
      }
    }
  }

  /// But if it is gone without a word, the server notices although it does not read.
  @Test func client_thatIsGone_isNotKept() async throws {
    try await withHost(change: { $0.timeouts.heartbeatSeconds = 1 }) { host in
      let client = try await blocking { try PlainClient(host.url) }
      host.store.hold(true)
      try await blocking {
        for number in 1...300 { try client.act(number, #"{"write":"a"}"#) }
        try host.waitUntilRun(256, of: client)
        client.cut()
        try waitUntil { host.context.connections.count == 0 }
        host.store.hold(false)
        try host.waitUntilRun(256, of: client)
      }
    }
  }

  /// What a client is still owed when it says goodbye comes with the commit, also after the time that it has to close.
  @Test func lastWord_waitsForItsCommit() async throws {
    try await withHost(change: { ($0.timeouts.heartbeatSeconds, $0.timeouts.closingSeconds) = (3, 1) }) { host in
      let client = try await blocking { try PlainClient(host.url) }
      let other = try await blocking { try PlainClient(host.url) }
      host.store.hold(true)
      try await blocking {
        try client.act(1, #"{"write":"a"}"#)
        try client.send(#"{"t":"bye"}"#)
        try waitUntil { host.hasLeft(try client.welcome) }
        try other.send(#"{"t":"ping"}"#)
        try Self.awaitPing(other)
        host.store.hold(false)
        try client.next(#"{"t":"patch","rev":2,"base":1,"n":1,"#)
        #expect(try client.end() == "ended 1000")
      }
    }
  }

  /// It waits as long as a client may be silent, and no longer.
  @Test func lastWord_doesNotWaitForEver() async throws {
    try await withHost(change: { ($0.timeouts.heartbeatSeconds, $0.timeouts.closingSeconds) = (1, 1) }) { host in
      let client = try await blocking { try PlainClient(host.url) }
      host.store.hold(true)
      try await blocking {
        try client.act(1, #"{"write":"a"}"#)
        try client.send(#"{"t":"bye"}"#)
        try waitUntil { host.context.connections.count == 0 }
        #expect(try client.end() == "none 0")
        host.store.hold(false)
      }
    }
  }

  /// It was not known whether the session was created.
  @Test(arguments: [false, true]) func creation_isRepeated(losesAnswers: Bool) async throws {
    try await withHost { host in
      if losesAnswers { host.store.loseAnswers(true) } else { host.store.fail(true) }
      let client = try await blocking { try PlainClient(host.url, saying: #"{"t":"hello","app":"logbook"}"#) }
      #expect(await eventually { host.writer.isFailing && host.sessionCount == 1 })
      try await blocking {
        #expect(!Self.isTold(client))
        host.store.loseAnswers(false)
        host.store.fail(false)
        #expect(try client.next(#"{"t":"welcome""#).contains(#""durability":"process""#))
        try client.next(#"{"t":"snap""#)
        try client.act(1, #"{"write":"a"}"#)
        try client.next(#"{"t":"patch""#)
      }
    }
  }

  /// Another process has gone on with the session: what was not answered has not happened.
  @Test func sessionThatIsTakenMeanwhile_takesNothingBack() async throws {
    try await withHost { host in
      let client = try await blocking { try PlainClient(host.url) }
      let id = try client.welcome.sessionID
      host.store.failWrites(true)
      host.store.failProbes(true)
      try await blocking { try client.act(1, #"{"write":"a"}"#) }
      #expect(await eventually { host.writer.isFailing })
      // By another connection to the same store.
      let other = try SQLiteStore(path: directory.store, durability: .process)
      let loaded = try #require(try other.load(id))
      #expect(loaded.tree.nodes[1]?.state?.contains(#""lines":[]"#) == true)
      other.close()
      host.store.failProbes(false)
      host.store.failWrites(false)
      let end = try await blocking { try client.next(#"{"t":"bye""#) }
      #expect(end.contains(#""code":"moved""#))
      #expect(await eventually { host.sessionCount == 0 })
    }
  }

  /// Requests of the twin wait for the store as a WebSocket does.
  @Test func request_waits() async throws {
    try await withHost { host in
      let client = try await blocking { try PlainClient(host.url) }
      let welcome = try client.welcome
      host.store.fail(true)
      // A connection that says nothing for seconds is ended: it is made when it is needed.
      async let answer = blocking {
        try TwinClient(host.url, sessionID: welcome.sessionID, token: welcome.token)
          .act(#""1""#, #"{"to":1,"a":{"write":"a"}}"#)
      }
      #expect(await eventually { host.writer.isFailing })
      try await blocking {
        try host.waitUntilRun(1, of: client)
        #expect(!Self.isTold(client))
      }
      host.store.fail(false)
      let text = try await answer.body
      #expect(text == #"{"rev":2,"n":1,"nacks":[]}"#)
      _ = try await blocking { try client.next(#"{"t":"patch","rev":2,"base":1,"n":1,"#) }
    }
  }

  /// A session does not leave memory with what the store does not have, and leaves soon when it has it.
  @Test(arguments: [Outage.waits, .goesOn], [false, true])
  func sessionThatWasToRest_stays(_ outage: Outage, isConnected: Bool) async throws {
    try await withHost(
      outage: outage,
      change: {
        $0.sessions.restSeconds = 1
        $0.sessions.idleRestSeconds = 2
      }
    ) { host in
      let (welcome, client) = try await blocking {
        let client = try PlainClient(host.url)
        try client.act(1, #"{"write":"a"}"#)
        try client.next(#"{"t":"patch""#)
        host.store.failRests(true)
        host.store.failProbes(true)
        if !isConnected { client.cut() }
        return try (client.welcome, client)
      }
      defer { withExtendedLifetime(client) {} }
      #expect(await eventually { host.writer.isFailing })
      #expect(
        await eventually {
          host.loops[0].executeAndWait { host.context.sessions.peek(welcome.sessionID)?.core.life.isAwake == true }
        })
      #expect(host.sessionCount == 1)
      host.store.failRests(false)
      host.store.failProbes(false)
      // A look that knew of no failure would come within a minute.
      #expect(await eventually { host.sessionCount == 0 })
      let loaded = try #require(try host.store.load(welcome.sessionID))
      #expect(loaded.tree.nodes[1]?.state?.contains(#"["a"]"#) == true && loaded.state.clients[0].number == 1)
      #expect(loaded.state.rest != nil)
    }
  }

  /// A server that stops while the store fails has promised nothing that it does not have.
  @Test func stop_tellsNothingThatIsNotCommitted() async throws {
    let store = try SQLiteStore(path: directory.store, durability: .process)
    let host = try StoreHost([Logbook.app()], on: store, outage: .waits)
    let client = try await blocking { try PlainClient(host.url) }
    host.store.fail(true)
    try await blocking { try client.act(1, #"{"write":"a"}"#) }
    #expect(await eventually { host.writer.isFailing })
    await host.stop()
    let text = try await blocking { try client.socket.text() }
    #expect(text == nil)
    // The writer's thread may be the last to let go of a session.
    #expect(await eventually { host.sessionCount == 0 })
    #expect(host.context.lostSessionCount.load(ordering: .relaxed) == 0)
  }
}
