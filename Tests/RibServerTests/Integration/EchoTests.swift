import CurlTransport
import RibServer
import Testing
import Wire
import WireHTTP

/// The endpoint that conformance suites talk to.
@Suite struct EchoTests {
  private static func connect(
    _ url: String, _ offer: PerMessageDeflate.Offer? = nil, messageLimit: Int = 1 << 20
  ) throws -> CurlWebSocket {
    try CurlWebSocket(url: url, path: "/echo", subprotocols: [], compression: offer, messageLimit: messageLimit)
  }

  @Test func echo_isOffByDefault() async throws {
    try await withServer { _, url in
      try await blocking {
        let error = #expect(throws: HTTPError.self) { try Self.connect(url) }
        #expect(error?.status == .notFound)
      }
    }
  }

  @Test func messages_comeBack_howeverManyAndWhateverTheyAre() async throws {
    try await withServer({
      $0.echo = true
      $0.limits.actionsPerSecond = 1
      $0.limits.actionBurst = 1
    }) { _, url in
      try await blocking {
        for offer in [nil, CompressionTests.offer] {
          let socket = try Self.connect(url, offer)
          for number in 0..<200 {
            let text = Array(String(repeating: "\u{E9}\u{1F600} \(number) ", count: number).utf8)
            try socket.send(text)
            try socket.send(binary: text + [0xFF, 0x00])
            #expect(try socket.receive() == .message(text))
            #expect(try socket.receive() == .message(text + [0xFF, 0x00]))
          }
        }
      }
    }
  }

  @Test func largeMessage_comesBack() async throws {
    let size = 17 << 20
    try await withServer({
      $0.echo = true
      $0.limits.messageBytes = size
    }) { _, url in
      try await blocking {
        // Letters that repeat themselves too far away for any window: neither noise nor nothing.
        var number: UInt32 = 1
        let block = (0..<65_536).map { _ -> UInt8 in
          number = number &* 1_664_525 &+ 1_013_904_223
          return 0x61 + UInt8(number >> 28)
        }
        let message = [[UInt8]](repeating: block, count: size / block.count).flatMap(\.self)
        for offer in [nil, CompressionTests.offer] {
          let socket = try Self.connect(url, offer, messageLimit: size)
          try socket.send(message)
          #expect(try socket.receive(timeout: 60_000) == .message(message))
          try socket.send(message + [0x61])
          guard case .closed(let code, _) = try socket.receive(timeout: 60_000) else { throw CancellationError() }
          #expect(code == .messageTooBig)
        }
      }
    }
  }

  /// What is sent, and the code that it is closed with.
  static let endings: [(name: String, bytes: [UInt8], code: UInt16?)] = [
    ("a close without a code", [0x88, 0x80, 0, 0, 0, 0], nil),
    ("a close with one", [0x88, 0x82, 0, 0, 0, 0, 0x0B, 0xB8], 3000),
    ("a code that is none", [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xED], 1002),
    ("a reason that is not UTF-8", [0x88, 0x83, 0, 0, 0, 0, 0x03, 0xE8, 0xFF], 1007),
    ("the first byte of a frame that cannot be", [0xC1], 1002),
    ("a part of a long text that cannot be", [0x81, 0xFE, 0xFF, 0xFF, 0, 0, 0, 0, 0x61, 0xFF], 1007),
    ("the first bytes of a length that is too long", [0x82, 0xFF, 0, 0, 0, 1], 1009),
  ]

  @Test(arguments: endings) func end_isToldAsSoonAsItIsSeen(name: String, bytes: [UInt8], code: UInt16?) async throws {
    try await withServer({ $0.echo = true }) { server, url in
      try await blocking {
        let socket = try Self.connect(url)
        try socket.socket.send(bytes)
        guard case .closed(let received, _) = try socket.receive() else { throw CancellationError() }
        #expect(received?.rawValue == code)
        var rest = ReceiveBuffer()
        // And then the server says no more.
        #expect(try !socket.socket.receive(into: &rest))
      }
    }
  }

  @Test func server_saysGoodbye() async throws {
    try await withServer({
      $0.echo = true
      $0.timeouts.closingSeconds = 1
    }) { server, url in
      let socket = try await blocking { Held(try Self.connect(url)) }
      let stopping = Task { await server.stop() }
      try await blocking {
        guard case .closed(let code, _) = try socket.socket.receive() else { throw CancellationError() }
        #expect(code == .goingAway)
        try socket.socket.close(.goingAway)
      }
      await stopping.value
    }
  }

  @Test(.blocking) func peerThatDoesNotRead_isNotReadFrom() throws {
    let daemon = try Daemon(["--echo", "--limits-message-bytes", "100000"])
    let bystander = try Self.connect(daemon.url)
    let socket = try Self.connect(daemon.url)
    let before = daemon.residentKilobytes
    let message = [UInt8](repeating: 0x61, count: 100_000)
    var frame: [UInt8] = []
    FrameWriter.client { 0 }.binary(message.span, into: &frame)
    var sent = 0
    var pending: ArraySlice<UInt8> = []
    var stalls = 0
    while stalls < 50, sent < 2000 {
      if pending.isEmpty {
        pending = frame[...]
        sent += 1
      }
      let count = try socket.socket.sendSome(pending)
      pending = pending.dropFirst(count)
      stalls = count == 0 ? stalls + 1 : 0
      if count == 0 {
        // A message of another connection is the event that is waited for here.
        try bystander.send("ping")
        #expect(try bystander.text() == "ping")
      }
    }
    #expect(stalls == 50, "the server read \(sent) messages of a peer that reads nothing")
    #expect(daemon.residentKilobytes - before < 4096 || Sanitizer.blursMemory)
    // When it reads, it gets all of them.
    var received = 0
    while received < sent {
      pending = pending.dropFirst(try socket.socket.sendSome(pending))
      #expect(try socket.receive() == .message(message))
      received += 1
    }
    #expect(daemon.stop() == 0)
  }

  /// `@unchecked Sendable`: used by one thread after the other, each of which the test waits for.
  private final class Held: @unchecked Sendable {
    let socket: CurlWebSocket
    init(_ socket: CurlWebSocket) { self.socket = socket }
  }
}
