import CurlTransport
import Logging
import Showcase
import Synchronization
import Testing
import Wire
import WireHTTP

@testable import RibServer

/// Long views over HTTP: others do not wait while one is compressed.
@Suite struct LongAnswerTests {
  /// A queue whose jobs wait until it is told to do them.
  private final class HeldQueue: JobQueue {
    private let base = Environment.system.makeQueue("held", .normal)
    private let waiting = Mutex<[@Sendable () -> Void]?>([])

    /// How many jobs wait.
    var count: Int { waiting.withLock { $0?.count ?? 0 } }

    /// Does them, and those that come.
    func release() {
      let jobs = waiting.withLock { waiting in
        defer { waiting = nil }
        return waiting ?? []
      }
      for job in jobs { base.add(job) }
    }

    func add(_ job: @escaping @Sendable () -> Void) {
      let isHeld = waiting.withLock { waiting in
        waiting?.append(job)
        return waiting != nil
      }
      if !isHeld { base.add(job) }
    }

    func add(after nanoseconds: UInt64, _ job: @escaping @Sendable () -> Void) { base.add(after: nanoseconds, job) }
    func run(_ body: () -> Void) { base.run(body) }
    func preconditionCurrent() { base.preconditionCurrent() }
    func makePoller(_ setup: PollerSetup) throws(SystemError) -> any Poller { try base.makePoller(setup) }
  }

  /// Runs a server with one loop, whose compressor waits.
  private func withHeldCompressor(
    _ body: @escaping @Sendable (_ queue: HeldQueue, _ url: String, _ reader: TwinClient) throws -> Void
  ) async throws {
    let queue = HeldQueue()
    var environment = Environment.system
    let makeQueue = environment.makeQueue
    environment.makeQueue = { name, urgency in
      name == "ribserver.compression" ? queue : makeQueue(name, urgency)
    }
    try await withServer(apps: Showcase.apps, environment: environment, { $0.loops = 1 }) { server, url in
      try await blocking { () throws in
        let reader = try TwinClient(url)
        #expect(try reader.create(#"{"app":"catalog"}"#).status == 201)
        try body(queue, url, reader)
      }
      #expect(await eventually { server.connectionCount == 0 })
    }
  }

  private static func request(_ fields: String, _ client: TwinClient) -> [UInt8] {
    let head = "GET /v1/sessions/\(client.sessionID)/view HTTP/1.1\r\nHost: localhost\r\n"
    return Array("\(head)Riblet-Token: \(client.token)\r\n\(fields)\r\n".utf8)
  }

  private static let gzip = "Accept-Encoding: gzip\r\n"

  /// Answers as they come by a socket.
  private struct Answers {
    let socket: CurlSocket
    private var buffer = ReceiveBuffer()
    private var responses = ResponseReader()

    init(_ socket: CurlSocket) { self.socket = socket }

    /// The head of the next one, whose body is skipped.
    mutating func next() throws -> ResponseHead {
      while true {
        guard let head = try responses.nextHead(from: &buffer) else {
          try #require(try socket.receive(into: &buffer))
          continue
        }
        let length = head.contentLength ?? 0
        while buffer.count < length { try #require(try socket.receive(into: &buffer)) }
        buffer.consume(length)
        return head
      }
    }
  }

  @Test func longView_isCompressed_whileOthersAreServed() async throws {
    try await withHeldCompressor { queue, url, reader in
      let plain = try reader.view()
      #expect(plain.body.utf8.count > 200_000 && queue.count == 0)
      let socket = try CurlSocket(url: url)
      // The one behind it waits for it.
      try socket.send(
        Self.request(Self.gzip, reader) + Self.request("If-None-Match: *\r\nConnection: close\r\n", reader))
      try waitUntil { queue.count == 1 }
      let other = try TwinClient(url)
      #expect(try other.create(#"{"app":"counter"}"#).status == 201)
      #expect(try other.act(#""1""#, #"{"to":"","a":"increment"}"#).json["n"] == .integer(1))
      queue.release()
      var answers = Answers(socket)
      let compressed = try answers.next()
      #expect(compressed.status == .ok && compressed.headers["Content-Encoding"] == "gzip")
      #expect(try #require(compressed.contentLength) < plain.body.utf8.count / 4)
      #expect(try answers.next().status == .notModified)
    }
  }

  /// Who asks for views and goes has no more wait than may: then views are sent as they are, and later compressed again.
  @Test func viewBeyondWhatMayWait_isSentAsItIs() async throws {
    try await withHeldCompressor { queue, url, reader in
      let size = try reader.view().body.utf8.count
      var waiting: [CurlSocket] = []
      while (waiting.count + 1) * size <= Compressor.byteLimit {
        let socket = try CurlSocket(url: url)
        try socket.send(Self.request(Self.gzip, reader))
        waiting.append(socket)
        try waitUntil { queue.count == waiting.count }
      }
      #expect(waiting.count > 5)
      let socket = try CurlSocket(url: url)
      try socket.send(Self.request(Self.gzip, reader))
      var answers = Answers(socket)
      let plain = try answers.next()
      #expect(plain.status == .ok && plain.headers["Content-Encoding"] == nil && plain.contentLength == size)
      // Those that have gone hold nothing, once it was their turn.
      for socket in waiting { socket.cut() }
      waiting = []
      queue.release()
      try waitUntil {
        try socket.send(Self.request(Self.gzip, reader))
        return try answers.next().headers["Content-Encoding"] == "gzip"
      }
    }
  }
}
