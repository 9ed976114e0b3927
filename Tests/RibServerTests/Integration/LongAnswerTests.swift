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

  @Test func longView_isCompressed_whileOthersAreServed() async throws {
    let queue = HeldQueue()
    var environment = Environment.system
    let makeQueue = environment.makeQueue
    environment.makeQueue = { name, urgency in
      name == "ribserver.compression" ? queue : makeQueue(name, urgency)
    }
    var settings = ServerSettings(port: 0)
    settings.loops = 1
    settings.store = .memory
    settings.timeouts.drainSeconds = 0
    settings.timeouts.closingSeconds = 1
    let server = Server(
      apps: Showcase.apps, files: StaticFiles(), settings: settings,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, environment: environment)
    let url = try server.start().description
    try await blocking { () throws in
      let (reader, other) = (try TwinClient(url), try TwinClient(url))
      #expect(try reader.create(#"{"app":"catalog"}"#).status == 201)
      let plain = try reader.view()
      #expect(plain.body.utf8.count > 200_000 && queue.count == 0)
      let socket = try CurlSocket(url: url)
      let request = { (fields: String) in
        "GET /v1/sessions/\(reader.sessionID)/view HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(reader.token)\r\n\(fields)\r\n"
      }
      // The one behind it waits for it.
      try socket.send(
        Array((request("Accept-Encoding: gzip\r\n") + request("If-None-Match: *\r\nConnection: close\r\n")).utf8))
      try waitUntil { queue.count == 1 }
      #expect(try other.create(#"{"app":"counter"}"#).status == 201)
      #expect(try other.act(#""1""#, #"{"to":"","a":"increment"}"#).json["n"] == .integer(1))
      queue.release()
      var (buffer, responses) = (ReceiveBuffer(), ResponseReader())
      func head() throws -> ResponseHead {
        while true {
          if let head = try responses.nextHead(from: &buffer) { return head }
          try #require(try socket.receive(into: &buffer))
        }
      }
      let compressed = try head()
      #expect(compressed.status == .ok && compressed.headers["Content-Encoding"] == "gzip")
      #expect(compressed.headers["ETag"] == plain.headers["ETag"])
      let length = try #require(compressed.contentLength)
      #expect(length < plain.body.utf8.count / 4)
      while buffer.count < length { try #require(try socket.receive(into: &buffer)) }
      buffer.consume(length)
      #expect(try head().status == .notModified)
    }
    await server.stop()
  }
}
