import Foundation
import RibTestSupport
import Testing

/// `ribctl connect` over connections that are cut.
@Suite(.blocking, .serialized) struct RibctlReturnTests {
  /// A `ribctl connect` that is typed to.
  private final class Terminal: Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output = CollectedOutput()
    private let complaints = CollectedOutput()
    private let hasEnded: ProcessEnd

    init(_ url: String) throws {
      process.executableURL = Program.url("ribctl")
      process.arguments = ["connect", url, "--app", "counter"]
      process.standardInput = input
      process.standardOutput = output.pipe
      process.standardError = complaints.pipe
      hasEnded = ProcessEnd(of: process)
      try process.run()
      output.collect()
      complaints.collect()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var errors: String { complaints.text }

    func type(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

    func shows(_ text: String) async -> Bool {
      await eventually { output.text.contains(text) }
    }

    func complains(_ text: String) async -> Bool { await eventually { errors.contains(text) } }

    /// Ends the input and waits for the end.
    func end() throws -> Int32 {
      try input.fileHandleForWriting.close()
      try #require(hasEnded.wait(within: 30))
      return process.terminationStatus
    }
  }

  @Test func cutConnection_isMadeAgain_andTheSessionGoesOn() async throws {
    let daemon = try Daemon()
    let relay = Relay(to: daemon.port)
    defer { relay.stop() }
    let terminal = try Terminal(relay.url)
    try terminal.type("increment")
    #expect(await terminal.shows("count: 1\n"))
    for count in 2...4 {
      relay.cut()
      try terminal.type("increment")
      #expect(await terminal.shows("count: \(count)\n"), "\(terminal.errors)")
    }
    #expect(try terminal.end() == 0)
    let lines = terminal.errors.split(separator: "\n")
    #expect(lines.count == 3 && lines.allSatisfy { $0.hasSuffix("Connecting again.") }, "\(lines)")
  }

  @Test func lostSession_isBegunAnew() async throws {
    let (first, second) = (try Daemon(), try Daemon())
    let relay = Relay(to: first.port)
    defer { relay.stop() }
    let terminal = try Terminal(relay.url)
    try terminal.type("increment")
    #expect(await terminal.shows("count: 1\n"))
    relay.cut(next: second.port)
    #expect(await terminal.complains("(4200) Starting anew."), "\(terminal.errors)")
    try terminal.type("decrement")
    #expect(await terminal.shows("count: -1\n"))
    #expect(try terminal.end() == 0)
  }
}
