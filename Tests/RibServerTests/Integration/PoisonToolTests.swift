import Foundation
import RibTestSupport
import Testing
import Wire

@testable import RibServer

/// What an operator sees of a death, and can do about it: the daemon's log, and `ribctl poison`.
@Suite(.blocking) struct PoisonToolTests {
  private let directory: TemporaryDirectory
  private var log: String { "\(directory.path)/log" }

  init() throws { directory = try TemporaryDirectory() }

  /// A flight recorder's file as a process leaves it that dies while it brings a session back.
  private func leaveWake(of session: String) throws {
    var slot = [UInt8](repeating: 0, count: 64)
    slot[0] = 1
    slot.replaceSubrange(24..<56, with: session.utf8)
    try Data(slot).write(to: URL(fileURLWithPath: "\(directory.path)/flight-0"))
  }

  private func ribctl(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
    try Program.run(Program.url("ribctl"), ["poison"] + arguments + ["--state-dir", directory.path])
  }

  private func lines(_ text: String) throws -> [String] {
    try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(String.init).filter {
      $0.contains(text)
    }
  }

  @Test func sessionThatIsSetAside_isLogged_listed_lifted_andGoesOn() throws {
    let welcome: Welcome
    do {
      let daemon = try Daemon(stateDirectory: directory.path)
      let client = try PlainClient(daemon.url, app: "counter")
      try client.act(1, #""increment""#)
      try client.next(#"{"t":"patch""#)
      welcome = try client.welcome
      #expect(daemon.stop() == 0)
    }
    let session = welcome.sessionID
    for _ in 1...2 {
      try leaveWake(of: session)
      #expect(try Daemon(stateDirectory: directory.path, log: log).stop() == 0)
    }
    let found = try lines("An earlier process died while it brought a session back into memory.")
    #expect(found.count == 2 && found.allSatisfy { $0.contains("app=counter") && $0.contains("session=\(session)") })
    #expect(found.first?.contains("It may be run once more.") == true && found.first?.contains("times=1") == true)
    #expect(found.last?.contains("It is not run again.") == true && found.last?.contains("times=2") == true)

    // All that follows is done while a daemon runs.
    let daemon = try Daemon(stateDirectory: directory.path)
    #expect(try PlainClient(daemon.url, resuming: welcome, attempt: 1).end() == "none 4201")
    #expect(try ribctl("list").output == "\(session) counter: its return to memory, 2 times\n")
    #expect(try ribctl("lift", session).output == "Lifted 1.\n")
    #expect(try ribctl("list").output == "")
    let client = try PlainClient(daemon.url, resuming: welcome, attempt: 2)
    #expect(try client.welcome.number == 1 && client.welcome.resumed)
    #expect(try client.next(#"{"t":"snap""#).contains(#""count":1"#))

    let again = try ribctl("lift", "--all")
    #expect(again.status != 0 && again.errors.contains("Nothing is set aside."))
    #expect(try ribctl("lift").errors.contains("Name a session, or say --all."))
    #expect(daemon.stop() == 0)
  }

  /// Two processes of one directory are allowed, and said.
  @Test func secondProcess_saysThatThereIsAnother() throws {
    let first = try Daemon(stateDirectory: directory.path)
    let second = try Daemon(["--log-level", "notice"], stateDirectory: directory.path, log: log)
    #expect(try lines("Other processes run on this state directory.").first?.contains("processes=1") == true)
    #expect(second.stop() == 0 && first.stop() == 0)
  }
}
