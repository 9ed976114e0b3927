import CurlTransport
import Foundation
import RibTestSupport
import Testing
import Wire

extension [String] {
  /// The first of these lines that is not found in a text behind those before it; empty lines need not be there.
  func firstMissing(from text: [String]) -> String? {
    var rest = text[...]
    for line in self where !line.allSatisfy(\.isWhitespace) {
      guard let place = rest.firstIndex(of: line) else { return line }
      rest = rest[(place + 1)...]
    }
    return nil
  }
}

/// The README says what is true.
@Suite(.blocking) struct ReadmeTests {
  private static func blocks(_ language: String) throws -> [String] {
    let readme = try String(contentsOf: repository.appendingPathComponent("README.md"), encoding: .utf8)
    return readme.components(separatedBy: "```\(language)\n").dropFirst().compactMap {
      $0.components(separatedBy: "\n```").first
    }
  }

  /// The random values of a welcome, made alike.
  private static func normalize(_ line: String) -> String {
    var line = line
    for (key, length) in [("sid", 32), ("token", 64), ("epoch", 16)] {
      line = line.replacingOccurrences(
        of: "\"\(key)\":\"[0-9a-f]{\(length)}\"", with: "\"\(key)\":\"…\"", options: .regularExpression)
    }
    return line
  }

  @Test func transcript_isTrueToTheByte() throws {
    let transcript = try #require(try Self.blocks("text").first).components(separatedBy: "\n")
    try #require(transcript.count > 10)
    let daemon = try Daemon()
    let socket = try CurlWebSocket(url: daemon.url)
    for line in transcript {
      let message = String(line.dropFirst(2))
      if line.hasPrefix("C ") {
        try socket.send(message)
      } else {
        #expect(try Self.normalize(socket.text() ?? "") == Self.normalize(message))
      }
    }
    guard case .closed(let code, _) = try socket.receive() else { throw CancellationError() }
    #expect(code == .normal)
  }

  @Test func consoleExamples_areTrueToTheByte() throws {
    let daemon = try Daemon()
    let examples = try Self.blocks("console")
    try #require(examples.count == 3)
    func body(_ example: String) -> String { example.components(separatedBy: "\n").dropFirst().joined(separator: "\n") }
    let connect = try Program.run(
      Program.url("ribctl"), ["connect", daemon.url, "--app", "counter"], input: "decrement\n")
    #expect(connect.output == body(examples[0]) + "\n" + examples[1] + "\n")
    let act = try Program.run(Program.url("ribctl"), ["act", daemon.url, "--app", "counter", "increment", "increment"])
    #expect(act.output == body(examples[2]) + "\n")
    #expect(examples[2].hasPrefix("$ swift run ribctl act http://127.0.0.1:8080 --app counter increment increment\n"))
  }

  @Test func swiftExamples_areTheCompiledSnippet() throws {
    let snippet = try String(contentsOf: repository.appendingPathComponent("Snippets/Counter.swift"), encoding: .utf8)
    let examples = try Self.blocks("swift")
    try #require(examples.count == 2)
    for example in examples {
      let missing = example.components(separatedBy: "\n").firstMissing(from: snippet.components(separatedBy: "\n"))
      #expect(missing == nil)
    }
  }
}
