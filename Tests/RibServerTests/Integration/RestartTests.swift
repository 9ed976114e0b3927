import CurlTransport
import Foundation
import GRDB
import RibClient
import RibTestSupport
import Testing
import Wire

@testable import RibServer

/// What was answered survives the server, however it ends.
@Suite(.blocking, .timeLimit(.minutes(5))) struct RestartTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func daemon(_ arguments: [String] = []) throws -> Daemon {
    try Daemon(arguments, stateDirectory: directory.path)
  }

  private func withServer(
    _ outside: Logbook.Outside = Logbook.Outside(), _ change: (inout ServerSettings) -> Void = { _ in },
    _ body: @escaping @Sendable (Server, _ url: String) async throws -> Void
  ) async throws {
    try await RibServerTests.withServer(
      apps: [Logbook.app(outside)],
      {
        $0.store = .sqlite
        $0.stateDirectory = directory.path
        change(&$0)
      }, body)
  }

  private func rows(_ table: String) throws -> Int {
    try DatabaseQueue(path: directory.store).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? -1 }
  }

  // MARK: The daemon

  /// The tree, its ids, the counts, the refusals: all of it is there.
  ///
  /// After an orderly stop even the epoch is the same, for nobody can tell the difference.
  @Test(arguments: [SIGKILL, SIGTERM]) func session_goesOnInTheNextProcess(_ signal: Int32) throws {
    let first = try daemon()
    let client = try PlainClient(first.url, app: "tabs")
    let welcome = try client.welcome
    #expect(welcome.durability == .disk)
    try client.act(1, #""transportHomeTapped""#, to: #""tabs[0]/pages[0]""#)
    try client.next(#"{"t":"patch","rev":2,"base":1,"n":1,"#)
    try client.act(2, #""explode""#)
    try client.next(#"{"t":"nack","n":2,"#)
    try client.act(3, #"{"select":2}"#)
    try client.next(#"{"t":"patch","rev":3,"base":2,"n":3,"#)
    try client.act(4, #"{"select":0}"#)
    try client.next(#"{"t":"patch","rev":4,"base":3,"n":4,"#)
    _ = first.stop(signal)

    let second = try daemon()
    let again = try PlainClient(second.url, resuming: welcome, attempt: 1, revision: 4)
    let resumed = try again.welcome
    #expect(resumed.resumed && resumed.revision == 4 && resumed.number == 4 && resumed.nackNumbers == [2])
    #expect((resumed.epoch == welcome.epoch) == (signal == SIGTERM))
    if signal == SIGKILL {
      let view = try #require(try JSONValue(parsing: try again.next(#"{"t":"snap""#))["view"])
      #expect(view["nodes"]?["7"]?["type"] == .string("TransportHome"))
      #expect(view["nodes"]?["2"]?["children"]?["pages"]?["ids"]?.text == "[5,7]")
      #expect(view["nodes"]?["1"]?["children"]?["tabs"]?["selected"] == .integer(0))
    }
    // What was done before is not done again, and what is new gets ids that were never used.
    try again.act(4, #"{"select":1}"#)
    try again.next(#"{"t":"patch","rev":4,"base":4,"n":4,"ops":[]}"#)
    try again.send(#"{"t":"back","n":5,"to":1,"ack":{"rev":4,"n":4}}"#)
    #expect(try again.next(#"{"t":"patch","rev":5,"base":4,"n":5,"#).contains(#""path":"/nodes/7""#))
    _ = second.stop(signal)

    let third = try daemon()
    // The attempt that was accepted is, whoever asks again.
    #expect(try PlainClient(third.url, resuming: welcome, attempt: 1).end() == "none 4410")
    let last = try PlainClient(third.url, resuming: welcome, attempt: 2, epoch: "another", revision: 5)
    #expect(try last.welcome.nackNumbers == [] && last.welcome.number == 5)
    try last.next(#"{"t":"snap","#)
    try last.act(6, #""transportHomeTapped""#, to: #""tabs[0]/pages[0]""#)
    #expect(try last.next(#"{"t":"patch","rev":6,"base":5,"n":6,"#).contains(#""path":"/nodes/8""#))
  }

  /// A store that was put back from a copy: what clients have seen since the copy was made is not taken for its view, and what
  /// effects do again they do under other keys.
  @Test func storeThatWasPutBack_goesOnAsAnotherOne() throws {
    let book = "\(directory.path)/book"
    func start(_ arguments: [String] = []) throws -> Daemon {
      try Daemon(arguments, stateDirectory: directory.path, environment: ["RIBD_LEDGER": book])
    }
    let first = try start()
    let client = try PlainClient(first.url, app: "ledger")
    let welcome = try client.welcome
    try client.act(1, #"{"pay":1}"#)
    while try !client.next(#"{"t":"patch""#).contains(#""path":"/nodes/1/state/paid","value":1"#) {}
    #expect(first.stop() == 0)
    let copy = "\(directory.path)/copy"
    try FileManager.default.copyItem(atPath: directory.store, toPath: copy)

    // Two servers that do the same: what happens after the copy was made, and what happens in its place.
    var epochs = [welcome.epoch]
    for arguments in [[], ["--restored"]] {
      let daemon = try start(arguments)
      let attempt = epochs.count
      let back = try PlainClient(daemon.url, resuming: welcome, attempt: attempt, revision: attempt == 1 ? 3 : 5)
      let resumed = try back.welcome
      #expect(resumed.resumed && resumed.number == 1 && resumed.revision == 3)
      epochs.append(resumed.epoch)
      if attempt == 2 { #expect(try back.next(#"{"t":"snap""#).contains(#""paid":1"#)) }
      try back.act(2, #"{"pay":2}"#)
      while try !back.next(#"{"t":"patch""#).contains(#""path":"/nodes/1/state/paid","value":2"#) {}
      #expect(daemon.stop() == 0)
      try FileManager.default.removeItem(atPath: directory.store)
      try FileManager.default.copyItem(atPath: copy, toPath: directory.store)
    }
    #expect(epochs[0] == epochs[1] && epochs[1] != epochs[2])
    let lines = try String(contentsOfFile: book, encoding: .utf8).split(separator: "\n")
    #expect(lines.map { $0.split(separator: " ")[1] } == ["1", "2", "2"])
    #expect(Set(lines.map { $0.split(separator: " ")[0] }).count == 3)
  }

  @Test(arguments: [SIGKILL, SIGTERM]) func invitation_survives_andIsGoodForOne(_ signal: Int32) throws {
    let first = try daemon()
    let client = try PlainClient(first.url, app: "counter")
    let token = try client.share("view")
    try client.act(1, #""increment""#)
    try client.next(#"{"t":"patch""#)
    _ = first.stop(signal)
    let second = try daemon()
    let guest = try PlainClient(second.url, joining: token)
    try guest.send(#"{"t":"resync"}"#)
    #expect(try guest.next(#"{"t":"snap""#).contains(#""count":1"#))
    try guest.act(1, #""increment""#)
    #expect(try guest.next().hasPrefix(#"{"t":"nack","n":1,"code":"forbidden""#))
    _ = second.stop(signal)
    let third = try daemon()
    #expect(try PlainClient(third.url, saying: #"{"t":"hello","share":"\#(token)"}"#).end() == "denied 4401")
  }

  /// Nobody is told anything that is not in the file, whenever the process dies.
  @Test func answeredActions_survive_wheneverTheProcessDies() throws {
    var daemon = try daemon()
    let client = try PlainClient(daemon.url, app: "counter")
    let welcome = try client.welcome
    var (next, answered) = (1, 0)
    var socket = client
    for attempt in 1...5 {
      let acts = (next..<next + 100).map { PlainClient.act($0, #""increment""#) }
      for act in acts { try socket.send(act) }
      // Some of the answers are read, then it dies with the rest of them on the way.
      for _ in 0..<attempt * 10 { answered = try Self.number(try socket.next(#"{"t":"patch""#)) }
      _ = daemon.stop(SIGKILL)
      while let text = try? socket.socket.text() { answered = try Self.number(text) }
      daemon = try self.daemon()
      socket = try PlainClient(daemon.url, resuming: welcome, attempt: attempt)
      let number = try socket.welcome.number
      #expect(number >= answered)
      #expect(try socket.next(#"{"t":"snap""#).contains(#""count":\#(number),"#))
      next = number + 1
    }
  }

  private static func number(_ patch: String) throws -> Int {
    guard case .integer(let number)? = try JSONValue(parsing: patch)["n"] else { throw CancellationError() }
    return Int(number)
  }

  /// A start comes long after the last server was seen: no client could come back meanwhile, and none is forgotten.
  @Test func downtime_isNotAbsence() async throws {
    let first = try daemon()
    let clients = [try PlainClient(first.url, app: "counter"), try PlainClient(first.url, app: "counter")]
    try clients[0].act(1, #""increment""#)
    try clients[0].next(#"{"t":"patch""#)
    _ = first.stop(SIGKILL)
    try await DatabaseQueue(path: directory.store).write {
      try $0.execute(
        sql: """
          UPDATE server SET seen = seen - 86400; UPDATE clock SET seen = seen - 86400;
          UPDATE session SET seen = seen - 86400
          """)
    }
    let second = try daemon(["--sessions-time-to-live-seconds", "30", "--sessions-untouched-seconds", "30"])
    for client in clients {
      let back = try PlainClient(second.url, resuming: try client.welcome, attempt: 1)
      #expect(back.greeting.hasPrefix(#"{"t":"welcome","#))
    }
  }

  /// Clients have stayed away from a server that runs.
  @Test(arguments: [("--sessions-time-to-live-seconds", 0), ("--sessions-untouched-seconds", 1)])
  func sessionsThatNobodyCameBackTo_areForgotten(_ setting: String, left: Int) async throws {
    let first = try daemon()
    let (acted, untouched) = (try PlainClient(first.url, app: "counter"), try PlainClient(first.url, app: "counter"))
    try acted.act(1, #""increment""#)
    try acted.next(#"{"t":"patch""#)
    _ = first.stop(SIGKILL)
    let second = try daemon([setting, "1"])
    // It looks every ten seconds.
    #expect(await eventually { (try? rows("session")) == left })
    #expect(try rows("node") == left)
    #expect(try PlainClient(second.url, resuming: try untouched.welcome, attempt: 1).end() == "none 4200")
    let answer = try PlainClient(second.url, resuming: try acted.welcome, attempt: 1)
    #expect(answer.greeting.hasPrefix(left == 0 ? #"{"t":"bye","code":"gone","# : #"{"t":"welcome","#))
  }

  @Test func goodbye_leavesNothingInTheFile() throws {
    let daemon = try daemon()
    let client = try PlainClient(daemon.url, app: "counter")
    try client.act(1, #""explode""#)
    try client.next(#"{"t":"nack""#)
    for table in ["session", "node", "nack"] { #expect(try rows(table) == 1) }
    try client.send(#"{"t":"bye"}"#)
    #expect(try client.end() == "ended 1000")
    for table in ["session", "node", "nack"] { #expect(try rows(table) == 0) }
  }

  // MARK: Effects

  @Test func interruptedEffects_areReported() async throws {
    let outside = Logbook.Outside()
    nonisolated(unsafe) var welcome: Welcome?
    try await withServer(outside) { _, url in
      welcome = try await blocking {
        let client = try PlainClient(url)
        try client.act(1, #"{"work":"upload"}"#)
        try client.act(2, #"{"nap":"clock"}"#)
        for _ in 0..<2 { try client.next(#"{"t":"patch""#) }
        return try client.welcome
      }
      #expect(await eventually { outside.runningCount == 2 })
    }
    #expect(await eventually { outside.runningCount == 0 })
    let last = try #require(welcome)
    try await withServer(outside) { _, url in
      try await blocking {
        let client = try PlainClient(url, resuming: last, attempt: 1, revision: 1)
        #expect(try client.next(#"{"t":"snap""#).contains(#""interrupted":["upload","clock"]"#))
      }
    }
    // They do not run any more: they are reported once.
    try await withServer(outside) { _, url in
      try await blocking {
        let client = try PlainClient(url, resuming: last, attempt: 2)
        #expect(try client.next(#"{"t":"snap""#).contains(#""interrupted":["upload","clock"]"#))
      }
    }
  }

  // MARK: Two processes

  /// A session that another process has loaded is not this one's any more: nothing that is done here counts.
  @Test(arguments: ["plain", "snapshot is owed", "compressed"])
  func sessionThatWasTakenOver_isGivenUp(_ kind: String) async throws {
    let outside = Logbook.Outside()
    try await withServer(
      outside,
      {
        $0.compression.keepsContext = true
        $0.compression.thresholdBytes = 10
      }
    ) { [self] first, url in
      let isCompressed = kind == "compressed"
      let client = try await blocking {
        let client = try PlainClient(
          url, saying: #"{"t":"hello","app":"logbook"}"#, compression: isCompressed ? CompressionTests.offer : nil,
          threshold: 10)
        try client.greet()
        try client.next(#"{"t":"snap""#)
        try client.act(1, #"{"work":"w"}"#)
        try client.next(#"{"t":"patch""#)
        return client
      }
      #expect(await eventually { outside.runningCount == 1 })
      let welcome = try client.welcome
      try await withServer { _, other in
        let new = try await blocking {
          let new = try PlainClient(other, resuming: welcome, attempt: 1)
          try new.next(#"{"t":"snap","#)
          let act = PlainClient.act(2, #"{"write":"The session goes on elsewhere: connect again."}"#)
          try client.send(kind == "snapshot is owed" ? "[\(act),{\"t\":\"resync\"}]" : act)
          // Neither the patch nor a snapshot comes before it.
          try client.next(#"{"t":"bye","code":"moved","#)
          #expect(try client.end() == "none 4002")
          return new
        }
        #expect(await eventually { outside.runningCount == 0 && first.sessionCount == 0 })
        try await blocking {
          try new.act(2, #"{"write":"kept"}"#)
          try new.next(#"{"t":"patch","rev":2,"base":1,"n":2,"#)
          try new.send(#"{"t":"resync"}"#)
          #expect(try new.next(#"{"t":"snap""#).contains(#""lines":["kept"]"#))
        }
      }
    }
  }

  // MARK: A start that fails

  /// One line that says what to do, and no more.
  private func failure(_ arguments: [String]) throws -> String {
    let (status, output, errors) = try Program.run(
      Program.url("ribd"), ["--port", "0", "--log-level", "critical"] + arguments)
    #expect(status > 0 && status < 128, "\(status)")
    #expect(output == "")
    let lines = errors.split(separator: "\n")
    #expect(lines.count == 1, "\(errors)")
    return lines.first.map(String.init) ?? ""
  }

  @Test func stateDirectoryBelowAFile_isAClearError() throws {
    let file = "\(directory.path)/file"
    try Data().write(to: URL(fileURLWithPath: file))
    for path in [file, "\(file)/state"] {
      #expect(
        try failure(["--state-dir", path])
          == "Error: The state directory \(path) cannot be made: \(file)/: Not a directory. Choose another with --state-dir."
      )
    }
  }

  @Test(.enabled(if: getuid() != 0, "the superuser may write anywhere"))
  func directoryThatCannotBeWritten_isAClearError() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: directory.path)
    #expect(try failure(["--state-dir", directory.path]).contains("cannot be written by this user"))
    #expect(try failure(["--state-dir", "\(directory.path)/below"]).contains("Permission denied"))
  }

  @Test func damagedFile_isAClearError() throws {
    let first = try daemon()
    _ = try PlainClient(first.url, app: "counter")
    _ = first.stop()
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: directory.store))
    try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
    let text = try failure(["--state-dir", directory.path])
    #expect(text.hasPrefix("Error: The session store \(directory.store) cannot be opened. SQLite: "), "\(text)")
    #expect(text.hasSuffix("The file is damaged: move it away, or put a copy back."), "\(text)")
  }

  @Test func newerFile_isAClearError() throws {
    try SQLiteStore(path: directory.store, durability: .process).close()
    try DatabaseQueue(path: directory.store).write {
      try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('1000')")
    }
    #expect(
      try failure(["--state-dir", directory.path])
        == "Error: \(directory.store) was written by a newer version of this program: start that one.")
  }

  // MARK: A full disk

  /// The file may not grow: the daemon says so to its clients, and goes on; and writes everything when it may again.
  @Test func fullDisk_isSurvivedInMemory() throws {
    let daemon = try Daemon(stateDirectory: directory.path)
    let client = try PlainClient(daemon.url, app: "counter")
    let welcome = try client.welcome
    // Not one page more: a larger limit is not reached by a log that is written back between two actions.
    try daemon.limitFiles(to: 4 << 10)
    var number = 1
    try client.act(number, #""increment""#)
    try client.next(#"{"t":"notice","durability":"none"}"#)
    try client.next(#"{"t":"patch""#)
    for _ in 0..<400 {
      number += 1
      try client.act(number, #""increment""#)
      #expect(try client.next(#"{"t":"patch""#).contains(#""n":\#(number),"#))
    }
    try daemon.limitFiles(to: nil)
    try client.next(#"{"t":"notice","durability":"disk"}"#)
    _ = daemon.stop(SIGKILL)
    let again = try self.daemon()
    let back = try PlainClient(again.url, resuming: welcome, attempt: 1)
    #expect(try back.welcome.number == number)
    #expect(try back.next(#"{"t":"snap""#).contains(#""count":\#(number),"#))
  }
}
