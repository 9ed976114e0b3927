import Foundation
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

  /// Nodes of one program have arguments, places and times of their own.
  @Test func contentMark_isThatOfTheBytes() throws {
    let directory = try TemporaryDirectory()
    let (one, copy, other) = ("\(directory.path)/one", "\(directory.path)/copy", "\(directory.path)/other")
    let bytes = [UInt8](repeating: 7, count: 3_000_000)
    try Data(bytes).write(to: URL(fileURLWithPath: one))
    try Data(bytes).write(to: URL(fileURLWithPath: copy))
    try Data(bytes.dropLast() + [8]).write(to: URL(fileURLWithPath: other))
    let mark = try #require(Executable.contentMark(of: one))
    #expect(mark.count == 32)
    #expect(Executable.contentMark(of: copy) == mark)
    #expect(Executable.contentMark(of: other) != mark)
    #expect(Executable.contentMark(of: "\(directory.path)/nothing") == nil)
    #if os(Linux)
      #expect(Executable.contentMark == Executable.contentMark(of: CommandLine.arguments[0]))
    #endif
  }
}
