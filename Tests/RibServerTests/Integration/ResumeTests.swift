import CurlTransport
import RibClient
import RibCore
import RibServer
import Synchronization
import Testing
import Wire
import WireHash

/// Sessions outlive their connections: nothing that was done is lost or done again.
@Suite(.serialized) struct ResumeTests {
  /// Counts, refuses what is not a number of its own, and counts on by itself.
  private struct Ticker: Riblet {
    static let typeName = "Ticker"
    enum ViewAction: Decodable { case add, tickOnce }
    enum InternalAction { case tick }
    /// How often any of them has ticked, or counted.
    static let additions = Atomic<Int>(0)
    static let ticks = Atomic<Int>(0)
    func makeState() -> Int { 0 }
    func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .add:
        state += 1
        Self.additions.add(1, ordering: .relaxed)
        return .none
      case .tickOnce:
        // After the client has gone: it says so by going.
        return .run { send in
          while Self.ticks.load(ordering: .acquiring) == 0, !Task.isCancelled {
            try? await Poll.pauseTask()
          }
          await send(.tick)
        }
      }
    }
    func reduce(into state: inout Int, internalAction: InternalAction) -> Effect<Self> {
      state += 100
      return .none
    }
    func view(_ state: Int) -> Int { state }
  }

  static let apps = [App("ticker") { Ticker() }]

  static func count(_ client: CurlClient) -> String? {
    client.session.view?["nodes"]?["1"]?["state"]?.text
  }

  /// Adds one and waits for the answer, behind which nothing is missing.
  static func add(_ client: CurlClient) throws -> [ClientEvent] {
    try client.act(.string("add"), to: .path(""))
    return try client.settle()
  }

  /// A client by hand, to say what ``RibClient`` would not.
  static func exchange(_ url: String, _ messages: String...) throws -> [String] {
    let socket = try CurlWebSocket(url: url)
    for message in messages { try socket.send(message) }
    var texts: [String] = []
    while let text = try socket.text() { texts.append(text) }
    return texts
  }

  static func hello(_ welcome: Welcome, token: String? = nil, client: Int = 1, attempt: Int) -> String {
    #"{"t":"hello","resume":{"sid":"\#(welcome.sessionID)","cid":\#(client),"token":"\#(token ?? welcome.token)","#
      + #""try":\#(attempt),"epoch":"\#(welcome.epoch)","rev":1}}"#
  }

  /// On one loop and from one to another, whatever compresses what is said there.
  @Test(arguments: [true, false], [0, 1, 2]) func client_goesOnWhereItWas(usesEpoll: Bool, compression: Int)
    async throws
  {
    try await withServer(
      apps: Self.apps,
      {
        $0.usesEpoll = usesEpoll
        $0.compression.keepsContext = compression == 2
        $0.compression.thresholdBytes = 10
      }
    ) { server, url in
      try await blocking {
        let offer = compression == 0 ? nil : CompressionTests.offer
        let client = try CurlClient(url: url, app: "ticker", compression: offer, threshold: 10)
        for round in 1...5 {
          try client.act(.string("add"), to: .path(""))
          try client.settle()
          #expect(Self.count(client) == "\(round)")
          let revision = client.session.revision
          let events = try client.reconnect()
          // It has missed nothing, and is shown nothing.
          #expect(events.count == 1 && client.session.welcome?.resumed == true)
          #expect(client.session.revision == revision && client.session.welcome?.number == round)
        }
        #expect(server.sessionCount == 1)
        try client.end()
      }
      #expect(await eventually { server.sessionCount == 0 && server.connectionCount == 0 })
    }
  }

  /// The server has read the actions, or has not, or its answers are lost: each is applied once.
  @Test func actionsOnTheWay_areAppliedOnce() async throws {
    let before = Ticker.additions.load(ordering: .relaxed)
    try await withServer(apps: Self.apps) { _, url in
      try await blocking {
        let client = try CurlClient(url: url, app: "ticker")
        var sent = 0
        for round in 1...40 {
          for _ in 0..<round % 7 {
            try client.act(.string("add"), to: .path(""))
            sent += 1
          }
          // Some of the answers are heard.
          if round % 3 == 0 { _ = try? client.receive(timeout: 0) }
          try client.reconnect()
        }
        _ = try Self.add(client)
        #expect(Self.count(client) == "\(sent + 1)")
        #expect(Ticker.additions.load(ordering: .relaxed) - before == sent + 1)
      }
    }
  }

  @Test func refusalsThatWereNotHeard_areToldAgain() async throws {
    try await withServer(apps: Self.apps) { _, url in
      try await blocking {
        let client = try CurlClient(url: url, app: "ticker")
        for action in ["add", "wrong", "add", "bad", "add"] { try client.act(.string(action), to: .path("")) }
        var refused: [String] = []
        // What was not heard of the first connection is told on the second, and once more on the third.
        for _ in 0..<2 {
          for case .refused(let action, _) in try client.reconnect() { refused.append(action.action.text) }
        }
        for case .refused(let action, _) in try client.settle() { refused.append(action.action.text) }
        #expect(refused.sorted() == [#""bad""#, #""wrong""#])
        let welcome = try #require(client.session.welcome)
        let again = try Self.exchange(
          url, Self.hello(welcome, attempt: 100), #"{"t":"ack","rev":1,"n":5}"#, #"{"t":"x"}"#)
        #expect(again[0].contains(#""nacks":[{"n":2,"#) && again[0].contains(#"{"n":4,"#))
        let after = try Self.exchange(
          url, Self.hello(welcome, attempt: 101), #"{"t":"act","n":6,"to":1,"a":"add"}"#, #"{"t":"x"}"#)
        #expect(after[0].contains(#""nacks":[]"#) && after[0].contains(#""n":5,"#))
        #expect(after.contains { $0.hasSuffix(#""path":"/nodes/1/state","value":4}]}"#) })
      }
    }
  }

  /// What happens meanwhile is shown as patches, or as a whole to who asks for another life of the tree.
  @Test func clientThatWasAway_isShownWhatHasHappened() async throws {
    Ticker.ticks.store(0, ordering: .releasing)
    try await withServer(apps: Self.apps) { server, url in
      let welcome = try await blocking {
        let client = try CurlClient(url: url, app: "ticker")
        try client.act(.string("tickOnce"), to: .path(""))
        try client.settle()
        client.disconnect()
        return try #require(client.session.lastWelcome)
      }
      #expect(await eventually { server.connectionCount == 0 })
      Ticker.ticks.store(1, ordering: .releasing)
      try await blocking {
        var attempt = 0
        var texts: [String] = []
        // The effect runs on the pool, when it pleases.
        repeat {
          attempt += 1
          texts = try Self.exchange(url, Self.hello(welcome, attempt: attempt), #"{"t":"x"}"#)
        } while texts.count < 3 && attempt < 10_000
        let patch =
          #"{"t":"patch","rev":2,"base":1,"n":1,"ops":[{"op":"replace","path":"/nodes/1/state","value":100}]}"#
        #expect(texts[1] == patch)
        var other = welcome
        other.epoch = "another"
        texts = try Self.exchange(url, Self.hello(other, attempt: attempt + 1), #"{"t":"x"}"#)
        #expect(texts[1].hasPrefix(#"{"t":"snap","#) && texts[1].contains(#""rev":2,"n":1,"#))
      }
    }
  }

  /// A client's close frame ends the connection, never the session: also one with a code after which nobody comes back, and
  /// before the first action.
  @Test(arguments: [1000, 1001, 4000, 4400] as [UInt16])
  func clientThatCloses_findsItsSessionAgain(code: UInt16) async throws {
    try await withServer(apps: Self.apps) { server, url in
      let welcome = try await blocking {
        let client = try PlainClient(url, app: "ticker")
        try client.socket.close(CloseCode(rawValue: code))
        _ = try client.socket.receive()
        return try client.welcome
      }
      #expect(await eventually { server.connectionCount == 0 })
      try await blocking {
        let back = try PlainClient(url, resuming: welcome, attempt: 1)
        #expect(back.greeting.hasPrefix(#"{"t":"welcome","#), "\(back.greeting)")
      }
    }
  }

  @Test func wrongClient_isNotLetIn() async throws {
    try await withServer(apps: Self.apps) { server, url in
      try await blocking {
        let client = try CurlClient(url: url, app: "ticker")
        let welcome = try #require(client.session.welcome)
        var unknown = welcome
        unknown.sessionID = String(welcome.sessionID.reversed())
        let rows: [(String, String, String)] = [
          (Self.hello(welcome, token: "guessed", attempt: 1), "denied", "4401"),
          (Self.hello(welcome, client: 2, attempt: 1), "denied", "4401"),
          (Self.hello(welcome, attempt: 0), "bad_message", "4400"),
          (Self.hello(welcome, client: 0, attempt: 1), "bad_message", "4400"),
          (Self.hello(unknown, attempt: 1), "gone", "4200"),
        ]
        for (hello, code, closeCode) in rows {
          let socket = try CurlWebSocket(url: url)
          try socket.send(hello)
          let bye = try #require(try socket.text())
          #expect(bye.hasPrefix(#"{"t":"bye","code":"\#(code)","#), "\(bye)")
          guard case .closed(let close?, _) = try socket.receive() else {
            Issue.record("no close")
            return
          }
          #expect("\(close.rawValue)" == closeCode)
        }
        // It was not disturbed.
        try client.act(.string("add"), to: .path(""))
        try client.settle()
        #expect(Self.count(client) == "1" && server.sessionCount == 1)
      }
    }
  }

  /// A stalled old connection is told, and nothing more is read from it.
  @Test func overtakenConnection_isNotReadFrom() async throws {
    try await withServer(apps: Self.apps) { _, url in
      try await blocking {
        let old = try CurlWebSocket(url: url)
        try old.send(#"{"t":"hello","app":"ticker"}"#)
        let text = try #require(try old.text())
        var reader = JSONReader()
        guard case .welcome(let welcome) = try ServerMessage(reader.read(text).root) else {
          Issue.record("\(text)")
          return
        }
        _ = try old.text()
        let new = try CurlWebSocket(url: url)
        try new.send(Self.hello(welcome, attempt: 1))
        #expect(try new.text()?.contains(#""resumed":true"#) == true)
        for number in 1...3 { try? old.send(#"{"t":"act","n":\#(number),"to":1,"a":"add"}"#) }
        #expect(try old.text()?.hasPrefix(#"{"t":"bye","code":"taken","#) == true)
        #expect(try old.text() == nil)
        try new.send(#"{"t":"act","n":1,"to":1,"a":"add"}"#)
        #expect(
          try new.text()
            == #"{"t":"patch","rev":2,"base":1,"n":1,"ops":[{"op":"replace","path":"/nodes/1/state","value":1}]}"#)
      }
    }
  }

  /// What comes behind a `hello` is handled where the session lives.
  @Test func messagesBehindAHello_moveWithIt() async throws {
    try await withServer(apps: Self.apps) { _, url in
      try await blocking {
        let client = try CurlClient(url: url, app: "ticker")
        let welcome = try #require(client.session.welcome)
        for round in 0..<4 {
          let acts = (1...30).map { #"{"t":"act","n":\#(round * 30 + $0),"to":1,"a":"add"}"# }
          let hello = Self.hello(welcome, attempt: round + 1)
          let texts =
            round % 2 == 0
            ? try Self.exchange(url, "[\(([hello] + acts).joined(separator: ","))]", #"{"t":"x"}"#)
            : try Self.exchange(url, hello, acts[0], "[\(acts.dropFirst().joined(separator: ","))]", #"{"t":"x"}"#)
          #expect(texts.filter { $0.hasPrefix(#"{"t":"patch""#) }.last?.contains(#""n":\#(round * 30 + 30),"#) == true)
        }
      }
    }
  }

  @Test func resync_isAnsweredWithTheView() async throws {
    try await withServer(apps: Self.apps) { _, url in
      try await blocking {
        let texts = try Self.exchange(
          url, #"{"t":"hello","app":"ticker"}"#, #"{"t":"act","n":1,"to":1,"a":"add"}"#, #"{"t":"resync"}"#,
          #"{"t":"x"}"#)
        #expect(texts.contains { $0.hasPrefix(#"{"t":"snap","#) && $0.contains(#""rev":2,"n":1,"#) })
      }
    }
  }

  /// What is kept for a client that never says what it has heard is bounded: the client goes on.
  @Test func clientThatNeverAcknowledges_goesOn() async throws {
    try await withServer(apps: Self.apps) { _, url in
      try await blocking {
        let acts = (1...4097).map { #"{"t":"act","n":\#($0),"to":1,"a":"wrong"}"# }
        let socket = try CurlWebSocket(url: url)
        try socket.send(#"{"t":"hello","app":"ticker"}"#)
        for start in stride(from: 0, to: acts.count, by: 1000) {
          try socket.send("[\(acts[start..<min(start + 1000, acts.count)].joined(separator: ","))]")
        }
        var texts: [String] = []
        while texts.count < 2 + 4097, let text = try socket.text() { texts.append(text) }
        #expect(texts.count == 2 + 4097 && texts.last?.hasPrefix(#"{"t":"nack","n":4097,"#) == true)
      }
    }
  }

  /// What a client asks for while it is owed the whole view comes after that.
  @Test func hash_comesAfterTheSnapshotThatIsOwed() async throws {
    try await withServer(apps: Self.apps) { _, url in
      try await blocking {
        let socket = try CurlWebSocket(url: url)
        try socket.send(#"{"t":"hello","app":"ticker"}"#)
        _ = try (socket.text(), socket.text())
        // The answer to the first one waits to be sent while the others are read.
        try socket.send(#"[{"t":"act","n":1,"to":1,"a":"add"},{"t":"resync"},{"t":"check"},{"t":"ping"}]"#)
        let texts = try (1...4).map { _ in try socket.text() ?? "" }
        #expect(texts[0].hasPrefix(#"{"t":"patch","rev":2,"#) && texts[1] == #"{"t":"pong"}"#)
        #expect(texts[2].hasPrefix(#"{"t":"snap","#) && texts[2].contains(#""rev":2,"n":1,"#))
        let view = try JSONValue(parsing: texts[2])["view"]
        #expect(texts[3].hasPrefix(#"{"t":"patch","rev":2,"base":2,"n":1,"ops":[],"hash":"#))
        #expect(texts[3].contains(try #require(view).canonicalHash))
      }
    }
  }
}
