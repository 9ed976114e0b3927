import Foundation

@testable import Wire

/// A value of some type, as Foundation codes it and as we do.
struct CodableSample: Sendable {
  let name: String
  /// The JSON that Foundation's encoder writes.
  let theirs: @Sendable () throws -> String
  /// The JSON that ours writes.
  let ours: @Sendable () throws -> String
  /// Whether our decoder makes the value of a text.
  let isDecoded: @Sendable (String) throws -> Bool

  init<Value: Codable & Equatable & SendableMetatype>(_ name: String, _ make: @escaping @Sendable () -> Value) {
    self.name = name
    theirs = { String(decoding: try JSONEncoder().encode(make()), as: UTF8.self) }
    ours = { try JSONWriter.text { json throws(CaptureError) in try ViewEncoder().write(make(), into: &json) } }
    isDecoded = { try ActionDecoder.decodeValue(Value.self, from: JSONElement(parsing: $0)) == make() }
  }

  static let all: [CodableSample] = simple + collections + structures + enums + byHand

  private static let simple = [
    CodableSample("true") { true }, CodableSample("int") { -42 }, CodableSample("uint64") { UInt64.max },
    CodableSample("int128") { Int128.min }, CodableSample("uint128") { UInt128.max }, CodableSample("double") { 0.1 },
    CodableSample("whole double") { 1e15 }, CodableSample("large double") { 1.7976931348623157e308 },
    CodableSample("small double") { Double.leastNonzeroMagnitude }, CodableSample("-0") { -0.0 },
    CodableSample("float") { Float(0.1) }, CodableSample("large float") { Float.greatestFiniteMagnitude },
    CodableSample("string") { "a\u{0}\u{1F}\"\\/\u{7F}\u{2028}\u{E9}e\u{301}\u{1F600}" },
    CodableSample("empty string") { "" },
    CodableSample("nil") { Int?.none }, CodableSample("some") { Int?.some(1) },
    CodableSample("every simple type") { Simple() },
    CodableSample("uuid") { UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255)) },
  ]

  private static let collections = [
    CodableSample("array") { [1, 2, 3] }, CodableSample("empty array") { [Int]() },
    CodableSample("array of optionals") { [1, nil, 3] as [Int?] },
    CodableSample("array of strings") { ["", "a", "\u{E9}"] },
    CodableSample("nested arrays") { [[[1], []], [], [[2, 3]]] },
    CodableSample("array of floats") { [0.1, 1] as [Float] },
    CodableSample("array of bools") { [true, false] }, CodableSample("array of int128") { [Int128.max, 0] },
    CodableSample("dictionary") { ["a": 1, "b": 2, "": 3, "a/b": 4, "\u{E9}": 5] },
    CodableSample("empty dictionary") { [String: Int]() },
    CodableSample("dictionary by number") { [1: "a", -2: "b", 0: "c"] },
    CodableSample("dictionary of optionals") { ["a": 1, "b": nil] as [String: Int?] },
    CodableSample("nested dictionaries") { ["a": ["b": ["c": [1]]], "d": [:]] },
    CodableSample("set of one") { Set(["a"]) }, CodableSample("range") { 1..<5 },
    CodableSample("dictionary of structures") { ["x": Address(street: "s", number: 1), "y": Address(street: "t")] },
  ]

  private static let person = Person(
    name: "Ada", nickname: nil, age: 36, tags: ["x", "y"], address: Address(street: "St James's", number: nil),
    friends: [Person(name: "B", nickname: "b", age: 0, tags: [], address: nil)])

  private static let structures = [
    CodableSample("structure") { person }, CodableSample("empty structure") { Empty() },
    CodableSample("holds empty structures") { HoldsEmpty(list: [Empty(), Empty()], none: Empty()) },
    CodableSample("keys that need escapes") { Renamed(first: 1, second: ["~": 2]) },
    CodableSample("generic") { Pair(first: Pair(first: 1.5, second: "a"), second: [Wrapped("b")]) },
    CodableSample("generic optional") { Pair(first: Int?.none, second: Int?.some(3)) },
    CodableSample("array of structures") { [person, person] },
    CodableSample("class") { Animal(legs: 4) }, CodableSample("subclass with super") { Dog(legs: 4, name: "Rex") },
    CodableSample("subclass in one object") { Bird(canFly: true) },
    CodableSample("array of subclasses") { [Dog(legs: 3, name: ""), Dog(legs: 4, name: "Rex")] },
  ]

  private static let enums = [
    CodableSample("raw string") { Tab.finance }, CodableSample("raw int") { [Level.low, .high] },
    CodableSample("case") { Screen.empty }, CodableSample("case with an array") { Screen.list([1, 2]) },
    CodableSample("case with labels") { Screen.detail(id: 1, title: "t") },
    CodableSample("case with a nil label") { Screen.detail(id: 1, title: nil) },
    CodableSample("case of two") { Screen.pair(1, "a") },
    CodableSample("case with a raw string") { Screen.tab(.home) },
    CodableSample("case with nil") { Screen.optional(nil) },
    CodableSample("case with some") { Screen.optional(0) },
    CodableSample("case in a case") { Screen.nested(.nested(.empty, level: .high), level: .low) },
    CodableSample("cases") { [Screen.empty, .list([]), .empty] },
    CodableSample("tree") { Tree.branch(left: .leaf(0.5), right: .branch(left: .leaf(1), right: .leaf(-2))) },
    CodableSample("dictionary of cases") { ["a": Screen.empty, "b": .tab(.finance)] },
  ]

  private static let byHand = [
    CodableSample("single value") { Wrapped("a") }, CodableSample("single values") { [Wrapped("a"), Wrapped("")] },
    CodableSample("nested by hand") {
      ByHand(x: 1, y: 2.5, names: ["a", "b"], address: Address(street: "s"), maybe: nil)
    },
    CodableSample("nested by hand, more") {
      ByHand(x: -1, y: 0, names: [], address: Address(street: "", number: 1), maybe: 7)
    },
  ]
}

extension CodableSample: CustomStringConvertible {
  var description: String { name }
}
