import Synchronization
import Testing
import Wire

@testable import RibServer

@Suite struct MemoryCeilingTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func withServer(
    _ change: (inout ServerSettings) -> Void = { _ in },
    _ body: @escaping @Sendable (Server, _ url: String) async throws -> Void
  ) async throws {
    try await RibServerTests.withServer(
      apps: [Logbook.app()],
      {
        $0.store = .sqlite
        $0.stateDirectory = directory.path
        $0.sessions.restSeconds = 1000
        $0.sessions.idleRestSeconds = 1000
        change(&$0)
      }, body)
  }

  /// Above the ceiling there is no room for new sessions, and those in which nothing happens leave memory.
  @Test(arguments: [true, false]) func memoryCeiling_makesRoom(isConnected: Bool) async throws {
    let welcome = try await {
      let box = Mutex<Welcome?>(nil)
      try await withServer { _, url in
        try await blocking {
          let client = try PlainClient(url)
          try client.act(1, #"{"write":"a"}"#)
          try client.next(#"{"t":"patch""#)
          box.withLock { $0 = try? client.welcome }
        }
      }
      return try #require(box.withLock { $0 })
    }()
    // A process has more than one megabyte.
    try await withServer({ $0.limits.memoryMegabytes = 1 }) { server, url in
      #expect(
        await eventually {
          (try? PlainClient(url, saying: #"{"t":"hello","app":"logbook"}"#).end()) == "full 4100"
            && (try? TwinClient(url).create(#"{"app":"logbook"}"#).status) == 503
        })
      let client = try await blocking { try PlainClient(url, resuming: welcome, attempt: 1) }
      if !isConnected { client.cut() }
      #expect(await eventually { server.sessionCount == 0 })
      try await blocking {
        let same = isConnected ? client : try PlainClient(url, resuming: welcome, attempt: 2)
        try same.act(2, #"{"write":"b"}"#)
        let texts = try same.all(until: #"{"t":"patch""#)
        #expect(texts.last?.contains(#""n":2,"#) == true)
      }
    }
  }
}
