import CurlTransport
import Foundation
import Logging
import RibClient
import RibCore
import RibServer
import RibTestSupport
import RibTesting
import Synchronization
import Testing
import Wire

/// Sessions that a server records, and what becomes of them in a replay.
@Suite struct RecordingTests {
  /// Draws, asks, and can be another than it was.
  struct Dice: Riblet {
    static let typeName = "Dice"
    struct State: Codable {
      var pips = 0
      var seen: Date?
      var answers: [Int] = []
    }
    enum ViewAction: Decodable { case rollTapped, asked(Int) }
    enum InternalAction: Codable { case answered(Int) }
    struct ViewState: Encodable, Equatable {
      let pips: Int
      let seen: Date?
      let answers: [Int]
    }

    let dependencies = Dependencies.live
    var faces = 1_000_000

    func makeState() -> State { State(pips: dependencies.random(in: 1...faces)) }

    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .rollTapped:
        state.pips = dependencies.random(in: 1...faces)
        state.seen = dependencies.date()
        return .none
      case .asked(let count):
        return .run(id: "ask") { [dependencies] send in
          for _ in 0..<count { await send(.answered(dependencies.random(in: 0...1_000_000))) }
        }
      }
    }

    func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
      switch internalAction {
      case .answered(let answer): state.answers.append(answer)
      }
      return .none
    }

    func view(_ state: State) -> ViewState { ViewState(pips: state.pips, seen: state.seen, answers: state.answers) }
  }

  private static let apps = [App("dice") { Dice() }]

  private func withRecording(
    _ change: @escaping (inout ServerSettings) -> Void = { _ in },
    _ body: @escaping @Sendable (_ url: String, _ file: (String) -> String) throws -> String,
    then check: (_ file: String, _ session: String) async throws -> Void
  ) async throws {
    let directory = Daemon.makeDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let sid = Mutex("")
    try await withServer(
      apps: Self.apps,
      {
        $0.recordDirectory = directory + "/deep"
        change(&$0)
      }
    ) { _, url in
      let id = try await blocking { try body(url) { "\(directory)/deep/\($0).jsonl" } }
      sid.withLock { $0 = id }
    }
    let id = sid.withLock { $0 }
    try await check("\(directory)/deep/\(id).jsonl", id)
  }

  /// Does things, some at once, and waits for what effects send.
  private static func play(_ client: CurlClient) throws {
    for _ in 0..<50 { try client.perform(#""rollTapped""#) }
    try client.perform(#"{"asked":20}"#)
    try client.perform(#""rollTapped""#)
    #expect(throws: CurlClient.Refused.self) { try client.perform(#""unknown""#) }
    try client.wait { client in
      if case .array(let answers)? = try client.state()["answers"] { answers.count == 20 } else { false }
    }
  }

  @Test func session_isReplayed() async throws {
    let view = Mutex(JSONValue.null)
    try await withRecording { url, _ in
      let client = try CurlClient(url: url, app: "dice")
      try Self.play(client)
      view.withLock { $0 = client.session.view ?? .null }
      let id = client.session.lastWelcome?.sessionID ?? ""
      try client.end()
      return id
    } then: { file, id in
      let recording = try SessionRecording(contentsOf: file)
      #expect(
        recording.lives.map(\.header) == [.init(build: Server.version, app: "dice", session: id, parameters: nil)])
      #expect(recording.tornLines == [])
      let clients = recording.lives[0].entries.compactMap { entry in
        if case .act(let client, _, _) = entry.transaction.event { client } else { nil }
      }
      #expect(clients.map(\.number) == Array(1...53))
      #expect(clients.allSatisfy { $0.id == 1 })
      let replayed = try TestSession.replay(recording, root: Dice())
      #expect(replayed.view == view.withLock { $0 })
      // Whoever may read the state directory, and nobody else.
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      #expect(attributes[.posixPermissions] as? Int == 0o600)

      try withKnownIssue {
        try TestSession.replay(recording, root: Dice(faces: 3))
      } matching: { issue in
        issue.comments.contains { $0.rawValue.hasPrefix("Line 2 of the recording, transaction 1, the start:") }
      }

      let shown = try Program.run(Program.url("ribctl"), ["replay", file])
      #expect(shown.status == 0)
      #expect(shown.output.contains("act 1 of client 1 on the root: \"rollTapped\"\n  drew randomBits: "))
      let last = try Program.run(
        Program.url("ribctl"), ["replay", file, "--at", "\(replayed.tree.transactionCount)"])
      #expect(last.output.hasPrefix("Dice #1\n  answers: ["))
      let none = try Program.run(Program.url("ribctl"), ["replay", file, "--at", "9999"])
      #expect(none.status != 0 && none.errors.contains("has no transaction 9999"))
    }
  }

  @Test func sessionThatComesBackIntoMemory_goesOnInItsFile() async throws {
    try await withRecording({ $0.sessions.idleRestSeconds = 1 }) { url, file in
      let client = try CurlClient(url: url, app: "dice")
      try Self.play(client)
      let id = client.session.lastWelcome?.sessionID ?? ""
      // It rests a second after the last action, and notices the next one.
      let end = Date().addingTimeInterval(20)
      func lives() throws -> Int { (try? SessionRecording(contentsOf: file(id)).lives.count) ?? 0 }
      while try lives() < 2, Date() < end {
        _ = try? client.receive(timeout: 1500)
        try client.perform(#""rollTapped""#)
      }
      return id
    } then: { file, _ in
      let recording = try SessionRecording(contentsOf: file)
      #expect(recording.lives.count >= 2)
      try TestSession.replay(recording, root: Dice())
    }
  }

  @Test func lineThatWasCutOff_isEndedByTheNextLife() async throws {
    let directory = Daemon.makeDirectory()
    let state = Daemon.makeDirectory()
    defer {
      try? FileManager.default.removeItem(atPath: directory)
      try? FileManager.default.removeItem(atPath: state)
    }
    try await blocking {
      let daemon = try Daemon(["--record", directory], stateDirectory: state)
      let client = try CurlClient(url: daemon.url, app: "counter")
      try client.perform(#""increment""#)
      let id = try #require(client.session.lastWelcome?.sessionID)
      let file = "\(directory)/\(id).jsonl"
      try waitUntil { (try? SessionRecording(contentsOf: file).lives[0].entries.count) == 2 }
      _ = daemon.stop(SIGKILL)
      let whole = try SessionRecording(contentsOf: file)
      try #require(whole.lives[0].entries.count == 2)
      // As if the server had died as it wrote.
      let handle = try #require(FileHandle(forWritingAtPath: file))
      try handle.truncate(atOffset: try handle.seekToEnd() - 10)
      try handle.close()
      let next = try Daemon(["--record", directory], port: daemon.port, stateDirectory: state)
      try client.reconnect { _ in }
      try client.perform(#""increment""#)
      #expect(next.stop() == 0)
      let recording = try SessionRecording(contentsOf: file)
      #expect(recording.tornLines == [3])
      #expect(recording.lives.map(\.entries.count) == [1, 2])
      let shown = try Program.run(Program.url("ribctl"), ["replay", file])
      #expect(shown.errors.contains("Line 3 is cut off"))
      #expect(shown.output.hasSuffix("    Counter #1\n      count: 2\n      isNegative: false\n"))
    }
  }

  @Test func directoryThatCannotBeMade_isSaidAtTheStart() {
    var settings = ServerSettings(port: 0)
    settings.recordDirectory = "/dev/null/recordings"
    let server = Server(
      apps: Self.apps, settings: settings, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    #expect {
      _ = try server.start()
    } throws: { error in
      "\(error)".contains("The directory for recordings /dev/null/recordings cannot be made")
        && "\(error)".contains("--record")
    }
  }

  @Test func fullDisk_isLoggedOnce_andHarmsNobody() async throws {
    let log = ErrorLog()
    var settings = ServerSettings(port: 0)
    let directory = Daemon.makeDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    settings.store = .memory
    settings.recordDirectory = directory
    settings.limits.actionsPerSecond = 0
    settings.timeouts.drainSeconds = 0
    let server = Server(apps: Self.apps, settings: settings, logger: Logger(label: "test") { _ in log })
    let url = try server.start().description
    // A directory that is gone is as bad as a disk that is full.
    try FileManager.default.removeItem(atPath: directory)
    try await blocking {
      let client = try CurlClient(url: url, app: "dice")
      try Self.play(client)
      try waitUntil { !log.errors.isEmpty }
      try Self.play2(client)
      try client.end()
    }
    await server.stop()
    #expect(log.errors.count == 1)
    #expect(log.errors.first?.contains("A session is not recorded any more.") == true)
  }

  private static func play2(_ client: CurlClient) throws {
    for _ in 0..<20 { try client.perform(#""rollTapped""#) }
  }

  /// Keeps what is logged as an error.
  private final class ErrorLog: LogHandler, @unchecked Sendable {
    // Set and read under the lock; the logger's properties are never changed.
    private let lines = Mutex<[String]>([])
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.error
    var errors: [String] { lines.withLock { $0 } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.withLock { $0.append("\(event.message)") } }
  }
}
