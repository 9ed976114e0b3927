import CurlTransport
import RibClient
import RibCore
import RibServer
import Testing
import Wire
import WireHTTP

/// Connections end when they must, whatever the peer does, and not before.
@Suite(.timeLimit(.minutes(5))) struct EndingTests {
  /// A client's empty ping.
  private static let ping: [UInt8] = [0x89, 0x80, 0, 0, 0, 0]

  /// Sends something every now and then until the server closes.
  ///
  /// - Returns: what the server said.
  private static func dribble(_ socket: CurlSocket, _ byte: @escaping (Int) -> [UInt8]) throws -> ReceiveBuffer {
    var said = ReceiveBuffer()
    for round in 0..<1200 {
      switch Result(catching: { () throws(CurlError) in try socket.receive(into: &said, timeout: 50) }) {
      case .success(true): break
      case .success(false): return said
      case .failure(.timedOut): _ = try? socket.sendSome(byte(round)[...])
      case .failure(let error): throw error
      }
    }
    Issue.record("the server never closed")
    return said
  }

  @Test func handshakeByteByByte_isClosedInTime() async throws {
    try await withServer({ $0.timeouts.handshakeSeconds = 1 }) { _, url in
      try await blocking {
        let request: [UInt8] = Array("GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nX-Endless: ".utf8)
        let socket = try CurlSocket(url: url)
        let said = try Self.dribble(socket) { round in round < request.count ? [request[round]] : [0x78] }
        #expect(said.text.hasPrefix("HTTP/1.1 408 "))
      }
    }
  }

  @Test func pingsInsteadOfHello_areClosedInTime() async throws {
    try await withServer({ $0.timeouts.handshakeSeconds = 1 }) { _, url in
      try await blocking {
        let socket = try CurlWebSocket(url: url)
        let said = try Self.dribble(socket.socket) { _ in Self.ping }
        #expect(said.text.contains(#"{"t":"bye","code":"no_hello""#))
      }
    }
  }

  /// `@unchecked Sendable`: used by one thread after the other, each of which the test waits for.
  private final class Held: @unchecked Sendable {
    let socket: CurlWebSocket
    init(_ socket: CurlWebSocket) { self.socket = socket }
  }

  @Test func clientThatIgnoresTheBye_isCutInTime_andDoesNotHoldUpTheEnd() async throws {
    try await withServer { server, url in
      let client = try await blocking { Held(try CurlWebSocket.counter(url)) }
      let stopping = Task { await server.stop() }
      try await blocking {
        let said = try Self.dribble(client.socket.socket) { _ in Self.ping }
        #expect(said.text.contains(#"{"t":"bye","code":"shutdown""#))
        // The server has said all and waits for a close that never comes; what comes instead buys no time.
        try waitUntil { (try? client.socket.socket.sendSome(Self.ping[...])) == nil }
      }
      await stopping.value
      #expect(server.connectionCount == 0)
      withExtendedLifetime(client) {}
    }
  }

  @Test func pipelinedActions_areAllAnswered_withoutAnotherWord() async throws {
    try await withServer { _, url in
      try await blocking {
        let socket = try CurlWebSocket.counter(url)
        let writer = FrameWriter.client { 1 }
        var bytes: [UInt8] = []
        for number in 1...5000 {
          writer.text(Array(#"{"t":"act","n":\#(number),"to":1,"a":"increment"}"#.utf8).span, into: &bytes)
        }
        // Nobody reads while all of it is sent: the server's answers pile up and are held back.
        var rest = bytes[...]
        while !rest.isEmpty {
          let count = try socket.socket.sendSome(rest)
          rest = rest.dropFirst(count)
          if count == 0 { _ = try socket.text() }
        }
        var last = ""
        while !last.contains(#""n":5000,"#) { last = try #require(try socket.text()) }
        #expect(last.contains(#""value":5000}"#) || last.contains(#""count":5000,"#))
      }
    }
  }

  /// Says much for every action.
  private struct Talkative: Riblet {
    static let typeName = "Talkative"
    enum ViewAction: Decodable { case say }
    func makeState() -> Int { 0 }
    func reduce(into count: inout Int, viewAction: ViewAction) -> Effect<Self> {
      count += 1
      return .none
    }
    func view(_ count: Int) -> String { "\(count)" + String(repeating: ".", count: 10_000) }
  }

  @Test(arguments: [true, false]) func clientThatSaysNoMore_isToldTheRest(saysGoodbye: Bool) async throws {
    let app = App("talkative") { Talkative() }
    try await withServer(
      apps: [app],
      {
        $0.limits.writeQueueBytes = Int(UInt32.max)
        $0.sessions.timeToLiveSeconds = 0
        // It reads all the time, as fast as the machine lets it.
        $0.timeouts.closingSeconds = 30
      }
    ) { server, url in
      try await blocking {
        let socket = try CurlWebSocket(url: url)
        try socket.send(#"{"t":"hello","app":"talkative"}"#)
        // 20 MB of answers, more than the system keeps: they wait at the server, which has read the end by then.
        let count = 2000
        let acts = (1...count).map { #"{"t":"act","n":\#($0),"to":1,"a":"say"}"# }
        for start in stride(from: 0, to: count, by: 500) {
          try socket.send("[\(acts[start..<(start + 500)].joined(separator: ","))]")
        }
        // Also what it is told to its last word is still on its way when it ends.
        if saysGoodbye { try socket.send(#"{"t":"bye"}"#) }
        socket.socket.endSending()
        var texts: [String] = []
        while let text = try? socket.text() { texts = texts.suffix(1) + [text] }
        if saysGoodbye { #expect(texts.popLast()?.hasPrefix(#"{"t":"bye""#) == true) }
        #expect(texts.last?.contains(#""n":\#(count),"#) == true, "\(texts.last?.prefix(200) ?? "")")
      }
      #expect(await eventually { server.connectionCount == 0 && server.sessionCount == 0 })
    }
  }

  @Test(.enabled(if: Sanitizer.current == nil, "reading 17 MiB takes longer there than the client waits"))
  func largestLimits_letEverythingPass() async throws {
    try await withServer({
      $0.limits.messageBytes = Int(UInt32.max)
      $0.limits.actionsPerSecond = 0
      $0.limits.writeQueueBytes = Int(UInt32.max)
    }) { _, url in
      try await blocking {
        let socket = try CurlWebSocket.counter(url)
        // 17 MiB: above the limit that a message has, and above that of a text that is no message.
        let padding = String(repeating: "x", count: 17 << 20)
        try socket.send(#"{"t":"act","n":1,"to":1,"a":"increment","padding":"\#(padding)"}"#)
        #expect(try socket.text(timeout: 60_000)?.contains(#""n":1,"#) == true)
        let acts = (2...1000).map { #"{"t":"act","n":\#($0),"to":1,"a":"increment"}"# }
        try socket.send("[\(acts.joined(separator: ","))]")
        for number in 2...1000 { #expect(try socket.text()?.contains(#""n":\#(number),"#) == true) }
      }
    }
  }

  @Test func serverWithoutEpoll_doesTheSame() async throws {
    try await withServer({
      $0.usesEpoll = false
      $0.sessions.timeToLiveSeconds = 0
    }) { server, url in
      try await blocking {
        let clients = try (0..<50).map { _ in try CurlClient(url: url, app: "counter") }
        for _ in 0..<20 { for client in clients { try client.act(.string("increment"), to: .id(1)) } }
        for client in clients {
          try client.settle()
          #expect(client.session.view?["nodes"]?["1"]?["state"]?["count"] == .integer(20))
          try client.end()
        }
        let bad = try CurlWebSocket.counter(url)
        try bad.send("{")
        #expect(try bad.text()?.hasPrefix(#"{"t":"bye","code":"bad_message""#) == true)
      }
      #expect(await eventually { server.connectionCount == 0 && server.sessionCount == 0 })
    }
  }
}
