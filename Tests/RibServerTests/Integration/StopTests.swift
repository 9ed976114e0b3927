import Foundation
import Synchronization
import Testing
import Wire

@testable import RibCore
@testable import RibServer

/// A server that stops while its store has something to do.
@Suite(.timeLimit(.minutes(5))) struct StopTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func makeStore() throws -> SQLiteStore { try SQLiteStore(path: directory.store, durability: .process) }

  /// A server that gives its store up after a second.
  private func makeHostWithThreeClients() async throws -> (StoreHost, [PlainClient]) {
    let host = try StoreHost(
      [Logbook.app()], on: try makeStore(),
      {
        $0.timeouts.closingSeconds = 1
        $0.timeouts.storeSeconds = 1
      })
    return (host, try await blocking { try (0..<3).map { _ in try PlainClient(host.url) } })
  }

  /// The state of a session's root, as it is in the file.
  private func stored(_ id: String) throws -> String? {
    let store = try makeStore()
    defer { store.close() }
    return try store.load(id)?.tree.nodes[1]?.state
  }

  /// A server that stops while what was done without the store is on its way there takes it along.
  @Test func stop_justAfterTheStoreIsBack_losesNothing() async throws {
    let host = try StoreHost([Logbook.app()], on: try makeStore())
    let client = try await blocking { try PlainClient(host.url) }
    host.store.fail(true)
    try await blocking {
      try client.act(1, #"{"write":"a"}"#)
      #expect(try client.next() == #"{"t":"notice","durability":"none"}"#)
      try client.next(#"{"t":"patch""#)
    }
    // The store is known to work again by what only asks for that; the commit that follows waits.
    host.store.hold(at: "write")
    host.store.fail(false)
    #expect(await eventually { host.store.isWaiting })
    async let stopped: Void = host.stop()
    #expect(await eventually { host.isStopping })
    host.store.hold(false)
    await stopped
    #expect(host.lossAtStop == nil)
    #expect(try stored(try client.welcome.sessionID)?.contains(#"["a"]"#) == true)
  }

  /// Effects that send faster than a commit takes do not keep the server from its end.
  @Test func stop_whileEffectsSend_ends() async throws {
    let host = try StoreHost([App("ticker") { Ticker() }], on: try makeStore())
    let client = try await blocking { try PlainClient(host.url, app: "ticker") }
    try await blocking { for _ in 0..<20 { try client.next(#"{"t":"patch""#) } }
    await host.stop()
    #expect(await eventually { host.sessionCount == 0 })
  }

  /// A store that fails when the server stops is given another chance: there may be room by now.
  @Test func stop_whileTheStoreFails_triesOnceMore() async throws {
    let host = try StoreHost([Logbook.app()], on: try makeStore())
    let client = try await blocking { try PlainClient(host.url) }
    host.store.fail(true)
    try await blocking {
      try client.act(1, #"{"write":"a"}"#)
      try client.next(#"{"t":"notice","durability":"none"}"#)
    }
    // It is not asked whether it works, so nobody knows that it does.
    host.store.failProbes(true)
    host.store.fail(false)
    await host.stop()
    #expect(host.lossAtStop == nil)
    #expect(try stored(try client.welcome.sessionID)?.contains(#"["a"]"#) == true)
  }

  /// A store that fails to the end loses what was done since, and that is counted.
  @Test func stop_whileTheStoreFails_countsWhatIsLost() async throws {
    let host = try StoreHost([Logbook.app()], on: try makeStore())
    let client = try await blocking { try PlainClient(host.url) }
    // Nothing is lost of a session in which nothing happens.
    let idle = try await blocking { try PlainClient(host.url) }
    host.store.fail(true)
    try await blocking {
      try client.act(1, #"{"write":"a"}"#)
      try client.next(#"{"t":"notice","durability":"none"}"#)
    }
    await host.stop()
    withExtendedLifetime(idle) {}
    #expect(host.lossAtStop == UncleanStopError(lostSessionCount: 1, isStoreHanging: false))
  }

  /// A store that does not answer any more, as on a disk that is gone, does not keep the server from its end.
  ///
  /// Nothing is lost: clients were not told of what the store does not have. If it answers one day, it is closed.
  @Test func stop_whileTheStoreHangs_ends() async throws {
    let (host, clients) = try await makeHostWithThreeClients()
    for client in clients { try await blocking { try client.act(1, #"{"write":"a"}"#) } }
    for client in clients { try await blocking { _ = try client.next(#"{"t":"patch""#) } }
    host.store.hold(true)
    for client in clients.prefix(2) { try await blocking { try client.act(2, #"{"write":"b"}"#) } }
    #expect(await eventually { host.store.isWaiting })
    await host.stop()
    #expect(host.lossAtStop == UncleanStopError(lostSessionCount: 0, isStoreHanging: true))
    #expect(host.store.isWaiting)
    host.store.hold(false)
    #expect(await eventually { host.store.isClosed })
    #expect(await eventually { host.sessionCount == 0 })
  }

  /// Whoever waits behind what the store hangs at is told when it comes back, so that nothing of the server stays in memory.
  @Test func stop_whileAClientWaitsForAStoreThatHangs_letsGoOfAll() async throws {
    let (store, memory) = try await stopWhileAClientWaits()
    #expect(memory.isInUse)
    store.hold(false)
    #expect(await eventually { !memory.isInUse })
  }

  /// A server's context, as long as something holds it.
  private final class Memory: Sendable {
    private let context: Mutex<WeakContext>
    var isInUse: Bool { context.withLock { $0.context != nil } }

    init(_ context: ServerContext) { self.context = Mutex(WeakContext(context: context)) }

    private struct WeakContext {
      weak var context: ServerContext?
    }
  }

  /// Stops a server while its store does not answer to a commit, and a client waits for its session behind it.
  private func stopWhileAClientWaits() async throws -> (SwitchedStore, Memory) {
    let host = try StoreHost(
      [Logbook.app()], on: try makeStore(),
      {
        $0.sessions.restSeconds = 0
        $0.timeouts.storeSeconds = 1
      })
    let welcome = try await blocking { try PlainClient.writeAndLeave(host.url) }
    #expect(await eventually { host.sessionCount == 0 })
    let client = try await blocking { try PlainClient(host.url) }
    host.store.hold(true)
    try await blocking { try client.act(1, #"{"write":"b"}"#) }
    #expect(await eventually { host.store.isWaiting })
    let guest = try await blocking { try PlainClient(host.url, saying: PlainClient.resume(welcome, attempt: 1)) }
    #expect(await eventually { host.context.loads.withLock { $0.count } == 1 })
    await host.stop()
    withExtendedLifetime((client, guest)) {}
    #expect(host.lossAtStop == UncleanStopError(lostSessionCount: 0, isStoreHanging: true))
    return (host.store, Memory(host.context))
  }

  /// What clients were told of while the store failed is lost if it hangs at the end.
  @Test func stop_whileTheStoreHangsThatFailed_countsWhatIsLost() async throws {
    let (host, clients) = try await makeHostWithThreeClients()
    host.store.fail(true)
    try await blocking {
      for client in clients.prefix(2) {
        try client.act(1, #"{"write":"a"}"#)
        try client.next(#"{"t":"notice","durability":"none"}"#)
        try client.next(#"{"t":"patch""#)
      }
    }
    host.store.hold(true)
    await host.stop()
    withExtendedLifetime(clients) {}
    #expect(host.lossAtStop == UncleanStopError(lostSessionCount: 2, isStoreHanging: true))
    host.store.hold(false)
    #expect(await eventually { host.store.isClosed })
  }

  /// A store that waits for a loop does not hang: a session whose view takes longer to encode than the store may take is written.
  @Test func stop_whileASessionIsEncoded_losesNothing() async throws {
    let pace = SlowView.Pace()
    let host = try StoreHost(
      [App("slow") { SlowView(pace: pace) }], on: try makeStore(), { $0.timeouts.storeSeconds = 1 })
    let client = try await blocking { try PlainClient(host.url, app: "slow") }
    pace.isSlow.store(true, ordering: .relaxed)
    await host.stop()
    #expect(host.lossAtStop == nil)
    let store = try makeStore()
    defer { store.close() }
    // Only a session that has left in order says so.
    #expect(try store.load(try client.welcome.sessionID)?.state.rest != nil)
  }

  /// The same where nothing has to be written: the store does not even answer whether it works.
  @Test func stop_whileTheStoreHangsAtAProbe_ends() async throws {
    let host = try StoreHost([Logbook.app()], on: try makeStore(), { $0.timeouts.storeSeconds = 1 })
    host.store.hold(true)
    host.writer.submit([StoreJob(.probe, on: host.loops[0])])
    #expect(await eventually { host.store.isWaiting })
    await host.stop()
    #expect(host.lossAtStop == UncleanStopError(lostSessionCount: 0, isStoreHanging: true))
    host.store.hold(false)
    #expect(await eventually { host.store.isClosed })
  }

  /// Whoever runs the daemon sees by its status that something was lost.
  @Test(.blocking) func daemonThatLosesSessions_endsWithAnError() async throws {
    let log = "\(directory.path)/log"
    let daemon = try Daemon(stateDirectory: directory.path, log: log)
    let url = daemon.url
    try await blocking {
      let client = try PlainClient(url, app: "ledger")
      // Not one page more.
      try daemon.limitFiles(to: 4 << 10)
      try client.act(1, #""count""#)
      try client.next(#"{"t":"notice","durability":"none"}"#)
    }
    #expect(daemon.stop() == 1)
    let lines = try String(contentsOfFile: log, encoding: .utf8)
    #expect(lines.contains("The session store fails. What one session has done since it worked is lost."))
  }

  /// A server that stops while it waits for the store does not wait for the session.
  @Test func stop_whileASessionIsLoaded_ends() async throws {
    let host = try StoreHost([Logbook.app()], on: try makeStore(), { $0.sessions.restSeconds = 0 })
    let welcome = try await blocking { try PlainClient.writeAndLeave(host.url) }
    #expect(await eventually { host.sessionCount == 0 })
    host.store.hold(true)
    let client = try await blocking {
      try PlainClient(host.url, saying: PlainClient.resume(welcome, attempt: 1))
    }
    #expect(await eventually { host.store.isWaiting })
    async let stopped: Void = host.stop()
    #expect(await eventually { host.isStopping })
    host.store.hold(false)
    await stopped
    #expect(host.lossAtStop == nil)
    #expect(await eventually { host.sessionCount == 0 })
    _ = try? await blocking { try client.end(timeout: 1000) }
    #expect(try stored(welcome.sessionID)?.contains(#"["a"]"#) == true)
  }
}

/// Its view takes its time to encode, from when it is told so: longer than a store may take that is asked for something.
private struct SlowView: Riblet {
  final class Pace: Sendable {
    let isSlow = Atomic(false)
  }
  static let typeName = "SlowView"
  struct State: Codable, Equatable {}
  struct ViewState: Codable, Equatable {
    let pace: Pace

    init(_ pace: Pace) { self.pace = pace }
    init(from decoder: any Decoder) throws { pace = Pace() }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(0)
      guard pace.isSlow.exchange(false, ordering: .relaxed) else { return }
      let end = ContinuousClock.now + .milliseconds(3500)
      while ContinuousClock.now < end {}
    }

    static func == (one: ViewState, other: ViewState) -> Bool { true }
  }

  let pace: Pace

  func makeState() -> State { State() }
  func view(_ state: State) -> ViewState { ViewState(pace) }
}

/// Counts as fast as it can.
private struct Ticker: Riblet {
  static let typeName = "Ticker"
  struct State: Codable, Equatable { var count = 0 }
  struct ViewState: Codable, Equatable { let count: Int }
  enum InternalAction { case tick }

  func makeState() -> State { State() }

  func didBecomeActive(_ state: inout State) -> Effect<Self> {
    .run(id: "tick") { send in
      while !Task.isCancelled { await send(.tick) }
    }
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    state.count += 1
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(count: state.count) }
}
