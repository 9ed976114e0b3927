import Logging
import Testing
import Wire

@testable import RibDaemon

@Suite struct LogFormatTests {
  private static func entry(_ message: String, _ metadata: Logger.Metadata = [:]) -> LogFormat.Entry {
    // 2026-11-27T09:15:02.007Z
    LogFormat.Entry(
      time: 1_795_770_902_007_999_999, level: .warning, label: "ribd", message: message, source: "RibServer",
      metadata: metadata)
  }

  private static func line(_ format: LogFormat, _ message: String, _ metadata: Logger.Metadata = [:]) -> String {
    String(decoding: format.line(of: entry(message, metadata)), as: UTF8.self)
  }

  @Test func text_isForAPerson() {
    #expect(
      Self.line(.text, "A transaction took long.", ["riblet": "Cart", "milliseconds": "14", "reason": "a \"b\" \\ c"])
        == #"2026-11-27T09:15:02.007Z warning ribd: A transaction took long. milliseconds=14 reason="a \"b\" \\ c" riblet=Cart"#
        + "\n")
    #expect(Self.line(.text, "Empty.", ["x": ""]).hasSuffix(" x=\"\"\n"))
  }

  @Test func json_isForAProgram() throws {
    let line = Self.line(
      .json, "A transaction took long.",
      ["riblet": "Cart", "level": "debug", "list": ["a", ["b": "c"]], "n": .stringConvertible(14)])
    #expect(
      line == #"{"ts":"2026-11-27T09:15:02.007Z","level":"warning","logger":"ribd","msg":"A transaction took long.","#
        + #""source":"RibServer","metadata.level":"debug","list":["a",{"b":"c"}],"n":"14","riblet":"Cart"}"# + "\n")
  }

  /// What a client calls itself, and what it asks for, comes into the log.
  @Test(
    arguments: LogFormat.allCases,
    [
      "x\n2026-11-27T00:00:00.000Z critical ribd: The session store fails.", "a\rb", "\u{1B}[2K\u{1B}[1A", "a\u{85}b",
      "a\u{2028}b\u{2029}c", "a\u{202E}b", "\u{0}\u{7F}\u{9B}31m", "a=\"b\" level=critical", "tail\\",
    ])
  func text_cannotForgeALine(_ format: LogFormat, _ text: String) throws {
    for line in [
      Self.line(format, text), Self.line(format, "A.", ["key": "\(text)"]), Self.line(format, "A.", [text: "v"]),
    ] {
      #expect(line.last == "\n")
      #expect(line.unicodeScalars.filter { $0 == "\n" }.count == 1)
      let controls = line.dropLast().unicodeScalars.filter { scalar in
        scalar.value < 0x20
          || (0x7F...0x9F ~= scalar.value || [0x2028, 0x2029, 0x202E].contains(scalar.value))
      }
      #expect(controls.isEmpty)
      if format == .json { _ = try JSONValue(parsing: String(line.dropLast())) }
    }
    let values = Self.line(.text, "A.", ["key": "\(text)", "last": "1"])
    #expect(values.hasPrefix("2026-11-27T09:15:02.007Z warning ribd: A. key="))
    #expect(values.hasSuffix(" last=1\n"))
  }

  @Test(arguments: LogFormat.allCases) func longText_isCut(_ format: LogFormat) {
    let text = String(repeating: "é", count: 100_000)
    let line = Self.line(format, text, ["key": "\(text)"])
    #expect(line.count < 2 * LogFormat.sizeLimit + 200)
    #expect(line.split(separator: "…").count == 3)
  }

  /// A list can be as long as what a client has sent, and a dictionary as deep.
  @Test func json_isBounded() throws {
    let text = Logger.MetadataValue.string(String(repeating: "x", count: 2000))
    let list = Logger.MetadataValue.array(Array(repeating: text, count: 100_000))
    let deep = (0..<1000).reduce(text) { value, _ in .dictionary(["key": value, "list": list]) }
    for metadata: Logger.Metadata in [
      ["list": list, "last": "x"], ["deep": deep],
      Dictionary(uniqueKeysWithValues: (0..<10_000).map { ("\($0)", text) }),
    ] {
      let line = Self.line(.json, "A.", metadata)
      #expect(line.utf8.count < (LogFormat.valueLimit + 10) * (LogFormat.sizeLimit + 20))
      guard case .object? = try? JSONValue(parsing: String(line.dropLast())) else {
        Issue.record("\(line.prefix(500))")
        continue
      }
      #expect(Self.line(.text, "A.", metadata).utf8.count < (LogFormat.valueLimit + 10) * (LogFormat.sizeLimit + 20))
    }
    let short = Self.line(.json, "A.", ["list": .array(Array(repeating: "x", count: LogFormat.valueLimit - 1))])
    #expect(!short.contains("…"))
    let long = Self.line(.json, "A.", ["list": .array(Array(repeating: "x", count: LogFormat.valueLimit + 1))])
    #expect(long.contains(#""x","…"]"#))
  }

  @Test func json_tellsAllCharacters() throws {
    let text = "a\u{85}\u{2028}\u{202E}\u{E0001}\u{9B}b"
    let json = try JSONValue(parsing: String(Self.line(.json, text).dropLast()))
    guard case .string(text)? = json["msg"] else {
      Issue.record("\(json)")
      return
    }
  }
}
