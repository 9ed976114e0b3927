import Foundation
import RibCore
import Testing
import Wire

@testable import RibSchema

/// The schemas of types, and of values of which no more is known.
@Suite struct JSONSchemaTests {
  private func text(_ schema: JSONSchema) -> String {
    var json = JSONWriter()
    schema.write(into: &json)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  private enum Action: Codable {
    case increment
    case select(Int)
    case move(id: Int, to: Double?)
    case choose(Color, at: [Date])
  }
  private enum Color: String, Codable { case red, green = "grün" }
  private enum Level: Int, Codable { case low = 1, high = 9 }

  @Test func action_hasItsCasesAndTheirPayloads() {
    #expect(
      JSONSchema(decoding: Action.self)
        == .cases([
          .init("increment", .payload([])),
          .init("select", .payload([.init("_0", .integer())])),
          .init("move", .payload([.init("id", .integer()), .init("to", .number, isRequired: false)])),
          .init(
            "choose",
            .payload([
              .init("_0", .constants([.string("red"), .string("grün")])),
              .init("at", .array(.string(format: "date-time"))),
            ])),
        ]))
  }

  @Test func enumOfRawValues_isThese() {
    #expect(text(JSONSchema(decoding: Color.self)) == #"{"enum":["red","grün"]}"#)
    // How numbers are stored is not known: an enum that C knows has its raw values in memory.
    #expect(JSONSchema(decoding: Level.self) == .integer())
  }

  private struct Profile: Codable, Equatable {
    struct Address: Codable, Equatable { var street: String, number: UInt8? }
    var name: String
    var address: Address
    var tags: Set<String>
    var scores: [String: Float]
    var levels: [Level: Int]
    var home: URL?
    var id: UUID
    var photo: Data
    var price: Decimal
    var isPublic: Bool
    var history: [Date?]
    var best: Result?
    enum Result: Codable, Equatable { case won(by: Int), lost }
  }

