import CurlTransport
import Dispatch
import Foundation
import RibCore
import Synchronization
import Testing
import Wire
import WireHTTP

@testable import RibServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Who takes what it is owed gets all of it, however slowly; who takes nothing is given up.
@Suite(.serialized) struct SlowReaderTests {
  /// Shows more than the sockets of a connection hold.
  private struct Poster: Riblet {
    static let typeName = "Poster"
    static let length = 2_000_000
    enum ViewAction: Decodable { case look }
    func reduce(into state: inout Void, viewAction: ViewAction) -> Effect<Self> { .none }
    func view(_ state: Void) -> String { String(repeating: ".", count: Self.length) }
  }

  private static let apps = [App("poster") { Poster() }]

  /// A client that says `messages`, and whose system takes little for it before it is read.
  private static func client(_ url: String, _ messages: String...) throws -> CurlWebSocket {
    let socket = try CurlWebSocket(url: url)
    var size: Int32 = 16_384
    setsockopt(socket.socket.descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    for message in messages { try socket.send(message) }
    return socket
  }

  /// Reads what has come, some 15 kB at a time, with pauses.
  ///
  /// - Parameters:
  ///   - socket: the reader's.
  ///   - quiet: one on which nothing comes, to wait for.
  /// - Returns: all that came before the close, and what the close says.
  /// - Throws: if the connection ends without a close.
  private static func readSlowly(
    _ socket: CurlSocket, _ quiet: CurlSocket
  ) throws -> (texts: [Int], end: CloseCode?, seconds: Double) {
    var reader = FrameReader(role: .client, messageLimit: 10_000_000)
    var buffer = ReceiveBuffer()
    var nothing = ReceiveBuffer()
    var texts: [Int] = []
    var end: CloseCode?
    let start = ContinuousClock.now
    while end == nil {
      try #require(try socket.receive(into: &buffer, timeout: 20_000))
      while let event = try reader.nextEvent(from: &buffer) {
        if case .text(let payload) = event { texts.append(payload.count) }
        if case .close(let code, _) = event { end = code }
      }
      #expect(throws: CurlError.timedOut) { try quiet.receive(into: &nothing, timeout: 50) }
    }
    return (texts, end, (ContinuousClock.now - start) / .seconds(1))
  }

  /// Waits, reading nothing, until the server has cut one connection, and has only some others, with one of its own.
  ///
  /// - Returns: for how many seconds.
  /// - Throws: if the server does not answer.
  private static func waitUntilCut(_ url: String, _ server: Server, others: Int = 1) throws -> Double {
    let quiet = try CurlSocket(url: url)
    try quiet.send(Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    var nothing = ReceiveBuffer()
    while !nothing.text.hasSuffix("ok\n") { try #require(try quiet.receive(into: &nothing)) }
    let start = ContinuousClock.now
    while server.connectionCount > others, ContinuousClock.now - start < .seconds(60) {
      #expect(throws: CurlError.timedOut) { try quiet.receive(into: &nothing, timeout: 50) }
    }
    #expect(server.connectionCount <= others, "it was not cut within a minute")
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    // What the system keeps of it does not stay, though the peer is there and takes nothing.
    let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
    while hasAbandonedSocket(port), ContinuousClock.now - start < .seconds(seconds + 20) {
      #expect(throws: CurlError.timedOut) { try quiet.receive(into: &nothing, timeout: 50) }
    }
    #expect(!hasAbandonedSocket(port), "the system sends on for a connection that is closed")
    return seconds
  }

  /// Whether the system still has something to send on a closed connection of a port; false where it does not say so.
  private static func hasAbandonedSocket(_ port: Int) -> Bool {
    guard let table = try? String(contentsOfFile: "/proc/net/tcp", encoding: .utf8) else { return false }
    let (finWait1, lastAcknowledgement) = ("04", "09")
    let local = ":" + String(port, radix: 16, uppercase: true)
    return table.split(separator: "\n").contains {
      let fields = $0.split(separator: " ")
      guard fields.count > 3, fields[1].hasSuffix(local) else { return false }
      return fields[3] == finWait1 || fields[3] == lastAcknowledgement
    }
  }

  /// Ten seconds more than the heartbeat is the rule of the protocol.
  private static func shorten(_ settings: inout ServerSettings) {
    settings.timeouts.heartbeatSeconds = 1
    settings.timeouts.closingSeconds = 1
    haveThemStay(&settings)
  }

  /// Connections on which nothing comes, to wait for, say nothing at all, and stay nevertheless.
  private static func haveThemStay(_ settings: inout ServerSettings) {
    settings.timeouts.handshakeSeconds = 600
    settings.timeouts.idleSeconds = 600
  }

  /// What a client says last is heard though it has not taken the view, and its session goes with it.
  private static func hearTheEnd(_ settings: inout ServerSettings) {
    settings.sessions.timeToLiveSeconds = 0
    settings.timeouts.closingSeconds = 1
    settings.limits.writeQueueBytes = Int(UInt32.max)
    haveThemStay(&settings)
  }

  @Test func slowReader_lives() async throws {
    try await withServer(apps: Self.apps, Self.shorten) { _, url in
      try await blocking {
        let socket = try Self.client(url, #"{"t":"hello","app":"poster"}"#)
        let (texts, end, seconds) = try Self.readSlowly(socket.socket, CurlSocket(url: url))
        // The ping comes behind the view, and is not answered.
        #expect(seconds > 14)
        #expect(end == Bye.silent.closeCode)
        #expect(texts.count == 3 && texts[1] > Poster.length)
      }
    }
  }

  @Test func readerThatTakesNothing_isGivenUp() async throws {
    try await withServer(apps: Self.apps, Self.shorten) { server, url in
      try await blocking {
        let socket = try Self.client(url, #"{"t":"hello","app":"poster"}"#)
        _ = try socket.text()
        let seconds = try Self.waitUntilCut(url, server)
        #expect(seconds >= 9)
        // Of the view there is only the beginning.
        #expect((try? socket.text()) == nil)
      }
    }
  }

  /// Answers over HTTP that are read slowly are read to their end.
  ///
  /// Those that are not read do not stay for as long as a connection may on which nothing comes. Both hold also for a client that has asked
  /// for the next one before it read the first.
  @Test(arguments: [true, false], [1, 2]) func answers_areRead_orGivenUp(areRead: Bool, count: Int) async throws {
    try await withServer(
      apps: Self.apps,
      {
        Self.haveThemStay(&$0)
        $0.timeouts.bodySeconds = 1
        $0.limits.writeQueueBytes = Int(UInt32.max)
      }
    ) { server, url in
      try await blocking {
        let client = try TwinClient(url)
        _ = try client.create(#"{"app":"poster"}"#)
        let socket = try CurlSocket(url: url)
        var size: Int32 = 16_384
        setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        let request =
          "GET /v1/sessions/\(client.sessionID)/view HTTP/1.1\r\nHost: localhost\r\nRiblet-Token: \(client.token)\r\n\r\n"
        try socket.send(Array(String(repeating: request, count: count).utf8))
        withExtendedLifetime(client) {}
        guard areRead else {
          _ = try Self.waitUntilCut(url, server, others: 2)
          return withExtendedLifetime(socket) {}
        }
        let quiet = try CurlSocket(url: url)
        let start = ContinuousClock.now
        var (buffer, nothing, length) = (ReceiveBuffer(), ReceiveBuffer(), 0)
        while length < Poster.length * count {
          try #require(try socket.receive(into: &buffer, timeout: 20_000))
          length += buffer.count
          buffer.consume(buffer.count)
          #expect(throws: CurlError.timedOut) { try quiet.receive(into: &nothing, timeout: 50) }
        }
        #expect(ContinuousClock.now - start > .seconds(3))
      }
    }
  }

  /// To the last byte, though that takes longer than a close may.
  @Test(arguments: [true, false]) func end_isReadSlowly(saysGoodbye: Bool) async throws {
    try await withServer(apps: Self.apps, Self.hearTheEnd) { server, url in
      try await blocking {
        let goodbye = saysGoodbye ? #"{"t":"bye"}"# : #"{"t":"hello","app":"poster"}"#
        let socket = try Self.client(url, #"[{"t":"hello","app":"poster"},\#(goodbye)]"#)
        let (texts, end, seconds) = try Self.readSlowly(socket.socket, CurlSocket(url: url))
        #expect(seconds > 2)
        #expect(end == (saysGoodbye ? Bye.ended : .badMessage).closeCode)
        #expect(texts.count == 3 && texts[1] > Poster.length)
      }
    }
  }

  /// It has said its last word, and takes nothing of the answers.
  @Test func halfClosedReaderThatTakesNothing_isCut() async throws {
    try await withServer(apps: Self.apps, Self.hearTheEnd) { server, url in
      try await blocking {
        let socket = try Self.client(url, #"{"t":"hello","app":"poster"}"#)
        _ = try socket.text()
        socket.socket.endSending()
        _ = try Self.waitUntilCut(url, server)
        #expect(server.sessionCount == 0)
        #expect((try? socket.text()) == nil)
      }
    }
  }

  /// Changes its large view by itself, once.
  private struct Changer: Riblet {
    static let typeName = "Changer"
    /// Of the only one that there is.
    static let hasChanged = DispatchSemaphore(value: 0)
    enum ViewAction: Decodable { case look }
    enum InternalAction { case change }
    func makeState() -> Bool { false }
    func didBecomeActive(_ state: inout Bool) -> Effect<Self> { .run { send in await send(.change) } }
    func reduce(into state: inout Bool, viewAction: ViewAction) -> Effect<Self> { .none }
    func reduce(into state: inout Bool, internalAction: InternalAction) -> Effect<Self> {
      state = true
      Self.hasChanged.signal()
      return .none
    }
    func view(_ state: Bool) -> String { (state ? "new" : "old") + String(repeating: ".", count: Poster.length) }
  }

  /// A riblet whose view takes 40 ms to encode, and does not fit into the sockets' buffers.
  private struct Mural: Riblet {
    static let typeName = "Mural"
    enum ViewAction: Decodable { case paint }
    struct ViewState: Encodable, Equatable {
      let count: Int
      private enum Key: CodingKey { case count, paint }
      func encode(to encoder: any Encoder) throws {
        let end = ContinuousClock.now + .milliseconds(40)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(count, forKey: .count)
        try container.encode(String(repeating: ".", count: Poster.length), forKey: .paint)
        while ContinuousClock.now < end {}
      }
    }
    func makeState() -> Int { 0 }
    func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> {
      state += 1
      return .none
    }
    func view(_ state: Int) -> ViewState { ViewState(count: state) }
  }

  /// Limits the loop time alone.
  private static func limitTime(_ settings: inout ServerSettings) {
    settings.limits.writeQueueBytes = 500_000
    settings.limits.actionsPerSecond = 1_000_000
    settings.limits.actionBurst = 1_000_000
  }

  /// Reads one message at a time, and keeps the rest.
  private struct Reader {
    let socket: CurlSocket
    private var frames = FrameReader(role: .client, messageLimit: 10_000_000)
    private var buffer = ReceiveBuffer()

    init(_ socket: CurlSocket) { self.socket = socket }

    /// Reads a whole message.
    ///
    /// - Returns: its length in bytes.
    /// - Throws: ``CurlError`` after 20 s without one.
    mutating func next() throws -> Int { try text().utf8.count }

    /// Reads a whole message.
    ///
    /// - Returns: its text.
    /// - Throws: ``CurlError`` after 20 s without one.
    mutating func text() throws -> String {
      while true {
        if case .text(let payload)? = try frames.nextEvent(from: &buffer) {
          return String(decoding: buffer.withPayload(payload) { Array(copying: $0) }, as: UTF8.self)
        }
        try #require(try socket.receive(into: &buffer, timeout: 20_000))
      }
    }

    /// Waits for the first bytes of the next message.
    mutating func begin() throws {
      if buffer.isEmpty { try #require(try socket.receive(into: &buffer, timeout: 20_000)) }
    }
  }

  /// An owed snapshot does not wait for all of the client's unread actions.
  @Test func owedSnapshot_comesBeforeABacklogOfActions() async throws {
    try await withServer(apps: [App("mural") { Mural() }], Self.limitTime) { _, url in
      try await blocking { () throws in
        let host = try PlainClient(url, app: "mural")
        let guest = try Self.client(url, #"{"t":"hello","share":"\#(host.share("act"))"}"#)
        var reader = Reader(guest.socket)
        #expect(try reader.next() < 1_000)
        try reader.begin()
        try Self.paint(host)
        // The actions take 2.4 s of loop time, and so 24 s at the client's rate.
        for number in 1...60 { try guest.send(#"{"t":"act","n":\#(number),"to":1,"a":"paint"}"#) }
        let start = ContinuousClock.now
        #expect(try reader.next() > Poster.length)
        #expect(try reader.next() > Poster.length)
        #expect(ContinuousClock.now - start < .seconds(15))
      }
    }
  }

  /// A silent client pays for the snapshots that it is owed.
  @Test func owedSnapshotsOfASilentClient_areCharged() async throws {
    try await withServer(
      apps: [App("mural") { Mural() }],
      {
        Self.limitTime(&$0)
        BudgetTests.hasOneLoop(&$0)
      }
    ) { server, url in
      try await blocking { () throws in
        let host = try PlainClient(url, app: "mural")
        // Each of ten clients acts once, so that none uses up its own loop time.
        let painters = try (0..<10).map { _ in try PlainClient(url, joining: host.share("act")) }
        var guest = Reader(try Self.client(url, #"{"t":"hello","share":"\#(host.share("view"))"}"#).socket)
        #expect(try guest.next() < 1_000)
        let counted = try Self.onYoungestConnection(of: server) { $0.channel.budget.timeCounted }
        var pauses = 0
        for painter in painters {
          // The snapshot before is under way.
          try guest.begin()
          if try Self.onYoungestConnection(of: server, { $0.pace.isPaused }) { pauses += 1 }
          try Self.paint(painter)
          #expect(try guest.next() > Poster.length)
        }
        #expect(try guest.next() > Poster.length)
        // It has used up its loop time, and waits although it sends nothing. On a slow machine some pauses end early.
        #expect(pauses > 0)
        // Eleven snapshots take 440 ms.
        #expect(try Self.onYoungestConnection(of: server) { $0.channel.budget.timeCounted } - counted > 400_000_000)
      }
    }
  }

  /// Runs something for a server's youngest connection, as a job of the only loop.
  ///
  /// - Throws: if the server does not run, or has no connection.
  private static func onYoungestConnection<Result: Sendable>(
    of server: Server, _ body: @escaping @Sendable (Connection) -> Result
  ) throws -> Result {
    let loop = try #require(
      server.state.withLock { state -> EventLoop? in
        if case .running(let running) = state { running.loops.first } else { nil }
      })
    let result = Mutex<Result?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    // A job, unlike what `executeAndWait` runs, begins a batch of events.
    loop.execute {
      if let connection = loop.connections.max(by: { $0.key < $1.key })?.value {
        let value = body(connection)
        result.withLock { $0 = value }
      }
      isDone.signal()
    }
    try #require(isDone.wait(timeout: .now() + 60) == .success)
    return try #require(result.withLock { $0 })
  }

  /// Has a client paint, and waits until that is done.
  private static func paint(_ painter: PlainClient) throws {
    try painter.act(1, #""paint""#)
    while !(try painter.next(#"{"t":"patch""#)).contains(#""n":1"#) {}
  }

  /// A heavy client yields in a late batch, and its action is handled before the next owed view nevertheless.
  @Test func actionThatHasYielded_isHandledBeforeTheNextView() async throws {
    try await withServer(
      apps: [App("mural") { Mural() }],
      {
        Self.limitTime(&$0)
        BudgetTests.hasOneLoop(&$0)
      }
    ) { server, url in
      try await blocking { () throws in
        let host = try PlainClient(url, app: "mural")
        let painters = try (0..<6).map { _ in try PlainClient(url, joining: host.share("act")) }
        let socket = try Self.client(url, #"{"t":"hello","share":"\#(host.share("act"))"}"#)
        var guest = Reader(socket.socket)
        #expect(try guest.next() < 1_000)
        for painter in painters.dropLast() {
          try guest.begin()
          try Self.paint(painter)
          #expect(try guest.next() > Poster.length)
        }
        // The guest is paused until the test says otherwise.
        try guest.begin()
        _ = try Self.onYoungestConnection(of: server) { $0.pace.pause(for: 600_000_000_000, at: $0.loop.now) }
        try Self.paint(painters[5])
        try socket.send(#"{"t":"act","n":1,"to":1,"a":"paint"}"#)
        #expect(try guest.text().contains(#""count":5"#))
        let wasHeavyAndDue = try Self.onYoungestConnection(of: server) { connection in
          let isHeavy = connection.channel.budget.hasUsedMuch(at: connection.loop.now)
          let isDue = connection.channel.owesAnything && connection.output.isEmpty && connection.inputIsDue
          connection.pace.goOn()
          while connection.loop.time() - connection.loop.now < EventLoop.longestTurn {}
          connection.goOn()
          return isHeavy && isDue
        }
        #expect(wasHeavyAndDue)
        #expect(try guest.text().contains(#""count":7"#))
      }
    }
  }

  /// A slow reader that ends its sending gets the view that is owed to it, also when it is not the first such view.
  @Test func halfClosedReader_getsASecondOwedView() async throws {
    try await withServer(apps: [App("mural") { Mural() }], { $0.limits.writeQueueBytes = 1 }) { _, url in
      try await blocking { () throws in
        let host = try PlainClient(url, app: "mural")
        let painters = try (0..<3).map { _ in try PlainClient(url, joining: host.share("act")) }
        let socket = try Self.client(url, #"{"t":"hello","share":"\#(host.share("act"))"}"#)
        var guest = Reader(socket.socket)
        #expect(try guest.next() < 1_000)
        for (index, painter) in painters.enumerated() {
          try guest.begin()
          if index == 2 { socket.socket.endSending() }
          try Self.paint(painter)
          #expect(try guest.text().contains(#""count":\#(index)"#))
        }
        #expect(try guest.text().contains(#""count":3"#))
      }
    }
  }

  /// A slow reader's action is handled, although a newer view is owed after each pause, or whenever the output is empty.
  @Test(arguments: [true, false]) func actionOfASlowReader_isHandledWhileViewsAreOwed(isPaused: Bool) async throws {
    try await withServer(
      apps: [App("mural") { Mural() }], { if isPaused { Self.limitTime(&$0) } else { $0.limits.writeQueueBytes = 1 } }
    ) { _, url in
      try await blocking { () throws in
        let host = try PlainClient(url, app: "mural")
        let painters = try (0..<12).map { _ in try PlainClient(url, joining: host.share("act")) }
        let socket = try Self.client(url, #"{"t":"hello","share":"\#(host.share("act"))"}"#)
        var guest = Reader(socket.socket)
        #expect(try guest.next() < 1_000)
        // One frame of text, whose mask is zero.
        let text = #"{"t":"act","n":1,"to":1,"a":"paint"}"#
        let action = [0x81, 0x80 | UInt8(text.utf8.count), 0, 0, 0, 0] + Array(text.utf8)
        var counts: [Bool] = []
        for (index, painter) in painters.enumerated() {
          // The snapshot has just been written, and the guest is paused for it.
          try guest.begin()
          // The action's frame comes in two parts: a frame's header is unread until it is whole.
          if index == 3 { try socket.socket.send(Array(action.prefix(4))) }
          if index == 4 { try socket.socket.send(Array(action.dropFirst(4))) }
          try painter.act(1, #""paint""#)
          var patch = ""
          repeat { patch = try painter.next(#"{"t":"patch""#) } while !patch.contains(#""n":1"#)
          counts.append(patch.contains(#""value":\#(index + 2)"#))
          #expect(try guest.next() > Poster.length)
        }
        // The guest's action is one more.
        #expect(counts.prefix(4).allSatisfy { !$0 } && counts[9...].allSatisfy { $0 }, "\(counts)")
      }
    }
  }

  /// How a client says that this was all.
  enum End: CaseIterable { case halfClose, bye, close, nonsense, wrongFrame }

  /// The change is left out because the queue is full; the end is read when it is still not empty.
  @Test(arguments: End.allCases) func readerThatEnds_getsTheSnapshotThatItIsOwed(end: End) async throws {
    try await withServer(
      apps: [App("changer") { Changer() }],
      {
        $0.limits.writeQueueBytes = 500_000
        $0.timeouts.closingSeconds = 30
      }
    ) { _, url in
      try await blocking {
        let socket = try Self.client(url, #"{"t":"hello","app":"changer"}"#)
        try #require(Changer.hasChanged.wait(timeout: .now() + 60) == .success)
        switch end {
        case .halfClose: socket.socket.endSending()
        case .bye: try socket.send(#"{"t":"bye"}"#)
        case .close: try socket.socket.send([0x88, 0x80, 0, 0, 0, 0])
        case .nonsense: try socket.send("nonsense")
        case .wrongFrame: try socket.socket.send([0xFF, 0x80, 0, 0, 0, 0])
        }
        _ = try socket.text()
        let first = try #require(try socket.text())
        #expect(first.contains(#""old."#))
        let second = try #require(try socket.text())
        #expect(second.hasPrefix(#"{"t":"snap""#) && second.contains(#""new."#))
      }
    }
  }
}
