import Testing
import Wire

@testable import RibSchema

/// How the shape of what is saved may change.
@Suite struct ShapeChangeTests {
  private func changes<Old: Decodable, New: Decodable>(_ old: Old.Type, _ new: New.Type) -> [ShapeChange] {
    ShapeChange.between(JSONSchema(decoding: old).json, JSONSchema(decoding: new).json)
  }

  private struct Cart: Codable { var items: [String: Item], note: String?, state: Phase }
  private struct Item: Codable { var name: String, price: Int }
  private enum Phase: Codable { case open, paid(by: String) }

  @Test func sameShape_hasNoChanges() { #expect(changes(Cart.self, Cart.self) == []) }

  @Test func members_areNamedByTheirPlaces() {
    struct OtherItem: Codable { var title: String, price: Double, size: Int?, weight: Int }
    struct OtherCart: Codable { var items: [String: OtherItem], note: String, state: Phase }
    #expect(
      changes(Cart.self, OtherCart.self) == [
        ShapeChange("/items/*/name", .removed(renamedTo: "title")), ShapeChange("/items/*/size", .added),
        ShapeChange("/items/*/title", .required), ShapeChange("/items/*/weight", .required),
        ShapeChange("/note", .required),
      ])
  }

  @Test func cases_areNamed() {
    enum Other: Codable { case open, paid(by: Int, at: Int?), lost }
    enum Less: Codable { case paid(by: String) }
    #expect(
      changes(Phase.self, Other.self) == [
        ShapeChange("/paid/by", .retyped(from: "a string", to: "an integer")), ShapeChange("/paid/at", .added),
        ShapeChange("/lost", .added),
      ])
    #expect(changes(Phase.self, Less.self) == [ShapeChange("", .caseGone("open"))])
  }

  @Test func texts_ofAnEnum_areNamed() {
    enum Old: String, Codable { case a, b }
    enum New: String, Codable { case b, c }
    #expect(changes(Old.self, New.self) == [ShapeChange("", .caseGone("a")), ShapeChange("/c", .added)])
    #expect(changes(Old.self, String.self) == [])
    #expect(changes(String.self, Old.self) == [ShapeChange("", .retyped(from: "a string", to: "an enum of texts"))])
  }

  @Test(arguments: [
    (JSONSchema.array(.integer()), JSONSchema.array(.nullable(.integer())), true),
    (.array(.nullable(.integer())), .array(.integer()), false), (.integer(), .number, true),
    (.number, .integer(), false), (.string(format: "date-time"), .string(), false), (.base64, .string(), false),
    (.array(.integer()), .integer(), false), (.dictionary(.integer()), .object([]), false),
    (.secret(.string()), .secret(.integer()), true),
    (.unknown("?"), .integer(), true), (.integer(), .unknown("?"), true), (.boolean, .integer(), false),
  ]) func kinds(_ old: JSONSchema, _ new: JSONSchema, isFine: Bool) {
    let changes = ShapeChange.between(old.json, new.json)
    #expect(changes.contains { $0.isBreak } == !isFine, "\(changes)")
  }
}
