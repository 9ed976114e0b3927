import CurlTransport
import Foundation
import RibClient
import RibCore
import RibServer
import RibTestSupport
import Synchronization
import Testing
import Wire
import WireHTTP

/// What a hostile client costs the server and the other sessions.
@Suite(.serialized) struct AbuseTests {
  /// Everything a client may send on a fresh connection, whole: an upgrade, maybe a hello, and something bad.
  private static let conversations: [[UInt8]] = {
    let upgrade = WebSocketHandshake.request(
      host: "127.0.0.1", path: "/v1/socket", key: "dGhlIHNhbXBsZSBub25jZQ==", subprotocols: [subprotocol])
    let writer = FrameWriter.client { 0x1234_5678 }
    var greeted = upgrade
    writer.text(Array(#"{"t":"hello","app":"counter"}"#.utf8).span, into: &greeted)
    let messages = BadInputTests.fatal.map { row -> [UInt8] in
      var bytes = greeted
      writer.text(Array(row.message.utf8).span, into: &bytes)
      return bytes
    }
    let frames = BadInputTests.frames.map { greeted + $0.bytes }
    let refused = [
      #"{"t":"act","n":1,"to":9,"a":"reset"}"#, #"{"t":"act","n":1,"to":1,"a":{"jump":{}}}"#,
      #"[{"t":"act","n":1,"to":1,"a":"reset"},{"t":"act","n":1,"to":1,"a":"reset"}]"#,
    ].map { message -> [UInt8] in
      var bytes = greeted
      writer.text(Array(message.utf8).span, into: &bytes)
      writer.close(.normal, into: &bytes)
      return bytes
    }
    let half: [[UInt8]] = [Array(upgrade.prefix(40)), Array(greeted.dropLast(9))]
    let requests = ["GARBAGE\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"].map {
      Array($0.utf8)
    }
    // Whose half is missing goes away: the last of the ten in each round does not listen.
    return [messages, frames, requests, refused, half].flatMap(\.self)
  }()

  private static func abuse(_ url: String, times: Int) throws {
    for round in 0..<times {
      let socket = try CurlSocket(url: url)
      let conversation = round % conversations.count
      try socket.send(conversations[conversation])
      // Every tenth one goes away without listening, and so does who has said only half.
      if round % 10 == 9 || conversation >= conversations.count - 2 { continue }
      var buffer = ReceiveBuffer()
      while try socket.receive(into: &buffer) { buffer.consume(buffer.count) }
    }
  }

  /// So many bad clients, of four threads.
  private static func abuseAtOnce(_ url: String, times: Int) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { try await blocking { try Self.abuse(url, times: times / 4) } } }
      try await group.waitForAll()
    }
  }

  @Test func thousandsOfBadClients_costNoMemoryAndDisturbNobody() async throws {
    let daemon = try Daemon(["--timeouts-heartbeat-seconds", "600", "--sessions-time-to-live-seconds", "0"])
    let url = daemon.url
    let bystander = try await blocking { Bystander(try CurlClient(url: url, app: "counter")) }
    // What a server keeps for good — caches, tables, the allocator's pages — is at its largest after the first rounds.
    let count = TestRun.volume(800, nightly: 4000)
    try await Self.abuseAtOnce(url, times: 1600)
    var sizes = [daemon.residentKilobytes]
    for _ in 0..<20 {
      try await Self.abuseAtOnce(url, times: count)
      try await blocking { try bystander.act() }
      sizes.append(daemon.residentKilobytes)
    }
    // What clients leave behind they leave in every round; what the system gives in large pieces, or takes, it does now and then.
    let growths = zip(sizes.dropFirst(), sizes).map { $0 - $1 }.suffix(5).sorted()
    // 128 bytes for each client.
    #expect(
      growths[2] < count / 8 || Sanitizer.blursMemory, "RSS was \(sizes) KiB, after \(count) more bad clients each")
    #expect(daemon.stop() == 0)
  }

  @Test func clientThatDoesNotRead_isNotReadFrom_andGetsTheNewestViewWhenItReads() async throws {
    let daemon = try Daemon(["--limits-actions-per-second", "0"])
    let url = daemon.url
    try await blocking {
      let bystander = Bystander(try CurlClient(url: url, app: "counter"))
      let socket = try CurlWebSocket.counter(url)
      let before = daemon.residentKilobytes
      // Far more than sockets and the write queue hold: the server stops reading long before the end.
      let writer = FrameWriter.client { 0 }
      var sent = 0
      var pending: [UInt8] = []
      var stalls = 0
      while sent < 400_000, stalls < 50 {
        while pending.count < 65_536 {
          sent += 1
          writer.text(Array(#"{"t":"act","n":\#(sent),"to":1,"a":"increment"}"#.utf8).span, into: &pending)
        }
        let count = try socket.socket.sendSome(pending[...])
        pending.removeSubrange(..<count)
        if count == 0 {
          stalls += 1
          // An action of another session is the event that is waited for here.
          try bystander.act()
        } else {
          stalls = 0
        }
      }
      #expect(stalls == 50, "the server read \(sent) actions of a client that reads nothing")
      #expect(daemon.residentKilobytes - before < 4096 || Sanitizer.blursMemory)
      // Now it reads: every action that was sent is answered, and the last answer has the newest state.
      var last = ""
      var remaining = pending[...]
      while !last.contains(#""n":\#(sent),"#) {
        remaining = remaining.dropFirst(try socket.socket.sendSome(remaining))
        if let text = try socket.text(timeout: 5000) { last = text } else { break }
      }
      #expect(last.contains(#""value":\#(sent)}"#) || last.contains(#""count":\#(sent),"#))
    }
    #expect(daemon.stop() == 0)
  }

  /// Requests for events that are refused are answered one after the other, and not one within the other: with as little
  /// stack as a thread has on other systems.
  @Test func refusedRequestsForEvents_doNotNest() async throws {
    let daemon = try Daemon(["--limits-actions-per-second", "0", "--loops", "1"], prelude: "ulimit -s 512")
    let url = daemon.url
    try await blocking {
      let twin = try TwinClient(url)
      #expect(try twin.create().status == 201)
      let request = "GET /v1/sessions/\(twin.sessionID)/events HTTP/1.1\r\nHost:localhost\r\nRiblet-Token: x\r\n"
      let count = 10_000
      let bytes = Array((String(repeating: "\(request)\r\n", count: count) + "\(request)Connection:close\r\n\r\n").utf8)
      let socket = try CurlSocket(url: url)
      var (rest, buffer, text, refused) = (bytes[...], ReceiveBuffer(), "", 0)
      while true {
        if !rest.isEmpty { rest = rest.dropFirst(try socket.sendSome(rest)) }
        guard try socket.receive(into: &buffer) else { break }
        text += buffer.text
        buffer.consume(buffer.count)
        // What may be the beginning of the next one is kept.
        refused += text.components(separatedBy: "HTTP/1.1 401 ").count - 1
        text = String(text.replacing("HTTP/1.1 401 ", with: "").suffix(12))
      }
      #expect(refused == count + 1)
    }
    #expect(daemon.stop() == 0)
  }

  /// Takes some milliseconds for each action and shows how many there were, in much text.
  private struct Laborer: Riblet {
    static let typeName = "Laborer"
    enum ViewAction: Decodable {
      case work(Int)
      case look
    }
    struct ViewState: Encodable, Equatable {
      let done: Int
      let report: String
    }
    static let done = Atomic<Int>(0)
    /// Whether one is at work, and may go on with it.
    static let isAtWork = Atomic(false)
    static let mayWork = Atomic(false)

    func makeState() -> Int { 0 }
    func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> {
      if case .work(let milliseconds) = viewAction {
        Self.isAtWork.store(true, ordering: .releasing)
        let limit = ContinuousClock.now + .seconds(60)
        while !Self.mayWork.load(ordering: .acquiring), ContinuousClock.now < limit {}
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while ContinuousClock.now < end {}
        Self.done.add(1, ordering: .relaxed)
      }
      state = Self.done.load(ordering: .relaxed)
      return .none
    }
    func view(_ state: Int) -> ViewState { ViewState(done: state, report: String(repeating: "\(state) ", count: 2000)) }
  }

  /// Not by number, nor by the time that a few take, nor because what it sends back fills its queue and is taken at once.
  @Test(arguments: [(200, 5, Int(UInt32.max)), (200, 5, 1000), (14, 60, 1_000_000)])
  func clientWithMuchToDo_letsOthersHaveTheirTurn(
    count: Int, milliseconds: Int, writeQueueBytes: Int
  ) async throws {
    try await withServer(
      apps: [App("laborer") { Laborer() }],
      {
        $0.loops = 1
        $0.limits.writeQueueBytes = writeQueueBytes
      }
    ) { _, url in
      try await blocking {
        let bystander = try CurlClient(url: url, app: "laborer")
        let before = Laborer.done.load(ordering: .relaxed)
        Laborer.isAtWork.store(false, ordering: .releasing)
        Laborer.mayWork.store(false, ordering: .releasing)
        let socket = try CurlWebSocket(url: url)
        let acts = (1...count).map { #"{"t":"act","n":\#($0),"to":1,"a":{"work":\#(milliseconds)}}"# }
        try socket.send(#"[{"t":"hello","app":"laborer"},\#(acts.joined(separator: ","))]"#)
        // The others have asked before the first action is done, however slow this thread is.
        try waitUntil { Laborer.isAtWork.load(ordering: .acquiring) }
        try bystander.act(.string("look"), to: .path(""))
        Laborer.mayWork.store(true, ordering: .releasing)
        try bystander.settle()
        let seen = Int(try bystander.state()["done"]?.text ?? "") ?? before + count
        #expect(seen - before < count, "the others wait for all of it")
        while let text = try socket.text(), !text.contains(#""n":\#(count),"#) {}
        #expect(Laborer.done.load(ordering: .relaxed) - before == count)
      }
    }
  }

  @Test func actionsOfOneMessage_countTowardsTheRateOneByOne() async throws {
    try await withServer({
      $0.limits.actionsPerSecond = 200
      $0.limits.actionBurst = 20
    }) { _, url in
      try await blocking {
        let socket = try CurlWebSocket.counter(url)
        let acts = (1...100).map { #"{"t":"act","n":\#($0),"to":1,"a":"increment"}"# }
        let duration = try ContinuousClock().measure {
          try socket.send("[\(acts.joined(separator: ","))]")
          while try socket.text()?.contains(#""n":100,"#) == false {}
        }
        // 80 beyond the burst, 5 ms each.
        #expect(duration > .milliseconds(380))
      }
    }
  }

  /// Ten times as many as actions: here 200 a second, and 20 at once.
  @Test(arguments: [true, false])
  func messagesThatAreNoActions_areDelayedAndNotLost(inOneMessage: Bool) async throws {
    try await withServer({
      $0.limits.actionsPerSecond = 20
      $0.limits.actionBurst = 2
    }) { _, url in
      try await blocking {
        let socket = try CurlWebSocket.counter(url)
        let duration = try ContinuousClock().measure {
          if inOneMessage {
            try socket.send("[\(Array(repeating: #"{"t":"ping"}"#, count: 100).joined(separator: ","))]")
          } else {
            for _ in 0..<50 { try socket.send(#"{"t":"ping"}"#) }
            // An array without messages is one nevertheless, and so is a frame that nobody sees.
            for _ in 0..<25 { try socket.send("[]") }
            for _ in 0..<12 { try socket.socket.send([0x8A, 0x80, 0, 0, 0, 0]) }
            // Neither is a part of a message.
            try socket.socket.send([0x01, 0x80, 0, 0, 0, 0])
            for _ in 0..<10 { try socket.socket.send([0x00, 0x80, 0, 0, 0, 0]) }
            try socket.socket.send([0x80, 0x82, 0, 0, 0, 0, 0x5B, 0x5D])
            try socket.send(#"{"t":"ping"}"#)
          }
          for _ in 0..<(inOneMessage ? 100 : 51) { #expect(try socket.text() == #"{"t":"pong"}"#) }
        }
        // 80 beyond the burst, 5 ms each.
        #expect(duration > .milliseconds(380))
      }
    }
  }

  @Test func actionsAboveTheRate_areDelayedAndNotLost() async throws {
    try await withServer({
      $0.limits.actionsPerSecond = 200
      $0.limits.actionBurst = 20
    }) { _, url in
      try await blocking {
        let client = try CurlClient(url: url, app: "counter")
        let clock = ContinuousClock()
        let duration = try clock.measure {
          for _ in 0..<100 { try client.act(.string("increment"), to: .id(1)) }
          try client.settle()
        }
        #expect(client.session.view?["nodes"]?["1"]?["state"]?["count"] == .integer(100))
        // 80 beyond the burst, 5 ms each.
        #expect(duration > .milliseconds(380))
      }
    }
  }

  /// `@unchecked Sendable`: used by one thread after the other, each of which the test waits for.
  private final class Bystander: @unchecked Sendable {
    private let client: CurlClient
    private var count: Int64 = 0

    init(_ client: CurlClient) { self.client = client }

    /// Counts, and checks that the count is its own.
    func act() throws {
      count += 1
      try client.act(.string("increment"), to: .id(1))
      try client.settle()
      #expect(client.session.view?["nodes"]?["1"]?["state"]?["count"] == .integer(count))
    }
  }
}
