import Testing
import Wire

struct SessionRecordingTests {
  private static let header = #"{"t":"session","version":1,"build":"0.1","app":"a","sid":"s","params":{"x":1}}"#
  private static let start = #"{"t":"start","tx":1,"at":5,"view":{"n":0}}"#
  private static let act =
    #"{"t":"act","tx":2,"at":5,"to":1,"a":"x","ops":[{"op":"replace","path":"/n","value":1}]}"#

  private func read(_ lines: String...) throws -> SessionRecording {
    try SessionRecording(parsing: Array(lines.joined(separator: "\n").utf8))
  }

  @Test func header_isWrittenAsItIsRead() throws {
    let header = SessionRecording.Header(build: "0.1", app: "a", session: "s", parameters: #"{"x":1}"#)
    var json = JSONWriter()
    header.write(into: &json)
    #expect(String(decoding: json.bytes, as: UTF8.self) == Self.header)
    #expect(try read(Self.header, Self.start).lives.first?.header == header)
  }

  @Test func lives_followOneAnother() throws {
    let recording = try read(Self.header, Self.start, Self.act, Self.header, Self.start, "")
    #expect(recording.lives.map { $0.entries.map(\.line) } == [[2, 3], [5]])
    #expect(recording.tornLines == [])
  }

  @Test func lineThatIsCutOff_isLeftOut_wherever() throws {
    for count in 1..<Self.act.utf8.count {
      let cut = String(Self.act.prefix(count))
      let atTheEnd = try read(Self.header, Self.start, cut)
      #expect(atTheEnd.tornLines == [3])
      #expect(atTheEnd.lives.map(\.entries.count) == [1])
      let before = try read(Self.header, Self.start, cut, Self.header, Self.start)
      #expect(before.tornLines == [3])
      #expect(before.lives.map(\.entries.count) == [1, 1])
    }
    #expect(try read(Self.header, Self.start, Self.act).lives.map(\.entries.count) == [2])
  }

  @Test func lineThatIsCutOff_withOthersAfterIt_isAnError() {
    #expect(throws: SessionRecordingError.self) { try read(Self.header, "{", Self.start) }
    #expect(throws: SessionRecordingError.self) { try read(Self.header, Self.start, "{", "{") }
  }

  @Test func newerFormat_isRefused() {
    let header = #"{"t":"session","version":2,"build":"9.9","app":"a","sid":"s"}"#
    #expect(throws: SessionRecordingError.newer(line: 1, version: 2, build: "9.9")) { try read(header, Self.start) }
  }

  @Test func transactionWithoutAHeader_isAnError() {
    #expect(throws: SessionRecordingError.malformed(line: 1, reason: "A recording begins with a session line.")) {
      try read(Self.start)
    }
  }

  @Test(arguments: ["", "\n", header, header + "\n", header + "\n{"])
  func recordingWithoutATransaction_isEmpty(text: String) {
    #expect(throws: SessionRecordingError.empty) { try SessionRecording(parsing: Array(text.utf8)) }
  }

  @Test func lifeWithoutATransaction_isLeftOut() throws {
    #expect(try read(Self.header, Self.header, Self.start).lives.count == 1)
  }

  @Test func parameters_areDecoded() throws {
    struct Parameters: Decodable, Equatable { var x: Int? }
    #expect(try read(Self.header, Self.start).parameters(as: Parameters.self) == Parameters(x: 1))
    let without = #"{"t":"session","version":1,"build":"0.1","app":"a","sid":"s"}"#
    #expect(try read(without, Self.start).parameters(as: Parameters.self) == Parameters(x: nil))
  }

  @Test func operations_giveTheView() throws {
    var view = JSONValue.null
    for entry in try read(Self.header, Self.start, Self.act).lives[0].entries { try entry.transaction.apply(to: &view) }
    #expect(view == .object(["n": .integer(1)]))
  }
}
