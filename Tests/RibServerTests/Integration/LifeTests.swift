import CurlTransport
import RibClient
import RibCore
import RibServer
import Synchronization
import Testing
import Wire
import WireHTTP

@testable import Showcase

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Who is silent is asked, and who does not answer is given up.
@Suite(.timeLimit(.minutes(5))) struct LifeTests {
  /// A client's empty pong.
  private static let pong: [UInt8] = [0x8A, 0x80, 0, 0, 0, 0]

  /// The next thing that the server says, without an answer to pings.
  private static func next(
    _ socket: CurlSocket, _ reader: inout FrameReader, _ buffer: inout ReceiveBuffer, timeout: Int = 20_000
  ) throws -> WebSocketEvent? {
    while true {
      if let event = try reader.nextEvent(from: &buffer) { return event }
      guard try socket.receive(into: &buffer, timeout: timeout) else { return nil }
    }
  }

  @Test func silentClient_isPinged_andLivesAsLongAsItAnswers() async throws {
    try await withServer({ $0.timeouts.heartbeatSeconds = 1 }) { _, url in
      try await blocking {
        let socket = try CurlWebSocket.counter(url)
        var reader = FrameReader(role: .client, messageLimit: 1000)
        var buffer = ReceiveBuffer()
        // Without an answer there would be no second ping, but an end.
        for _ in 0..<2 {
          guard case .ping? = try Self.next(socket.socket, &reader, &buffer) else { throw CancellationError() }
          try socket.socket.send(Self.pong)
        }
        try socket.send(#"{"t":"act","n":1,"to":1,"a":"increment"}"#)
        guard case .text? = try Self.next(socket.socket, &reader, &buffer) else { throw CancellationError() }
      }
    }
  }

  @Test func anyByte_isASignOfLife() async throws {
    try await withServer({
      $0.timeouts.heartbeatSeconds = 2
      $0.echo = true
    }) { _, url in
      try await blocking {
        let socket = try CurlWebSocket(url: url, path: "/echo", subprotocols: [])
        let message = [UInt8](repeating: 0x61, count: 50)
        var frame: [UInt8] = []
        FrameWriter.client { 0 }.binary(message.span, into: &frame)
        var said = ReceiveBuffer()
        // Byte by byte for five seconds: neither a ping nor anything else is said.
        var (last, pause) = (ContinuousClock.now, Duration.zero)
        for byte in frame.dropLast() {
          try socket.socket.send([byte])
          pause = max(pause, ContinuousClock.now - last)
          last = .now
          do {
            let isOpen = try socket.socket.receive(into: &said, timeout: 90)
            try #require(isOpen)
          } catch let error as CurlError where error == .timedOut {}
        }
        // A machine that kept the test from sending for a while has made it silent.
        #expect(said.isEmpty || pause > .seconds(1))
        try socket.socket.send([0x61])
        #expect(try socket.receive() == .message(message))
      }
    }
  }

  /// Shows a number that others change.
  private struct Board: Riblet {
    static let typeName = "Board"
    enum ViewAction: Decodable { case look }
    enum InternalAction { case changed(Int) }
    let number: SharedValue<Int>
    func makeState() -> Int { 0 }
    func reduce(into shown: inout Int, viewAction: ViewAction) -> Effect<Self> {
      .run { [number] send in for await value in number.subscribe() { await send(.changed(value)) } }
    }
    func reduce(into shown: inout Int, internalAction: InternalAction) -> Effect<Self> {
      if case .changed(let value) = internalAction { shown = value }
      return .none
    }
    func view(_ shown: Int) -> Int { shown }
  }

  /// Keeps its loop from everything else for a while.
  private struct Sitter: Riblet {
    static let typeName = "Sitter"
    enum ViewAction: Decodable { case sit }
    enum InternalAction { case sitNow }
    let sitting: Sitting
    /// Whether it sits, and whether it may rise.
    final class Sitting: Sendable {
      let isSitting = Atomic(false)
      let mayRise = Atomic(false)
    }
    func makeState() -> Int { 0 }
    func reduce(into count: inout Int, viewAction: ViewAction) -> Effect<Self> { .run { send in await send(.sitNow) } }
    func reduce(into count: inout Int, internalAction: InternalAction) -> Effect<Self> {
      sitting.isSitting.store(true, ordering: .releasing)
      let end = ContinuousClock.now + .seconds(60)
      while !sitting.mayRise.load(ordering: .acquiring), ContinuousClock.now < end { sched_yield() }
      return .none
    }
    func view(_ count: Int) -> Int { count }
  }

  /// A reducer takes longer than the heartbeat: a client that has said something meanwhile is not asked whether it is there.
  @Test func clientThatCouldNotBeHeard_isNotPinged() async throws {
    let sitting = Sitter.Sitting()
    try await withServer(
      apps: [App("counter") { Counter() }, App("sitter") { Sitter(sitting: sitting) }],
      {
        $0.loops = 1
        $0.timeouts.heartbeatSeconds = 1
      }
    ) { _, url in
      try await blocking {
        let sitter = try PlainClient(url, app: "sitter")
        let socket = try CurlWebSocket.counter(url)
        try sitter.act(1, #""sit""#)
        try waitUntil { sitting.isSitting.load(ordering: .acquiring) }
        var reader = FrameReader(role: .client, messageLimit: 1000)
        var buffer = ReceiveBuffer()
        // A ping that was sent before is none of those that are meant here.
        do throws(CurlError) {
          while try socket.socket.receive(into: &buffer, timeout: 0) {}
        } catch {
          #expect(error == .timedOut)
        }
        while try reader.nextEvent(from: &buffer) != nil {}
        // The time for a ping has come, and nobody can send one.
        let end = ContinuousClock.now + .seconds(3)
        try waitUntil { ContinuousClock.now > end }
        try socket.send(#"{"t":"act","n":1,"to":1,"a":"increment"}"#)
        sitting.mayRise.store(true, ordering: .releasing)
        guard case .text? = try Self.next(socket.socket, &reader, &buffer) else {
          Issue.record("The client was pinged, or given up.")
          return
        }
      }
    }
  }

  @Test func peersThatAnswerNothing_areGivenUp() async throws {
    let number = SharedValue(0)
    let apps = [App("counter") { Counter() }, App("board") { Board(number: number) }]
    // Ten seconds more than the heartbeat is the rule of the protocol: this test takes eleven.
    try await withServer(
      apps: apps,
      {
        $0.timeouts.heartbeatSeconds = 1
        $0.echo = true
        $0.sessions.timeToLiveSeconds = 0
      }
    ) { server, url in
      try await blocking {
        let silent = try CurlWebSocket.counter(url)
        let echo = try CurlWebSocket(url: url, path: "/echo", subprotocols: [])
        // One that is told something all the time: that the system takes it for a while is no sign of life.
        let told = try CurlWebSocket(url: url)
        try told.send(#"{"t":"hello","app":"board"}"#)
        _ = try told.text()
        _ = try told.text()
        try told.send(#"{"t":"act","n":1,"to":1,"a":"look"}"#)
        for socket in [silent, echo, told] {
          var reader = FrameReader(role: .client, messageLimit: 1000)
          var buffer = ReceiveBuffer()
          var pings = 0
          var end: CloseCode?
          let limit = ContinuousClock.now + .seconds(60)
          while end == nil {
            try #require(ContinuousClock.now < limit, "the server never closes")
            do {
              let isOpen = try socket.socket.receive(into: &buffer, timeout: 50)
              try #require(isOpen)
            } catch let error as CurlError where error == .timedOut {
              number.update { $0 += 1 }
            }
            while let event = try reader.nextEvent(from: &buffer) {
              if case .ping = event { pings += 1 }
              if case .close(let code, _) = event { end = code }
            }
          }
          #expect(pings == 1)
          #expect(end == Bye.silent.closeCode)
        }
      }
      #expect(await eventually { server.connectionCount == 0 && server.sessionCount == 0 })
    }
  }

  /// Who has to pause cannot be heard: nobody is given up for a silence that the server has imposed.
  @Test func clientThatMustPause_isNotSilent() async throws {
    try await withServer({
      $0.timeouts.heartbeatSeconds = 1
      $0.limits.actionsPerSecond = 5
      $0.limits.actionBurst = 1
    }) { _, url in
      try await blocking {
        let socket = try CurlWebSocket.counter(url)
        // One action in 800 frames, of which 50 may come in a second.
        let first: [UInt8] = [0x01, 0x80, 0, 0, 0, 0]
        let empty: [UInt8] = [0x00, 0x80, 0, 0, 0, 0]
        let action = Array(#"{"t":"act","n":1,"to":1,"a":"increment"}"#.utf8)
        let last = [0x80, 0x80 | UInt8(action.count), 0, 0, 0, 0] + action
        try socket.socket.send(first + repeatElement(empty, count: 798).joined() + last)
        try socket.send(#"{"t":"act","n":2,"to":1,"a":"increment"}"#)
        let start = ContinuousClock.now
        #expect(try socket.text()?.contains(#""n":1,"#) == true)
        #expect(try socket.text(timeout: 30_000)?.contains(#""n":2,"#) == true)
        #expect(ContinuousClock.now - start > .seconds(13))
      }
    }
  }

  /// What a reducer has kept the loop from reading is there all the same: nobody is given up for the server's slowness.
  @Test func clientThatCouldNotBeHeard_isNotSilent() async throws {
    let apps = [App("counter") { Counter() }, App("laggard") { Laggard() }]
    try await withServer(
      apps: apps,
      {
        $0.loops = 1
        $0.timeouts.heartbeatSeconds = 1
      }
    ) { _, url in
      try await blocking {
        let (good, slow) = (try CurlWebSocket.counter(url), try CurlWebSocket(url: url))
        try slow.send(#"{"t":"hello","app":"laggard"}"#)
        _ = (try slow.text(), try slow.text())
        var reader = FrameReader(role: .client, messageLimit: 1000)
        var buffer = ReceiveBuffer()
        guard case .ping? = try Self.next(good.socket, &reader, &buffer) else { throw CancellationError() }
        // For longer than the grace after a ping, which is ten seconds.
        try slow.send(#"{"t":"act","n":1,"to":1,"a":{"workForSeconds":{"_0":12}}}"#)
        try waitUntil { Laggard.isAtWork.load(ordering: .acquiring) }
        try good.socket.send(Self.pong)
        #expect(try slow.text(timeout: 30_000)?.contains(#""n":1,"#) == true)
        try good.send(#"{"t":"act","n":1,"to":1,"a":"increment"}"#)
        // More than the laggard's time has room for would be too many.
        for _ in 0..<30 {
          switch try Self.next(good.socket, &reader, &buffer) {
          case .ping: try good.socket.send(Self.pong)
          case .text(let payload):
            let text = buffer.withPayload(payload) { bytes in bytes.withUnsafeBufferPointer { Array($0) } }
            return #expect(String(decoding: text, as: UTF8.self).hasPrefix(#"{"t":"patch""#))
          case let other: throw Unexpected(event: "\(String(describing: other))")
          }
        }
        Issue.record("The server asks again and again whether the client is there.")
      }
    }
  }

  private struct Unexpected: Error { let event: String }

  /// Keeps its loop from everything else for a while.
  private struct Laggard: Riblet {
    static let typeName = "Laggard"
    static let isAtWork = Atomic(false)
    enum ViewAction: Decodable { case workForSeconds(Int) }
    func makeState() -> Int { 0 }
    func reduce(into count: inout Int, viewAction: ViewAction) -> Effect<Self> {
      guard case .workForSeconds(let seconds) = viewAction else { return .none }
      Self.isAtWork.store(true, ordering: .releasing)
      let end = ContinuousClock.now + .seconds(seconds)
      while ContinuousClock.now < end {}
      count += 1
      return .none
    }
    func view(_ count: Int) -> Int { count }
  }

  /// A client of events cannot answer: one that takes nothing of what it is told is given up, its session is not.
  @Test func readerOfEvents_thatTakesNone_isGivenUp() async throws {
    let outside = Logbook.Outside()
    try await withServer(apps: [Logbook.app(outside)], { $0.timeouts.heartbeatSeconds = 1 }) { server, url in
      try await blocking {
        let client = try TwinClient(url)
        _ = try client.create(#"{"app":"logbook"}"#)
        let stream = try CurlSocket(url: url)
        let request = "GET /v1/sessions/\(client.sessionID)/events HTTP/1.1\r\nHost: localhost\r\n"
        try stream.send(Array("\(request)Riblet-Token: \(client.token)\r\n\r\n".utf8))
        // More than the systems of both ends take for someone who does not read.
        for number in 1...6 {
          outside.heading = String(repeating: "\(number)", count: 3_000_000)
          let done = try client.act("\"\(number)\"", #"{"to":"","a":{"write":"a"}}"#)
          #expect(done.status == 200)
        }
        try waitUntil { server.connectionCount == 1 }
        #expect(try client.view().body.contains(#""lines":["a","a","a","a","a","a"]"#))
        withExtendedLifetime(stream) {}
      }
    }
  }
}
