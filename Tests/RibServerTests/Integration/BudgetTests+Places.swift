import CurlTransport
import Glibc
import RibCore
import RibTestSupport
import Synchronization
import Testing
import Wire
import WireHTTP

@testable import RibServer
@testable import Showcase

/// What the clients of one place ask for is held to the place's budget, over whichever connections, and costs nobody else.
extension BudgetTests {
  /// Keeps its loop busy, and shows letters by chance, which take long to compress.
  private struct Press: Riblet {
    static let typeName = "Press"
    enum ViewAction: Decodable { case dig }
    var letterCount = 0
    var milliseconds = 0
    func makeState() -> Int { 0 }
    func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> {
      let end = ContinuousClock.now + .milliseconds(milliseconds)
      while ContinuousClock.now < end { state &+= 1 }
      return .none
    }
    func view(_ state: Int) -> String {
      // A linear congruential generator, with Knuth's constants.
      var seed: UInt64 = 1
      return String(
        decoding: (0..<letterCount).map { _ in
          seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          return UInt8(ascii: "a") + UInt8((seed >> 33) % 5)
        }, as: UTF8.self)
    }
  }

  private static let apps = [App("letters") { Press(letterCount: 1 << 16) }]

  /// There is a budget for each client: with one byte more, each takes the next size of the heap, which is 16 bytes more.
  @Test func budget_takes88Bytes() throws {
    let budget = ClientBudget(ClientRates(ServerSettings.Limits()))
    // Swift's Glibc has no <malloc.h>.
    let symbol = try #require(dlsym(nil, "malloc_usable_size"))
    let size = unsafeBitCast(symbol, to: (@convention(c) (UnsafeMutableRawPointer) -> Int).self)
    #expect(size(Unmanaged.passUnretained(budget).toOpaque()) <= 88)
  }

