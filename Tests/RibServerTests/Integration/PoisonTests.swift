import CurlTransport
import Dispatch
import Foundation
import GRDB
import Logging
import RibCore
import Testing
import Wire
import WireHTTP

@testable import RibServer

/// User code that makes the process die is not run for ever: each death here is that of a process of its own.
@Suite(.timeLimit(.minutes(5))) struct PoisonTests {
  /// More than a machine that is busy leaves a thread without its turn.
  private static let watchdogSeconds = 5

  /// Dies where it is told to.
  private struct Fuse: Riblet {
    static let typeName = "Fuse"
    enum ViewAction: Decodable {
      case count, burn, hang
      case burnLater
      case burnBesideAnother
    }
    enum InternalAction { case burn, glow, step }
    let directory: String

    /// Dies if there is a file of this name, and waits for ever if there is one of the name behind `hang-`.
    func check(_ name: String) {
      if FileManager.default.fileExists(atPath: "\(directory)/\(name)") { fatalError("as it was told") }
      if FileManager.default.fileExists(atPath: "\(directory)/hang-\(name)") { DispatchSemaphore(value: 0).wait() }
    }

    func makeState() -> Int {
      check("state")
      return 0
    }

    func didRestore(_ count: inout Int, interrupted: [InterruptedEffect]) -> Effect<Self> {
      check("restore")
      return .none
    }

    func reduce(into count: inout Int, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .count: count += 1
      case .burn: fatalError("as it was told")
      case .hang: DispatchSemaphore(value: 0).wait()
      case .burnLater: return .run { send in await send(.burn) }
      case .burnBesideAnother:
        // Each of them sends something that goes well, and one of them ends; one has the name of the one to blame.
        return .merge(
          .run(id: "lamp") { send in await send(.glow) }, .run { send in await send(.glow) },
          .run { send in
            await send(.glow)
            await send(.glow)
            await send(.burn)
          })
      }
      return .none
    }

    func reduce(into count: inout Int, internalAction: InternalAction) -> Effect<Self> {
      switch internalAction {
      case .burn: fatalError("as it was told")
      case .glow: count += 1
      case .step: check("walk")
      }
      return .none
    }

    func view(_ count: Int) -> Int { count }
  }

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private static func server(
    _ directory: String, _ store: ServerSettings.Store = .sqlite, isWatched: Bool = false
  ) -> Server {
    var settings = ServerSettings()
    settings.port = 0
    settings.loops = 2
    settings.store = store
    settings.timeouts.watchdogSeconds = isWatched ? watchdogSeconds : 0
    settings.stateDirectory = directory
    let app = App("fuse", parameters: [String: Int].self) { _ in
      let fuse = Fuse(directory: directory)
      fuse.check("root")
      return fuse
    } walk: { _, root in
      try await root.send(.step)
    }
    // What a process says that dies is read by its test.
    let logger = Logger(label: "test") { label -> any LogHandler in
      if isWatched { StreamLogHandler.standardError(label: label) } else { SwiftLogNoOpLogHandler() }
    }
    return Server(apps: [app], settings: settings, logger: logger)
  }

  /// Where a client keeps what it was welcomed with, for the next process.
  private static func note(_ directory: String) -> URL { URL(fileURLWithPath: "\(directory)/client") }

  /// A client of this directory's session, which it begins if there is none; each time with the next attempt.
  private static func client(_ url: String, _ directory: String) throws -> PlainClient {
    guard let text = try? String(contentsOf: note(directory), encoding: .utf8) else {
      let client = try PlainClient(url, app: "fuse")
      try "1\n\(client.greeting)".write(to: note(directory), atomically: true, encoding: .utf8)
      return client
    }
    let parts = text.split(separator: "\n", maxSplits: 1).map(String.init)
    var reader = JSONReader()
    guard let attempt = Int(parts[0]), case .welcome(let welcome) = try ServerMessage(reader.read(parts[1]).root) else {
      throw CancellationError()
    }
    try "\(attempt + 1)\n\(parts[1])".write(to: note(directory), atomically: true, encoding: .utf8)
    return try PlainClient(url, resuming: welcome, attempt: attempt)
  }

  /// A whole life of a process: a server, and a client of it that says something and listens to the end.
  private static func live(
    in directory: String, _ store: ServerSettings.Store = .sqlite, isWatched: Bool = false, saying messages: [String]
  ) throws {
    let server = server(directory, store, isWatched: isWatched)
    let url = try server.start().description
    let client = try client(url, directory)
    for (index, message) in messages.enumerated() {
      // What was answered is committed, and outlives what comes next.
      if index > 0 { while let text = try client.socket.text(), !text.hasPrefix(#"{"t":"patch""#) {} }
      try client.send(message)
    }
    while try client.socket.text() != nil {}
  }

  /// Makes sure that it died, and not just failed.
  private func expectDeath(_ result: ExitTest.Result?, _ location: SourceLocation = #_sourceLocation) {
    guard case .signal? = result?.exitStatus else {
      Issue.record("\(String(describing: result?.exitStatus))", sourceLocation: location)
      return
    }
  }

  private func with(_ body: @escaping @Sendable (_ url: String) throws -> Void) async throws {
    let server = Self.server(directory.path)
    let url = try server.start().description
    try await blocking { try body(url) }
    await server.stop()
  }

  private static let burn = PlainClient.act(2, #""burn""#)
  private static let hang = PlainClient.act(2, #""hang""#)

  /// It dies, dies again, and refuses: for good, and nothing else of the session is lost.
  @Test func actionThatKillsTwice_isRefused() async throws {
    let path = directory.path
    let count = PlainClient.act(1, #""count""#)
    for _ in 1...2 {
      expectDeath(
        await #expect(processExitsWith: .failure) { [path = path as String, count = count as String] in
          try Self.live(in: path, saying: [count, Self.burn])
        })
    }
    try await with { url in
      let client = try Self.client(url, path)
      #expect(try client.welcome.number == 1 && client.welcome.resumed)
      #expect(try client.next(#"{"t":"snap""#).contains(#""state":1"#))
      try client.send(Self.burn)
      try client.next(#"{"t":"nack","n":2,"code":"poisoned","#)
      try client.act(3, #""count""#)
      #expect(try client.next(#"{"t":"patch""#).contains(#""value":2"#))
    }
    try await with { url in
      let client = try Self.client(url, path)
      #expect(try client.welcome.nacks.map(\.code) == [.poisoned])
      #expect(try client.welcome.number == 3)
    }
    let crashes = try await DatabaseQueue(path: directory.store).read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM crash")
    }
    #expect(crashes == 0)
  }

  /// An action that never returns does not hold up its loop for ever: the process ends itself, twice, and then refuses it.
  @Test func actionThatHangsTwice_endsTheProcess_andIsRefused() async throws {
    let path = directory.path
    let count = PlainClient.act(1, #""count""#)
    for time in 1...2 {
      let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
        [path = path as String, count = count as String] in
        try Self.live(in: path, isWatched: true, saying: [count, Self.hang])
      }
      let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      let line = errors.split(separator: "\n").first {
        $0.contains("A loop hangs: for seconds it ran a client's action.")
      }
      #expect(
        line?.contains("app=fuse client=1 field=a message=act n=2 seconds=\(Self.watchdogSeconds) session=") == true,
        "\(errors.suffix(2000))")
      // The second one has found what the first has left.
      let found = errors.contains("An earlier process died while it ran a client's action. It may be run once more.")
      #expect(found == (time == 2), "\(errors.suffix(2000))")
    }
    try await with { url in
      let client = try Self.client(url, path)
      #expect(try client.welcome.number == 1 && client.welcome.resumed)
      try client.next(#"{"t":"snap""#)
      try client.send(Self.hang)
      try client.next(#"{"t":"nack","n":2,"code":"poisoned","#)
    }
  }

  /// Also where nothing outlives the process.
  @Test func actionThatHangs_endsAProcessWithoutAStore() async throws {
    let path = directory.path
    await #expect(processExitsWith: .signal(SIGABRT)) { [path = path as String] in
      try Self.live(in: path, .memory, isWatched: true, saying: [PlainClient.act(1, #""hang""#)])
    }
  }

  /// A session that cannot even begin has no name that a later process could refuse: what is noted is its app.
  @Test(arguments: ["root", "state", "walk"]) func startThatHangs_endsTheProcess_andIsNoted(_ place: String)
    async throws
  {
    let path = directory.path
    try Data().write(to: URL(fileURLWithPath: "\(path)/hang-\(place)"))
    let hung = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      [path = path as String] in
      try Self.live(in: path, isWatched: true, saying: [])
    }
    let what = place == "walk" ? "did a step of an app's walk" : "started an app for a new session"
    let errors = String(decoding: hung?.standardErrorContent ?? [], as: UTF8.self)
    let line = errors.split(separator: "\n").first { $0.contains("A loop hangs: for seconds it \(what).") }
    // A walk is a job of its own.
    let field = place == "walk" ? "" : " field=params message=hello"
    #expect(line?.contains("app=fuse\(field) seconds=\(Self.watchdogSeconds)") == true, "\(errors.suffix(2000))")
    try await expectFinding(what, in: path)
  }

  @Test(arguments: ["root", "state", "walk"]) func startThatKills_isNoted(_ place: String) async throws {
    let path = directory.path
    try Data().write(to: URL(fileURLWithPath: "\(path)/\(place)"))
    expectDeath(
      await #expect(processExitsWith: .failure) { [path = path as String] in try Self.live(in: path, saying: []) })
    try await expectFinding(
      place == "walk" ? "did a step of an app's walk" : "started an app for a new session", in: path)
  }

  /// Whoever asks for an app's schema has a tree of it built.
  @Test func descriptionThatHangs_endsTheProcess_andIsNoted() async throws {
    let path = directory.path
    try Data().write(to: URL(fileURLWithPath: "\(path)/hang-state"))
    let hung = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      [path = path as String] in
      let server = Self.server(path, isWatched: true)
      let socket = try CurlSocket(url: try server.start().description)
      try socket.send(Array("GET /v1/apps/fuse/schema HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
      var buffer = ReceiveBuffer()
      while try socket.receive(into: &buffer) {}
    }
    let errors = String(decoding: hung?.standardErrorContent ?? [], as: UTF8.self)
    let line = errors.split(separator: "\n").first { $0.contains("A loop hangs: for seconds it described an app.") }
    let names = "app=fuse field=body message=request seconds=\(Self.watchdogSeconds)"
    #expect(line?.contains(names) == true, "\(errors.suffix(2000))")
    try await expectFinding("described an app", in: path)
  }

  /// Starts a process in which nothing happens, and looks what it says of the one before.
  private func expectFinding(_ what: String, in path: String, _ location: SourceLocation = #_sourceLocation)
    async throws
  {
    let next = await #expect(processExitsWith: .success, observing: [\.standardErrorContent], sourceLocation: location)
    {
      [path = path as String] in
      let server = Self.server(path, isWatched: true)
      _ = try server.start()
      await server.stop()
    }
    let errors = String(decoding: next?.standardErrorContent ?? [], as: UTF8.self)
    let line = errors.split(separator: "\n").first { $0.contains("An earlier process died while it \(what).") }
    #expect(line?.contains("app=fuse") == true, "\(errors.suffix(2000))", sourceLocation: location)
  }

  /// Once may have been the fault of something else.
  @Test func actionThatKillsOnce_isRunAgain() async throws {
    let path = directory.path
    expectDeath(
      await #expect(processExitsWith: .failure) { [path = path as String] in
        try Self.live(in: path, saying: [PlainClient.act(1, #""burn""#)])
      })
    try await with { url in
      let client = try Self.client(url, path)
      try client.next(#"{"t":"snap""#)
      try client.act(1, #""count""#)
      try client.next(#"{"t":"patch","rev":2,"#)
    }
  }

  /// A session that cannot wake is set aside: whether its root kills, or what brings its state back.
  @Test(arguments: ["root", "restore"]) func wakeThatKillsTwice_isNotTriedAgain(_ place: String) async throws {
    let path = directory.path
    try await with { url in
      let client = try Self.client(url, path)
      try client.act(1, #""count""#)
      try client.next(#"{"t":"patch""#)
    }
    try Data().write(to: URL(fileURLWithPath: "\(path)/\(place)"))
    for _ in 1...2 {
      expectDeath(
        await #expect(processExitsWith: .failure) { [path = path as String] in
          try Self.live(in: path, saying: [])
        })
    }
    try await with { url in
      for _ in 1...2 {
        let end = try Self.client(url, path).end()
        #expect(end == "none 4201")
      }
    }
  }

  /// What an effect sends has no client that could be told: the session is set aside.
  ///
  /// What went well beside it, or before it, is no excuse.
  @Test(arguments: ["burnLater", "burnBesideAnother"])
  func effectThatKillsTwice_setsItsSessionAside(_ action: String) async throws {
    let path = directory.path
    for number in 1...2 {
      expectDeath(
        await #expect(processExitsWith: .failure) {
          [path = path as String, number = number as Int, action = action as String] in
          try Self.live(in: path, saying: [PlainClient.act(number, "\"\(action)\"")])
        })
    }
    try await with { url in
      let end = try Self.client(url, path).end()
      #expect(end == "none 4201")
    }
  }
}
