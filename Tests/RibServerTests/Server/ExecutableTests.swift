import Testing

@testable import RibServer

@Suite struct ExecutableTests {
  @Test func mark_isTheSameForTheSameArguments() {
    #expect(Executable.mark(of: ["/usr/bin/ribd", "--port", "1"]) == Executable.mark(of: ["./ribd", "--port", "1"]))
    #expect(Executable.mark == Executable.mark(of: CommandLine.arguments))
  }

  @Test(arguments: [[], ["--port"], ["--port", "2"], ["--port1"], ["--port", "1", ""]])
  func mark_isAnotherForOthers(_ arguments: [String]) {
    #expect(Executable.mark(of: ["ribd"] + arguments) != Executable.mark(of: ["ribd", "--port", "1"]))
  }

  /// Arguments may be secret.
  @Test func mark_doesNotTellTheArguments() {
    #expect(!Executable.mark(of: ["ribd", "--password", "swordfish"]).contains("swordfish"))
  }
}
