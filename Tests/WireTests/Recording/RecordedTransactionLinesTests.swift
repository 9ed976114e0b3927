import Foundation
import Testing
import Wire

struct RecordedTransactionLinesTests {
  typealias Transaction = RecordedTransaction

  private static let effect = Transaction.Effect(node: 4, type: "Search", key: "s-3-1", id: "search")
  private static let nameless = Transaction.Effect(node: 4, type: "Search", key: "s-3-2", id: nil)

  static let table: [(line: String, transaction: Transaction)] = [
    (
      #"{"t":"start","tx":1,"at":5,"draws":[{"uuid":"A"},{"clock":[0,18446744073709551615]}],"view":{"root":1,"nodes":{}}}"#,
      Transaction(
        number: 1, time: 5, event: .start,
        draws: [.init(name: "uuid", value: #""A""#), .init(name: "clock", value: "[0,18446744073709551615]")],
        outcome: .view(#"{"root":1,"nodes":{}}"#))
    ),
    (
      #"{"t":"restore","tx":9,"at":5,"snapshot":{"root":1},"view":{}}"#,
      Transaction(number: 9, time: 5, event: .restore(#"{"root":1}"#), outcome: .view("{}"))
    ),
    (
      #"{"t":"act","tx":2,"at":5,"client":1,"n":7,"to":1,"a":{"roll":{}},"ops":[{"op":"remove","path":"/a"}]}"#,
      Transaction(
        number: 2, time: 5, event: .act(.init(id: 1, number: 7), to: .id(1), action: #"{"roll":{}}"#),
        outcome: .patch(#"[{"op":"remove","path":"/a"}]"#))
    ),
    (
      #"{"t":"act","at":5,"to":"a[0]","a":"x","refused":{"code":"bad_action","message":"No \"x\"."}}"#,
      Transaction(
        number: nil, time: 5, event: .act(nil, to: .path("a[0]"), action: #""x""#),
        outcome: .refused(.badAction, #"No "x"."#))
    ),
    (
      #"{"t":"back","tx":2,"at":5,"client":2,"n":1,"to":"","ops":[]}"#,
      Transaction(
        number: 2, time: 5, event: .back(.init(id: 2, number: 1), to: .path("")), outcome: .patch("[]"))
    ),
    (
      #"{"t":"active","tx":2,"at":5,"active":false,"ops":[]}"#,
      Transaction(number: 2, time: 5, event: .setActive(false), outcome: .patch("[]"))
    ),
    (
      #"{"t":"report","tx":4,"at":5,"node":4,"type":"Search","key":"s-3-1","effect":"search","action":{"found":{"_0":["a"]}},"ops":[]}"#,
      Transaction(
        number: 4, time: 5, event: .report(effect, .action(#"{"found":{"_0":["a"]}}"#)), outcome: .patch("[]"))
    ),
    (
      #"{"t":"report","tx":4,"at":5,"node":4,"type":"Search","key":"s-3-2","output":"closed","ops":[]}"#,
      Transaction(number: 4, time: 5, event: .report(nameless, .output(#""closed""#)), outcome: .patch("[]"))
    ),
    (
      #"{"t":"report","tx":4,"at":5,"node":4,"type":"Search","key":"s-3-2","opaque":"found(1)","ops":[]}"#,
      Transaction(number: 4, time: 5, event: .report(nameless, .opaque("found(1)")), outcome: .patch("[]"))
    ),
    (
      #"{"t":"ended","at":5,"node":4,"type":"Search","key":"s-3-1","effect":"search","failed":true}"#,
      Transaction(number: nil, time: 5, event: .ended(effect, hasFailed: true), outcome: .nothing)
    ),
    (
      #"{"t":"walk","tx":3,"at":5,"node":1,"type":"Root","ops":[]}"#,
      Transaction(number: 3, time: 5, event: .walk(node: 1, type: "Root"), outcome: .patch("[]"))
    ),
  ]

  static let header = #"{"t":"session","version":1,"build":"0.1","app":"a","sid":"s"}"#

  @Test(arguments: table) func transaction_isWritten(line: String, transaction: Transaction) {
    var json = JSONWriter()
    transaction.write(into: &json)
    #expect(String(decoding: json.bytes, as: UTF8.self) == line)
  }

  @Test(arguments: table) func transaction_isRead(line: String, transaction: Transaction) throws {
    let recording = try SessionRecording(parsing: Array("\(Self.header)\n\(line)\n".utf8))
    let entry = try #require(recording.lives.first?.entries.first)
    #expect(entry.line == 2)
    #expect(entry.transaction == transaction)
  }

  /// The article has a line of each kind.
  @Test func article_isTrueToTheByte() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let article = root.appendingPathComponent("Sources/RibTesting/RibTesting.docc/Recordings.md")
    let blocks = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```json\n").dropFirst()
      .compactMap { $0.components(separatedBy: "\n```").first }
    let recording = try SessionRecording(parsing: Array(blocks.joined(separator: "\n").utf8))
    var json = JSONWriter()
    recording.lives[0].header.write(into: &json)
    var lines = [String(decoding: json.bytes, as: UTF8.self)]
    for entry in recording.lives[0].entries {
      json.removeAll()
      entry.transaction.write(into: &json)
      lines.append(String(decoding: json.bytes, as: UTF8.self))
    }
    #expect(lines == blocks.joined(separator: "\n").components(separatedBy: "\n"))
    #expect(recording.lives[0].entries.count == 9)
  }

  @Test func actionOfSeveralLines_isWrittenOnOne() {
    let action = "{\n  \"say\": \"a\\nb\"\r\n}"
    var json = JSONWriter()
    Transaction(number: 1, time: 0, event: .act(nil, to: .id(1), action: action), outcome: .patch("[]"))
      .write(into: &json)
    let text = String(decoding: json.bytes, as: UTF8.self)
    #expect(!text.utf8.contains(10) && !text.utf8.contains(13))
    #expect(text.contains(#"{   "say": "a\nb"  }"#))
  }

  @Test(arguments: [
    #"{"t":"act","at":5,"to":1,"ops":[]}"#, #"{"t":"act","at":5,"a":{},"ops":[]}"#, #"{"t":"restore","at":5}"#,
    #"{"t":"report","at":5,"node":"x","key":"k","action":1}"#, #"{"t":"report","at":5,"node":1,"key":"k"}"#,
    #"{"t":"ended","at":5,"node":1}"#, #"{"t":"dance","at":5}"#, "{}", "1",
    #"{"t":"start","at":5,"refused":{"code":"whim"}}"#,
  ]) func lineThatLacksSomething_isNamed(line: String) {
    #expect {
      _ = try SessionRecording(parsing: Array("\(Self.header)\n\(line)\n".utf8))
    } throws: { error in
      "\(error)".hasPrefix("Line 2 is damaged: ")
    }
  }
}
