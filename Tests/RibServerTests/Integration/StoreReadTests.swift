import GRDB
import Synchronization
import Testing
import Wire

@testable import RibServer

/// A session that cannot be read just now is not gone: its client comes back later, and finds it as it was.
@Suite(.timeLimit(.minutes(5))) struct StoreReadTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func makeStore() throws -> SQLiteStore { try SQLiteStore(path: directory.store, durability: .process) }

  /// What a session that no server has in memory was welcomed with; a line is written in it, and somebody is invited.
  private func makeSession() async throws -> (welcome: Welcome, invitation: String) {
    let host = try StoreHost([Logbook.app()], on: try makeStore())
    let made = try await blocking {
      let client = try PlainClient(host.url)
      try client.act(1, #"{"write":"a"}"#)
      try client.next(#"{"t":"patch""#)
      let token = try client.share("view")
      client.cut()
      return (try client.welcome, token)
    }
    await host.stop()
    return made
  }

  private static func ask(_ url: String, _ path: String, _ token: String) throws -> TwinClient.Answer {
    try TwinClient(url).ask("GET", "/v1/sessions/\(path)", headers: ["Riblet-Token: \(token)"])
  }

  /// What a client that comes back is told, and a request of the twin.
  private static func refusals(_ url: String, _ welcome: Welcome, attempt: Int) throws -> (String, Int) {
    let end = try PlainClient(url, saying: PlainClient.resume(welcome, attempt: attempt)).end()
    return (end, try ask(url, "\(welcome.sessionID)/view", welcome.token).status)
  }

  /// After a restart all clients come back at once: whoever is answered in time waits.
  @Test func loadsThatComeTogether_areAllAnswered() async throws {
    try await StoreHost.with([Logbook.app()], on: try makeStore()) { host in
      let count = 2000
      let answers = Mutex((missing: 0, refused: 0))
      host.store.hold(true)
      host.loops[0].executeAndWait {
        let source = LoopSource(context: host.context, loop: host.loops[0])
        for number in 0..<count {
          source.ask(.load(sessionID: "\(number)")) { result in
            answers.withLock { if case .success(.missing) = result { $0.missing += 1 } else { $0.refused += 1 } }
          }
        }
      }
      host.store.hold(false)
      #expect(await eventually { answers.withLock { $0.missing + $0.refused == count } })
      #expect(answers.withLock { $0.refused } == 0)
    }
  }

  /// Above the memory's ceiling sessions come back in turn, and only so many wait to be read: a client that is told to come
  /// later takes nothing of either.
  @Test func loads_areAdmittedByMemoryAndPace() async throws {
    let (first, second) = (try await makeSession().welcome, try await makeSession().welcome)
    try await StoreHost.with([Logbook.app()], on: try makeStore()) { host in
      let context = host.context
      let left = { @Sendable in
        (context.loadBudget.load(ordering: .relaxed), context.loads.withLock { $0.count })
      }
      context.isOverMemory.store(true, ordering: .relaxed)
      context.loadBudget.store(1, ordering: .relaxed)
      let limit = context.loads.withLock { loads in
        let now = TimeSource.system.monotonic()
        while loads.enter(at: now) {}
        return loads.count
      }
      try await blocking {
        #expect(try Self.refusals(host.url, first, attempt: 1) == ("unavailable 4101", 503))
        #expect(left() == (1, limit))
        context.loads.withLock { loads in for _ in 0..<limit { loads.cancel() } }
        try PlainClient(host.url, saying: PlainClient.resume(first, attempt: 2)).greet()
        #expect(left() == (0, 0))
        #expect(try Self.refusals(host.url, second, attempt: 1) == ("unavailable 4101", 503))
        #expect(left().1 == 0)
        // What looks at the memory gives room again.
        context.loadBudget.store(MemoryCeiling.loadsPerLook, ordering: .relaxed)
        try PlainClient(host.url, saying: PlainClient.resume(second, attempt: 2)).greet()
        #expect(left() == (MemoryCeiling.loadsPerLook - 1, 0))
      }
    }
  }

  @Test func storeThatCannotBeRead_isNoEndOfTheSession() async throws {
    let (welcome, invitation) = try await makeSession()
    try await StoreHost.with([Logbook.app()], on: try makeStore()) { host in
      host.store.fail(true)
      try await blocking {
        let told = try Self.refusals(host.url, welcome, attempt: 1)
        #expect(told == ("unavailable 4101", 503))
        #expect(
          try PlainClient(host.url, saying: #"{"t":"hello","share":"\#(invitation)"}"#).end() == "unavailable 4101")
        #expect(try TwinClient(host.url).create(#"{"share":"\#(invitation)"}"#).isProblem(503))
      }
      host.store.fail(false)
      #expect(await eventually { !host.writer.isFailing })
      try await blocking {
        let back = try PlainClient(host.url, saying: PlainClient.resume(welcome, attempt: 2))
        try back.greet()
        #expect(try back.welcome.number == 1 && back.welcome.durability == .process)
        #expect(try back.next(#"{"t":"snap""#).contains(#""lines":["a"]"#))
        _ = try PlainClient(host.url, joining: invitation)
      }
    }
  }

  /// A client whose session rests while it is connected wakes it by an action; that action is not lost.
  @Test func storeThatCannotBeRead_whileASleeperActs() async throws {
    try await StoreHost.with([Logbook.app()], on: try makeStore(), { $0.sessions.idleRestSeconds = 1 }) { host in
      let client = try await blocking { try PlainClient(host.url) }
      #expect(await eventually { host.sessionCount == 0 })
      host.store.fail(true)
      try await blocking {
        try client.act(1, #"{"write":"a"}"#)
        #expect(try client.end() == "unavailable 4101")
      }
      host.store.fail(false)
      #expect(await eventually { !host.writer.isFailing })
      try await blocking {
        let back = try PlainClient(host.url, resuming: try client.welcome, attempt: 1, revision: 1)
        #expect(try back.welcome.number == 0)
        try back.act(1, #"{"write":"a"}"#)
        #expect(try back.all(until: #"{"t":"patch""#).last?.contains(#""n":1,"#) == true)
      }
    }
  }

  /// A deploy that is rolled back: the older server cannot read what the newer one has written, and keeps it for that one.
  @Test(arguments: ["version = version + 1", "state = state"])
  func sessionOfANewerServer_isNotGivenUp(_ change: String) async throws {
    let (welcome, _) = try await makeSession()
    let path = directory.store
    try await DatabaseQueue(path: path).write { try $0.execute(sql: "UPDATE node SET \(change)") }
    let isNewer = change.contains("version")
    try await StoreHost.with([Logbook.app()], on: try makeStore()) { host in
      try await blocking {
        guard isNewer else {
          let view = try Self.ask(host.url, "\(welcome.sessionID)/view", welcome.token)
          return #expect(view.status == 200)
        }
        let told = try Self.refusals(host.url, welcome, attempt: 1)
        #expect(told == ("unavailable 4101", 503))
      }
    }
    guard isNewer else { return }
    try await DatabaseQueue(path: path).write { try $0.execute(sql: "UPDATE node SET version = version - 1") }
    try await StoreHost.with([Logbook.app()], on: try makeStore()) { host in
      try await blocking {
        let back = try PlainClient(host.url, saying: PlainClient.resume(welcome, attempt: 1))
        try back.greet()
        #expect(try back.next(#"{"t":"snap""#).contains(#""lines":["a"]"#))
      }
    }
  }

  @Test func sessionOfAnAppThatIsNotThere_saysSo() async throws {
    let (welcome, _) = try await makeSession()
    try await StoreHost.with([App("another") { Logbook(outside: Logbook.Outside()) }], on: try makeStore()) { host in
      let told = try await blocking { try Self.refusals(host.url, welcome, attempt: 1) }
      #expect(told == ("unknown_app 4404", 404))
    }
  }
}
