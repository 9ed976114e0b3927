import Foundation
import RibTestSupport
import Testing

/// No program that a test runs can hold up the test run.
@Suite struct ProgramTests {
  private static let shell = URL(fileURLWithPath: "/bin/sh")

  /// More than a pipe takes, on both: whoever reads one of them to its end and then the other waits for ever.
  @Test func bothPipes_areReadAtOnce() async throws {
    let script = "i=0; while [ $i -lt 4000 ]; do echo $i.$i.$i.$i.$i.$i; echo $i.$i.$i.$i.$i.$i >&2; i=$((i+1)); done"
    let (status, output, errors) = try await blocking { try Program.run(Self.shell, ["-c", script]) }
    #expect(status == 0 && output.utf8.count > 100_000 && errors == output)
  }

  @Test func programWithoutAnEnd_isKilled_andWhatItPrintedIsTold() async throws {
    let script = "echo $$; echo here; echo there >&2; while true; do read line || true; done"
    let error = try await blocking {
      try #require(throws: Program.TimeIsUp.self) { try Program.run(Self.shell, ["-c", script], within: 1) }
    }
    #expect(error.output.hasSuffix("\nhere\n") && error.errors == "there\n")
    #expect(error.description.contains("sh has not ended within 1.0 seconds"))
    let pid = try #require(error.output.split(separator: "\n").first.flatMap { Int32($0) })
    #expect(kill(pid, 0) != 0, "it is still there")
  }

  @Test func daemonThatSaysNothing_isGivenUp() async throws {
    let error = try await blocking {
      try #require(throws: DaemonError.self) { try Daemon(prelude: "exec sleep 600", startSeconds: 1) }
    }
    #expect(error.output.hasPrefix("No URL within 1.0 seconds"))
  }

  @Test func input_reachesTheProgram_andOneThatWantsNoneEnds() async throws {
    let text = String(repeating: "x", count: 1 << 20)
    let (copied, ignored) = try await blocking {
      (
        try Program.run(Self.shell, ["-c", "cat"], input: text),
        try Program.run(Self.shell, ["-c", "exit 3"], input: text)
      )
    }
    #expect(copied.status == 0 && copied.output == text)
    #expect(ignored.status == 3)
  }
}
