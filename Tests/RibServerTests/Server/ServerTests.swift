import Logging
import Synchronization
import Testing

@testable import RibServer

@Suite(.timeLimit(.minutes(1))) struct ServerTests {
  /// The store takes its time with what sessions have left, and somebody else wants the server to stop.
  @Test func secondStop_returnsWithTheFirst() async throws {
    let directory = try TemporaryDirectory()
    let box = Mutex<SwitchedStore?>(nil)
    var environment = Environment.system
    environment.wrapStore = { store in
      let store = SwitchedStore(store)
      box.withLock { $0 = store }
      return store
    }
    var settings = ServerSettings()
    (settings.port, settings.store, settings.stateDirectory) = (0, .sqlite, directory.path)
    settings.timeouts.closingSeconds = 1
    let server = Server(
      apps: [Logbook.app()], files: StaticFiles(), settings: settings,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, environment: environment)
    let url = try server.start().description
    let store = try #require(box.withLock { $0 })
    try await blocking { _ = try PlainClient.writeAndLeave(url) }
    store.hold(true)
    let first = Task { await server.stop() }
    #expect(await eventually { store.isWaiting })
    let second = Task {
      await server.stop()
      return server.inspection == nil
    }
    let isAwaited = await eventually {
      server.state.withLock { if case .stopping(let waiting) = $0 { waiting.count == 1 } else { false } }
    }
    store.hold(false)
    #expect(await second.value && isAwaited)
    await first.value
    // One that comes later still has nothing to wait for.
    await server.stop()
  }
}
