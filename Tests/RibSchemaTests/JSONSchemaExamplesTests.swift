import Foundation
import RibCore
import Testing
import Wire

@testable import RibSchema

/// Values that are made up from a schema decode, and have all in them that may be there.
@Suite struct JSONSchemaExamplesTests {
  private struct Everything: Codable, Equatable {
    var date: Date
    var link: URL
    var id: UUID
    var bytes: Data
    var text: String?
    var price: Decimal
    var flag: Bool
    var ratio: Double
    var numbers: [Int]
    var named: [String: Choice]
    var choice: Choice
    var level: Level
    var pages: Stack<Choice>
    var tabs: Tabs<Level>
    var detail: Slot<Int>
    var rows: Items<Choice>
  }
  private enum Choice: Codable, Hashable { case none, some(Int), both(a: String, b: [Bool]) }
  private enum Level: String, Codable { case low, high }

  private func decode(_ json: JSONValue?) throws -> Everything {
    try StateCoder.decode(from: try StateCoder.read(#require(json).text))
  }

  @Test func fullExamples_haveEachCase() throws {
    let schema = JSONSchema(decoding: Everything.self)
    #expect(schema.gap == nil)
    #expect(schema.caseCount == 3)
    let values = try (0..<3).map { try decode(schema.example($0, isFull: true, base: nil)) }
    #expect(values.map(\.choice) == [.none, .some(0), .both(a: "text", b: [true])])
    #expect(values.map(\.level) == [.low, .high, .low])
    #expect(values.map { $0.pages.contents.entries.map(\.config) } == values.map { [$0.choice] })
    for value in values {
      #expect(value.text == "text" && value.numbers == [0] && value.named["1"] == value.choice && value.price == 1)
      #expect(value.detail.config == 0 && value.rows.configs == [value.choice])
    }
  }

  @Test func leastExample_hasWhatIsRequired() throws {
    struct Small: Codable, Equatable { var text: String?, numbers: [Int], flag: Bool }
    let json = JSONSchema(decoding: Small.self).example(0, isFull: false, base: nil)
    #expect(json?.text == #"{"flag":true,"numbers":[]}"#)
  }

  @Test func unknownMember_comesFromTheBase_orThereIsNoExample() {
    let schema = JSONSchema.object([.init("what", .unknown("?")), .init("count", .integer())])
    #expect(schema.example(0, isFull: true, base: nil) == nil)
    #expect(
      schema.example(0, isFull: true, base: .object(["what": .bool(true), "count": .integer(9)]))
        == .object(["what": .bool(true), "count": .integer(0)]))
  }

  @Test func gap_isTheFirstPlaceThatIsNotKnown() {
    #expect(JSONSchema.array(.object([], comment: "no end")).gap == "no end")
    #expect(JSONSchema.object([.init("a", .cases([.init("b", .object([], comment: "c"))]))]).gap == "c")
    #expect(JSONSchema.object([.init("a", .integer())]).gap == nil)
  }
}
