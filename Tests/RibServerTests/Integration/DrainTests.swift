import CurlTransport
import Foundation
import RibClient
import Synchronization
import Testing
import Wire
import WireHTTP

@testable import RibServer

/// A server that stops asks its clients to go elsewhere, waits for them, and not for longer than it has said.
@Suite(.timeLimit(.minutes(5))) struct DrainTests {
  private static func isDrain(_ text: String?, within seconds: Int) -> Bool {
    text == #"{"t":"drain","within":\#(seconds * 1000)}"#
  }

  /// Everybody is asked; who stays is served; when the last one has gone the server has stopped.
  @Test func clients_areAsked_andServedUntilTheyGo() async throws {
    // More than the test may take: the end must come of their going.
    try await withServer({ $0.timeouts.drainSeconds = 600 }) { server, url in
      let (client, other) = try await blocking {
        (try PlainClient(url, app: "counter"), try PlainClient(url, app: "counter"))
      }
      let (stream, twin) = try await blocking {
        let twin = try TwinClient(url)
        _ = try twin.create()
        let stream = try TwinClient(url, like: twin)
        _ = try stream.open()
        _ = (try stream.event(), try stream.event())
        return (stream, twin)
      }
      async let stopped: Void = server.stop()
      // Also if something fails: the server would wait for them.
      defer {
        for client in [client, other] { client.cut() }
        stream.cut()
      }
      try await blocking {
        for client in [client, other] { #expect(Self.isDrain(try client.next(), within: 600)) }
        #expect(Self.isDrain(try stream.event()?.data, within: 600))
        // A connection that nothing is asked on has nobody to be told: it ends.
        let error = #expect(throws: (any Error).self, "the connection has ended") { try twin.view() }
        let isOpen = (error as? CurlError) == .timedOut
        #expect(!isOpen, "nothing is answered on it")
        for number in 1...3 {
          try client.act(number, #""increment""#)
          #expect(try client.next(#"{"t":"patch""#).contains(#""value":\#(number)"#))
        }
        // Nobody is let in any more; who probes is told why, and waited for by nobody.
        #expect(throws: (any Error).self) { try PlainClient(url, app: "counter") }
        #expect(try TwinClient(url).create().isProblem(503))
        #expect(try TwinClient(url).ask("GET", "/healthz").status == 200)
        let answer = try TwinClient(url).ask("GET", "/readyz")
        #expect(answer.status == 404 && answer.body == "draining\n" && answer.headers["Connection"] == "close")
        #expect(server.connectionCount >= 3)
        for client in [client, other] { client.cut() }
        stream.cut()
      }
      await stopped
      #expect(server.connectionCount == 0)
    }
  }

  /// A connection on which nothing is asked yet, made while clients go elsewhere, keeps the server from nothing.
  @Test func lateConnection_isNotWaitedFor() async throws {
    try await withServer({ $0.timeouts.drainSeconds = 600 }) { server, url in
      #expect(try await blocking { try TwinClient(url).ask("GET", "/readyz").body } == "ready\n")
      let client = try await blocking { try PlainClient(url, app: "counter") }
      async let stopped: Void = server.stop()
      defer { client.cut() }
      try await blocking {
        #expect(Self.isDrain(try client.next(), within: 600))
        let socket = try CurlSocket(url: url)
        // It is accepted by now: connections are, in order.
        #expect(try TwinClient(url).ask("GET", "/healthz").status == 200)
        client.cut()
        // Its end is the server's.
        var bytes = ReceiveBuffer()
        #expect(try !socket.receive(into: &bytes))
      }
      await stopped
      #expect(server.connectionCount == 0)
    }
  }

  /// A socket that processes share is served by the next one: a probe that this one still answers turns no balancer away from it.
  @Test func sharedSocket_staysReady() async throws {
    let socket = try ListeningSocket(host: "127.0.0.1", port: 0)
    defer { closeDescriptor(socket.descriptor) }
    try await withServer({
      $0.timeouts.drainSeconds = 600
      $0.socket = dup(socket.descriptor)
    }) { server, url in
      let client = try await blocking { try PlainClient(url, app: "counter") }
      async let stopped: Void = server.stop()
      defer { client.cut() }
      #expect(Self.isDrain(try await blocking { try client.next() }, within: 600))
      let isDraining = server.context.isDraining.load(ordering: .relaxed)
      #expect(isDraining)
      #expect(server.context.readiness(at: 0).word == "ready")
      client.cut()
      await stopped
    }
  }

  /// Who does not go is told so once the time is up, and not before.
  @Test func clientThatStays_isToldToGo_whenTheTimeIsUp() async throws {
    try await withServer({ $0.timeouts.drainSeconds = 2 }) { server, url in
      let client = try await blocking { try PlainClient(url, app: "counter") }
      let start = ContinuousClock.now
      async let stopped: Void = server.stop()
      let (drain, end) = try await blocking { (try client.next(), try client.end()) }
      #expect(Self.isDrain(drain, within: 2) && end == "shutdown 4000")
      #expect(ContinuousClock.now - start >= .seconds(2))
      await stopped
    }
  }

  /// The state directory's sessions, and a server whose store a test holds.
  private static func sessions(_ count: Int, in directory: TemporaryDirectory) async throws -> [Welcome] {
    let host = try StoreHost(
      [Logbook.app()], on: try SQLiteStore(path: directory.store, durability: .process))
    let welcomes = try await blocking { try (0..<count).map { _ in try PlainClient.writeAndLeave(host.url) } }
    await host.stop()
    return welcomes
  }

  /// Those whose session is read from the store when the server begins to go down are asked as well, once they are there.
  @Test func lateComers_areAsked() async throws {
    let directory = try TemporaryDirectory()
    let welcomes = try await Self.sessions(2, in: directory)
    let host = try StoreHost(
      [Logbook.app()], on: try SQLiteStore(path: directory.store, durability: .process))
    host.store.hold(true)
    let (socket, stream) = try await blocking {
      (
        try PlainClient(host.url, saying: PlainClient.resume(welcomes[0], attempt: 1)),
        try TwinClient(host.url, sessionID: welcomes[1].sessionID, token: welcomes[1].token)
      )
    }
    async let opened = blocking { try stream.open() }
    // Who has asked for no session yet is not waited for.
    #expect(await eventually { host.store.isWaiting && host.context.loads.withLock { $0.count } == 2 })
    async let stopped: Void = host.stop(drainingFor: 600)
    defer {
      host.store.hold(false)
      socket.cut()
      stream.cut()
    }
    #expect(await eventually { host.isDraining })
    host.store.hold(false)
    #expect(try await opened.status == .ok)
    try await blocking {
      try socket.greet()
      #expect(try socket.welcome.number == 1)
      let texts = try socket.all(until: #"{"t":"drain","within":"#)
      #expect(texts.count == 2 && texts[0].hasPrefix(#"{"t":"snap""#))
      // It is told how long it still may take.
      let left = try #require(try JSONValue(parsing: texts[1])["within"]?.wholeNumber)
      #expect(left <= 600_000 && left > 500_000)
      let kinds = try (0..<3).map { _ in try JSONValue(parsing: try stream.event()?.data ?? "")["t"]?.string }
      #expect(kinds == ["welcome", "snap", "drain"])
      socket.cut()
      stream.cut()
    }
    await stopped
  }

  /// A request that is under way is answered, and its connection closed after it; one that is not answered in time is to
  /// be asked again.
  @Test(arguments: [true, false])
  func request_isAnsweredOrToBeAskedAgain(isAnswered: Bool) async throws {
    let directory = try TemporaryDirectory()
    let host = try StoreHost(
      [Logbook.app()], on: try SQLiteStore(path: directory.store, durability: .process))
    let client = try await blocking {
      let client = try TwinClient(host.url)
      _ = try client.create(#"{"app":"logbook"}"#)
      return client
    }
    host.store.hold(true)
    async let answer = blocking { try client.act(#""1""#, #"{"to":"","a":{"write":"a"}}"#) }
    #expect(await eventually { host.store.isWaiting })
    async let stopped: Void = host.stop(drainingFor: isAnswered ? 600 : 1)
    defer { host.store.hold(false) }
    #expect(await eventually { host.isDraining })
    if isAnswered { host.store.hold(false) }
    let told = try await answer
    if isAnswered {
      #expect(told.body == #"{"rev":2,"n":1,"nacks":[]}"#)
    } else {
      #expect(told.isProblem(503) && told.headers["Retry-After"] == "1")
    }
    #expect(told.headers["Connection"] == "close")
    host.store.hold(false)
    await stopped
  }
}