  @Test func structure_hasItsProperties_inTheirOrder() {
    #expect(
      JSONSchema(decoding: Profile.self)
        == .object([
          .init("name", .string()),
          .init(
            "address",
            .object([
              .init("street", .string()),
              .init("number", .integer(minimum: .integer(0), maximum: .integer(255)), isRequired: false),
            ])),
          .init("tags", .array(.string())),
          .init("scores", .dictionary(.number)),
          .init("levels", .unknown("Dictionary<Level, Int> is an array of keys and values in turn.")),
          .init("home", .string(format: "uri"), isRequired: false),
          .init("id", .string(format: "uuid")),
          .init("photo", .base64),
          .init("price", .decimal),
          .init("isPublic", .boolean),
          .init("history", .array(.nullable(.string(format: "date-time")))),
          .init(
            "best", .cases([.init("won", .payload([.init("by", .integer())])), .init("lost", .payload([]))]),
            isRequired: false),
        ]))
  }

  private final class Tree: Decodable {
    let label: String
    let parent: Tree?
    let children: [Tree]
  }

  private indirect enum Expression: Codable { case number(Int), sum(Expression, Expression) }

  @Test func recursion_endsWhereItBegins() {
    #expect(
      JSONSchema(decoding: Tree.self)
        == .object([
          .init("label", .string()), .init("parent", .unknown("Tree contains itself."), isRequired: false),
          .init("children", .array(.unknown("Tree contains itself."))),
        ]))
    guard case .cases(let cases) = JSONSchema(decoding: Expression.self), cases.count == 2 else {
      Issue.record("an enum is its cases")
      return
    }
    #expect(cases[0] == .init("number", .payload([.init("_0", .integer())])))
    #expect(text(cases[1].schema).contains("contains itself"))
  }

  private struct Percent: Decodable {
    let value: Int
    init(from decoder: any Decoder) throws {
      value = try decoder.singleValueContainer().decode(Int.self)
      guard 1...100 ~= value else {
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "0 is no percentage"))
      }
    }
  }

  private struct Choosy: Decodable {
    let first: Int
    let second: Percent
    let third: String
  }

  @Test func initByHand_thatRefusesZero_tellsWhatItAskedFor() {
    #expect(JSONSchema(decoding: Percent.self) == .integer())
    let schema = JSONSchema(decoding: Choosy.self)
    guard case .object(let properties, let comment) = schema else {
      Issue.record("\(schema)")
      return
    }
    #expect(properties == [.init("first", .integer()), .init("second", .integer())])
    #expect(comment?.contains("no example of Percent") == true)
  }

  private struct Lines: Decodable {
    struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      var index = 0
      while container.contains(Key(stringValue: "line\(index)")) {
        _ = try container.decode(String.self, forKey: Key(stringValue: "line\(index)"))
        index += 1
      }
    }
  }

  private struct Greedy: Decodable {
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      while (try? container.decode(Int.self)) != nil {}
    }
  }

  private struct Pair: Decodable {
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      _ = try (container.decode(String.self), container.decode(Int.self))
    }
  }

  @Test func initByHand_thatAsksWithoutEnd_isEnded() {
    guard case .object(let properties, _) = JSONSchema(decoding: Lines.self) else {
      Issue.record("it asks for an object")
      return
    }
    #expect(properties.count > 100)
    #expect(JSONSchema(decoding: Greedy.self) == .array(.integer()))
    #expect(JSONSchema(decoding: Pair.self) == .array(.unknown("The elements are of several kinds.")))
  }

  private enum Tagged: Decodable {
    case small(Int)
    enum CodingKeys: CodingKey { case type, size }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      guard try container.decode(String.self, forKey: .type) == "small" else { throw CancellationError() }
      self = .small(try container.decode(Int.self, forKey: .size))
    }
  }

  private enum Named: Int, Decodable {
    case low
    init(from decoder: any Decoder) throws {
      guard try decoder.singleValueContainer().decode(String.self) == "low" else { throw CancellationError() }
      self = .low
    }
  }

  @Test func enumThatIsDecodedByHand_isWhatItAsksFor() {
    guard case .object(let properties, let comment) = JSONSchema(decoding: Tagged.self) else {
      Issue.record("it asks for an object")
      return
    }
    #expect(properties == [.init("type", .string())] && comment?.contains("did not decode to its end") == true)
    #expect(JSONSchema(decoding: Named.self) == .string())
  }

  private struct Task: Decodable { let level: Level, title: String }

  private struct Deep: Decodable {
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Lines.Key.self)
      if container.contains(Lines.Key(stringValue: "child")) {
        _ = try Deep(from: container.superDecoder(forKey: Lines.Key(stringValue: "child")))
      }
    }
  }

  @Test func enumOfIntegers_hidesNoOther_andNestingEnds() {
    #expect(JSONSchema(decoding: Task.self) == .object([.init("level", .integer()), .init("title", .string())]))
    guard case .object(_, let comment) = JSONSchema(decoding: Deep.self) else {
      Issue.record("it asks for an object")
      return
    }
    #expect(comment?.contains("did not decode to its end") == true)
  }

  private final class Linked: Decodable, JSONSchemaProviding {
    static let schema = JSONValue.object(["description": .string("a list")])
    let next: Linked?
    let children: [Linked]
  }

  private enum Shade: String, Decodable, JSONSchemaProviding {
    static let schema = JSONValue.object(["type": .string("string")])
    case light, dark
  }

  private struct Wall: Decodable { let shade: Shade, size: Int }

  @Test func typeThatSaysItself_mayContainItself_andHidesNoOther() {
    #expect(JSONSchema(decoding: Linked.self) == .custom(Linked.schema))
    #expect(
      JSONSchema(decoding: Wall.self)
        == .object([.init("shade", .custom(Shade.schema)), .init("size", .integer())]))
  }

  private struct Hex: Codable, JSONSchemaProviding {
    static let schema = JSONValue.object(["type": .string("string"), "pattern": .string("^#[0-9a-f]{6}$")])
    var text = "#000000"
  }

  private struct Painted: Codable { var color = Hex() }

  @Test func type_maySayItself() {
    #expect(
      text(JSONSchema(decoding: Painted.self))
        == #"{"type":"object","properties":{"color":{"pattern":"^#[0-9a-f]{6}$","type":"string"}},"required":["color"]}"#
    )
  }

  @Test func schema_isWrittenAsJSONSchema() {
    #expect(
      text(JSONSchema(decoding: Action.self)).hasPrefix(
        #"{"oneOf":[{"title":"increment","type":"object","properties":{"increment":{"type":"object","properties":{},"#
          + #""additionalProperties":false}},"required":["increment"],"additionalProperties":false},"#))
    #expect(text(.nothing) == "false")
    #expect(text(.nullable(.base64)) == #"{"anyOf":[{"type":"string","contentEncoding":"base64"},{"type":"null"}]}"#)
    #expect(text(.dictionary(.boolean)) == #"{"type":"object","additionalProperties":{"type":"boolean"}}"#)
    #expect(text(.unknown("why")) == #"{"$comment":"why"}"#)
  }

  // MARK: Values of which only this is known

  private struct Shown: Encodable, Equatable {
    struct Row: Encodable, Equatable { let id: Int, title: String? }
    let rows: [Row]
    let none: [Row]
    let color: Color
    let when: Date
    let note: String?
  }

  @Test func value_thatOnlyEncodes_isDescribedByItsDeclaration() {
    let value = Shown(
      rows: [.init(id: 1, title: nil)], none: [], color: .red, when: Date(timeIntervalSince1970: 0), note: nil)
    let row = JSONSchema.object([.init("id", .integer()), .init("title", .string(), isRequired: false)])
    #expect(
      JSONSchema(encoding: value)
        == .object([
          .init("rows", .array(row)), .init("none", .array(row)),
          .init("color", .constants([.string("red"), .string("grün")])),
          .init("when", .string(format: "date-time")), .init("note", .string(), isRequired: false),
        ]))
  }

  private struct Containers: Encodable {
    struct Item: Encodable, Identifiable { let id: UUID, next: [Item]? }
    enum Choice: Encodable { case one(Int), two }
    var numbers: [String: Double] = [:]
    var items: IdentifiedArray<Item> = []
    var tags: Set<String> = []
    var gaps: [Int?] = []
    var choices: [Choice] = []
    var places: [[Color]] = []
    var item: Item?
  }

  @Test func containers_thatAreEmpty_areDescribedByTheirElements() {
    let inner = JSONSchema.object([
      .init("id", .string(format: "uuid")), .init("next", .array(.unknown("Item contains itself.")), isRequired: false),
    ])
    let unknown = "The view has had no Choice yet, and its declaration does not say how it is encoded."
    let color = JSONSchema.constants([.string("red"), .string("grün")])
    let expected = JSONSchema.object([
      .init("numbers", .dictionary(.number)), .init("items", .array(inner)), .init("tags", .array(.string())),
      .init("gaps", .array(.nullable(.integer()))), .init("choices", .array(.unknown(unknown))),
      .init("places", .array(.array(color))), .init("item", inner, isRequired: false),
    ])
    #expect(JSONSchema(encoding: Containers()) == expected)
    // What a value has says no more of these.
    let filled = Containers(
      numbers: ["a": 1], items: [.init(id: UUID(), next: nil)], tags: ["b"], gaps: [1], places: [[.red]],
      item: .init(id: UUID(), next: nil))
    #expect(JSONSchema(encoding: filled) == expected)
  }

  private struct Parts: Encodable {
    enum CodingKeys: CodingKey { case shown }
    struct Name: RawRepresentable, Codable { var rawValue: String }
    var shown: [Name] = []
    var hidden = 1
  }

  private struct Unseen: Encodable {
    var names: [Parts.Name] = []
    var ranges: [Range<Int>] = []
    var kept: [Wrapped] = []
    struct Wrapped: Encodable {
      @Doubled var number = 1
    }
    @propertyWrapper struct Doubled: Encodable {
      var wrappedValue: Int
    }
  }

  @Test func member_thatIsNeverEncoded_isNotPromised() {
    #expect(
      JSONSchema(encoding: Parts())
        == .object(
          [.init("shown", .array(.string()), isRequired: false)],
          comment: "Parts encodes itself: these members were in its first value, and there may be others."))
  }

  @Test func elements_thatEncodeThemselves_areNotGuessed() {
    guard case .object(let members, nil) = JSONSchema(encoding: Unseen()) else {
      Issue.record("it is an object by its declaration")
      return
    }
    #expect(members.map(\.name) == ["names", "ranges", "kept"])
    #expect(members[0].schema == .array(.string()))
    for member in members.dropFirst() {
      guard case .array(.unknown) = member.schema else {
        Issue.record("\(member)")
        continue
      }
    }
  }

  private struct Renamed: Encodable {
    enum CodingKeys: String, CodingKey { case count = "n", note }
    var count = 1
    var note: String?
  }

  @Test func value_thatEncodesUnderOtherNames_isDescribedAsItIs() {
    #expect(
      JSONSchema(encoding: Renamed())
        == .object(
          [.init("n", .integer(), isRequired: false)],
          comment: "Renamed encodes itself: these members were in its first value, and there may be others."))
  }

  private struct Broken: Encodable {
    func encode(to encoder: any Encoder) throws { throw CancellationError() }
  }

  @Test func value_thatDoesNotEncode_saysSo() {
    guard case .unknown(let reason) = JSONSchema(encoding: Broken()) else {
      Issue.record("it cannot be known")
      return
    }
    #expect(reason.hasPrefix("Broken does not encode"))
  }
}