  /// To compress an answer takes more time than to make it, wherever that is done.
  @Test func compression_isCharged() async throws {
    try await withServer(apps: Self.apps, Self.hasOneLoop) { _, url in
      // Each is within its own budget.
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<6 {
          group.addTask {
            try await blocking { () throws in
              let client = try TwinClient(url)
              _ = try client.create(#"{"app":"letters"}"#)
              var status = 200
              for _ in 0..<40 where status == 200 {
                status = try client.view("Accept-Encoding: gzip", Self.forwarded).status
              }
              return status
            }
          }
        }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(statuses.contains(429))
    }
  }

  /// Has clients act in the same moment whose actions take long.
  ///
  /// - Parameters:
  ///   - count: how many clients.
  ///   - areOfOnePlace: whether they are of one place, or each of its own.
  ///   - milliseconds: how long each action takes.
  ///   - areKnown: whether the server knows what to expect of them.
  /// - Returns: how long another client has waited at most for an answer, and how long it took until all were served.
  /// - Throws: what a client throws.
  private static func crowd(
    of count: Int, ofOnePlace areOfOnePlace: Bool, _ milliseconds: Int, areKnown: Bool = true
  ) async throws -> (wait: Duration, total: Duration) {
    var environment = Environment.system
    let last = Atomic(0)
    environment.sockets.caller = { _ in
      let number = last.add(1, ordering: .relaxed).newValue
      return Caller(address: IPAddress(text: "203.0.113.\(areOfOnePlace ? min(number, 2) : number)"))
    }
    let apps = [App("digger") { Press(milliseconds: milliseconds) }, App("counter") { Counter() }]
    let result = Mutex((wait: Duration.zero, total: Duration.zero))
    try await withServer(apps: apps, environment: environment, Self.hasOneLoop) { _, url in
      let times = try await blocking { () throws in
        let client = try PlainClient(url, app: "counter")
        let crowd = try (0..<count).map { _ in try PlainClient(url, app: "digger") }
        for one in crowd where areKnown {
          try one.act(1, #""dig""#)
          try one.next(#"{"t":"patch""#)
        }
        let start = ContinuousClock.now
        for one in crowd { try one.act(areKnown ? 2 : 1, #""dig""#) }
        var longest = Duration.zero
        for _ in 0..<5 {
          let start = ContinuousClock.now
          try client.send(#"{"t":"ping"}"#)
          _ = try client.next()
          longest = max(longest, ContinuousClock.now - start)
        }
        for one in crowd { try one.next(#"{"t":"patch""#) }
        return (longest, ContinuousClock.now - start)
      }
      result.withLock { $0 = times }
    }
    return result.withLock { $0 }
  }

  /// Nobody waits until all have been served who act in the same moment.
  @Test func manyThatActAtOnce_letOthersHaveTheirTurn() async throws {
    // Together they take 800 ms.
    #expect(try await Self.crowd(of: 10, ofOnePlace: false, 80).wait < .milliseconds(450))
  }

  /// A burst of many clients of one place delays other places by a few turns only.
  @Test func burstOfOnePlace_leavesTurnsToOthers() async throws {
    // Together they take 800 ms.
    #expect(try await Self.crowd(of: 40, ofOnePlace: true, 20, areKnown: false).wait < .milliseconds(300))
  }

  /// Each is within its own budget, and all together are held to that of their place.
  @Test func manyOfOnePlace_areHeldToItsBudget() async throws {
    // Together they take 1.4 s, of which the place has 400 ms in each second.
    #expect(try await Self.crowd(of: 24, ofOnePlace: true, 60).total > .seconds(2))
  }

  /// The heavy clients of an indebted place wait, and its light clients do not.
  @Test func lightClientOfIndebtedPlace_doesNotWait() async throws {
    let apps = [App("digger") { Press(milliseconds: 60) }, App("scraper") { Press(milliseconds: 4) }]
    try await withServer(apps: apps, environment: Self.onePlace, Self.hasOneLoop) { server, url in
      try await blocking { () throws in
        let place = try #require(Caller(address: IPAddress(text: "203.0.113.7")).place)
        let (heavy, light) = (try PlainClient(url, app: "digger"), try PlainClient(url, app: "scraper"))
        for number in 1...5 {
          try heavy.act(number, #""dig""#)
          try heavy.next(#"{"t":"patch""#)
        }
        let start = ContinuousClock.now
        Self.setDebt(of: place, to: 1_900_000_000, server)
        try heavy.act(6, #""dig""#)
        // The dues are 50 ms: more than one portion.
        for number in 1...5 {
          try light.act(number, #""dig""#)
          try light.next(#"{"t":"patch""#)
        }
        #expect(ContinuousClock.now - start < .seconds(1))
        try heavy.next(#"{"t":"patch""#)
        // The heavy client ignores 0.5 s of the debt, or 0.75 s. Its own time alone would have it wait for 0.6 s.
        #expect(ContinuousClock.now - start > .seconds(1))
      }
    }
  }

  /// Has a place owe a time, in nanoseconds.
  static func setDebt(of place: Place, to debt: UInt64, _ server: Server) {
    let effort = server.context.effort
    effort.refill(.place(place))
    // A full budget is 2 s.
    _ = effort.charge(2_000_000_000 + debt, to: .place(place), at: server.context.environment.time.monotonic())
  }

  /// A heavy client over HTTP waits for its place's debt.
  @Test func heavyTwin_waitsForItsPlace() async throws {
    try await withServer(
      environment: Self.onePlace,
      {
        $0.limits.actionsPerSecond = 10
        $0.limits.actionBurst = 1_000
      }
    ) { server, url in
      try await blocking { () throws in
        let place = try #require(Caller(address: IPAddress(text: "203.0.113.7")).place)
        let client = try TwinClient(url)
        _ = try client.create()
        // The client's dues are 2 s, so that it ignores a debt of 0.25 s, or 0.5 s.
        for first in [1, 201] { #expect(try Self.act(client, from: first, 200).status == 200) }
        let start = ContinuousClock.now
        Self.setDebt(of: place, to: 950_000_000, server)
        #expect(try Self.act(client, from: 401, 1).status == 200)
        #expect(ContinuousClock.now - start > .milliseconds(400))
      }
    }
  }

  /// The requests of many clients of one place delay other places by a few turns only.
  @Test func burstOfTwinsOfOnePlace_leavesTurnsToOthers() async throws {
    var environment = Environment.system
    let last = Atomic(0)
    environment.sockets.caller = { _ in
      Caller(address: IPAddress(text: last.add(1, ordering: .relaxed).newValue == 1 ? "203.0.113.8" : "203.0.113.7"))
    }
    let apps = [App("digger") { Press(milliseconds: 20) }, App("counter") { Counter() }]
    try await withServer(apps: apps, environment: environment, Self.hasOneLoop) { _, url in
      try await blocking { () throws in
        let client = try PlainClient(url, app: "counter")
        let crowd = try (0..<40).map { _ in
          let twin = try TwinClient(url)
          _ = try twin.create(#"{"app":"digger"}"#)
          return twin
        }
        // Together they take 800 ms.
        for twin in crowd {
          let request = """
            POST /v1/sessions/\(twin.sessionID)/actions HTTP/1.1\r\nHost: localhost\r\nRiblet-Token: \(twin.token)\r
            Idempotency-Key: "1"\r\nContent-Length: 19\r\n\r\n{"to":"","a":"dig"}
            """
          try twin.send(Array(request.utf8))
        }
        for _ in 0..<5 {
          let start = ContinuousClock.now
          try client.send(#"{"t":"ping"}"#)
          _ = try client.next()
          #expect(ContinuousClock.now - start < .milliseconds(300))
        }
        for twin in crowd { #expect(try twin.answer().status == 200) }
      }
    }
  }

  /// Who says `hello` from a place that others keep in debt is told so, and not that the `hello` is missing.
  @Test(arguments: [false, true]) func helloOfAPlaceThatStaysInDebt_isToldToComeLater(isPipelined: Bool) async throws {
    try await withServer(environment: Self.onePlace, Self.isSlow) { server, url in
      let context = server.context
      let isOver = Atomic(false)
      let place = try #require(Caller(address: IPAddress(text: "203.0.113.7")).place)
      _ = context.charge(60_000_000_000, to: place, nil, at: context.environment.time.monotonic())
      let start = ContinuousClock.now
      async let end = blocking { () throws in
        defer { isOver.store(true, ordering: .relaxed) }
        let hello = #"{"t":"hello","app":"counter"}"#
        guard isPipelined else { return try PlainClient(url, saying: hello).end() }
        let head = [
          "GET /v1/socket HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket",
          "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
          "Sec-WebSocket-Protocol: riblet.v1.json", "", "",
        ].joined(separator: "\r\n")
        let socket = try CurlSocket(url: url)
        // One frame of text, whose mask is zero.
        try socket.send(Array(head.utf8) + [0x81, 0x80 | UInt8(hello.utf8.count), 0, 0, 0, 0] + Array(hello.utf8))
        var answer = ReceiveBuffer()
        while try socket.receive(into: &answer, timeout: 30_000) {}
        return answer.text.contains(#"{"t":"bye","code":"busy""#) ? "busy 4103" : answer.text
      }
      #expect(
        await eventually {
          _ = context.charge(10_000_000_000, to: place, nil, at: context.environment.time.monotonic())
          return isOver.load(ordering: .relaxed)
        })
      #expect(try await end == "busy 4103")
      // The client has waited in `letIn` alone, and not before its `hello`.
      #expect(ContinuousClock.now - start < .seconds(15))
    }
  }

  /// A place that has used up its time is held also where its connections are a proxy's, but for what says how the server is; it may end its
  /// sessions unless it owes much.
  @Test func placeBehindAProxy_isHeld() async throws {
    try await withServer(Self.isSlow) { server, url in
      try await blocking { () throws in
        let (client, proxy) = (try TwinClient(url), try TwinClient(url))
        _ = try client.create()
        let place = try #require(Caller(address: IPAddress(text: "203.0.113.7")).place)
        func status(_ method: String, _ path: String, _ place: String) throws -> Int {
          try proxy.ask(method, path, headers: ["Riblet-Token: \(client.token)", "X-Forwarded-For: \(place)"]).status
        }
        let paths = ["/healthz", "/readyz", "/v1/socket", "/v1/apps", "/v1/openapi.json", "/v1/apps/counter/schema"]
        func statuses(_ place: String) throws -> [Int] { try paths.map { try status("GET", $0, place) } }
        let context = server.context
        // What it owes is more than a second.
        _ = context.charge(60_000_000_000, to: place, nil, at: context.environment.time.monotonic())
        let start = ContinuousClock.now
        #expect(try statuses("203.0.113.7") == [200, 200, 426, 429, 429, 429])
        // A refusal on a proxy's connection is not delayed: three of them would take 750 ms.
        #expect(ContinuousClock.now - start < .milliseconds(700))
        #expect(try status("DELETE", "/v1/sessions/\(client.sessionID)", "203.0.113.7") == 429)
        #expect(try statuses("203.0.113.8") == [200, 200, 426, 200, 200, 200])
        #expect(try status("DELETE", "/v1/sessions/\(client.sessionID)", "203.0.113.8") == 204)
      }
    }
  }

  /// Behind a request for events nothing is expected: what comes there is not read as fast as it comes.
  @Test func bytesBehindARequestForEvents_areCharged() async throws {
    try await withServer({
      $0.limits.actionsPerSecond = 10
      $0.limits.actionBurst = 10
    }) { _, url in
      try await blocking { () throws in
        let client = try TwinClient(url)
        _ = try client.create()
        #expect(try client.open().status == .ok)
        let start = ContinuousClock.now
        let bytes = [UInt8](repeating: 0, count: 1 << 20)
        // 100 times 16 KiB at once, and as many a second; the sockets have room for some as well.
        for _ in 0..<12 { try client.send(bytes) }
        #expect(ContinuousClock.now - start > .seconds(1))
      }
    }
  }

  /// Nor behind one for the events of several clients, which ends.
  @Test func bytesBehindARequestForJoinedEvents_endIt() async throws {
    try await withServer { _, url in
      try await blocking { () throws in
        let client = try TwinClient(url)
        _ = try client.create()
        let stream = try TwinClient(url)
        #expect(
          try stream.join(#"{"resume":[{"sid":"\#(client.sessionID)","token":"\#(client.token)"}]}"#).status == .ok)
        #expect(try stream.event()?.data.hasPrefix(#"{"t":"welcome""#) == true)
        // It may be cut while it sends.
        try? stream.send([UInt8](repeating: 0, count: 1 << 18))
        let start = ContinuousClock.now
        while (try? stream.event()) != nil {}
        #expect(ContinuousClock.now - start < .seconds(5))
      }
    }
  }
}
