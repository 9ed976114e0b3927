import RibTestSupport
import Testing

@testable import Wire

@Suite("Differences between two values")
struct ViewEncoderTests {
  // MARK: Which operations

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let write: @Sendable (inout PatchWriter) throws(CaptureError) -> Void
    let operations: [String]

    init<Value: Encodable & Sendable>(_ name: String, _ old: Value, _ new: Value, _ operations: String...) {
      testDescription = name
      write = { patch throws(CaptureError) in
        try ViewEncoder(prefersShorter: false).writeDifference(from: old, to: new, into: &patch)
      }
      self.operations = operations
    }
  }

  struct Counter: Encodable {
    var count: Int
    var isNegative = false
  }

  static let ada = Person(name: "Ada", age: 36, tags: ["a", "b"], address: Address(street: "s", number: 1))

  private static func ada(_ change: (inout Person) -> Void) -> Person {
    var person = ada
    change(&person)
    return person
  }

  static let properties: [Row] = [
    Row("nothing", ada, ada),
    Row("one number", Counter(count: 1), Counter(count: 2), #"{"op":"replace","path":"/count","value":2}"#),
    Row(
      "all properties", Counter(count: 1), Counter(count: -1, isNegative: true),
      #"{"op":"replace","path":"/count","value":-1}"#, #"{"op":"replace","path":"/isNegative","value":true}"#),
    Row("nil to a value", ada, ada { $0.nickname = "x" }, #"{"op":"add","path":"/nickname","value":"x"}"#),
    Row("a value to nil", ada { $0.nickname = "x" }, ada, #"{"op":"remove","path":"/nickname"}"#),
    Row("deep inside", ada, ada { $0.address?.number = 2 }, #"{"op":"replace","path":"/address/number","value":2}"#),
    Row("nil deep inside", ada, ada { $0.address?.number = nil }, #"{"op":"remove","path":"/address/number"}"#),
    Row("nil instead of an object", ada, ada { $0.address = nil }, #"{"op":"remove","path":"/address"}"#),
    Row(
      "an object instead of nil", ada { $0.address = nil }, ada,
      #"{"op":"add","path":"/address","value":{"street":"s","number":1}}"#),
    Row("a whole number", 1, 2, #"{"op":"replace","path":"","value":2}"#),
    Row("a value for nil, at the top", Int?.none, 2, #"{"op":"replace","path":"","value":2}"#),
    Row("nil for an object, at the top", Optional(ada), nil, #"{"op":"replace","path":"","value":null}"#),
    Row(
      "keys that need escapes", Renamed(first: 1, second: ["~": 2]), Renamed(first: 2, second: ["~": 3]),
      #"{"op":"replace","path":"/a~1b~0c","value":2}"#, #"{"op":"replace","path":"/k\"é/~0","value":3}"#),
    Row(
      "nil in a generic property, which is null", Pair(first: Int?.none, second: 1), Pair(first: 1, second: 1),
      #"{"op":"replace","path":"/first","value":1}"#),
  ]

  static let arrays: [Row] = [
    Row("append", [1, 2], [1, 2, 3], #"{"op":"add","path":"/2","value":3}"#),
    Row("prepend", [1, 2], [0, 1, 2], #"{"op":"add","path":"/0","value":0}"#),
    Row(
      "insert", [1, 2], [1, 5, 6, 2], #"{"op":"add","path":"/1","value":5}"#, #"{"op":"add","path":"/2","value":6}"#),
    Row("remove the first", [1, 2, 3], [2, 3], #"{"op":"remove","path":"/0"}"#),
    Row("remove from within", [1, 2, 3, 4], [1, 4], #"{"op":"remove","path":"/2"}"#, #"{"op":"remove","path":"/1"}"#),
    Row("remove the last", [1, 2, 3], [1, 2], #"{"op":"remove","path":"/2"}"#),
    Row("remove all", ["a", "b"], [], #"{"op":"remove","path":"/1"}"#, #"{"op":"remove","path":"/0"}"#),
    Row("the first of all", [], ["a"], #"{"op":"add","path":"/0","value":"a"}"#),
    Row("one of the same", [7, 7, 7], [7, 7], #"{"op":"remove","path":"/2"}"#),
    Row("one more of the same", [7, 7], [7, 7, 7], #"{"op":"add","path":"/2","value":7}"#),
    Row("replace", [1, 2, 3], [1, 9, 3], #"{"op":"replace","path":"/1","value":9}"#),
    Row(
      "replace and append", [1, 2], [1, 8, 9], #"{"op":"add","path":"/2","value":9}"#,
      #"{"op":"replace","path":"/1","value":8}"#),
    Row(
      "replace and remove", [1, 2, 3], [9], #"{"op":"remove","path":"/2"}"#, #"{"op":"remove","path":"/1"}"#,
      #"{"op":"replace","path":"/0","value":9}"#),
    Row("swap", [1, 2], [2, 1], #"{"op":"move","from":"/1","path":"/0"}"#),
    Row("the first to the end", ["a", "b", "c"], ["b", "c", "a"], #"{"op":"move","from":"/0","path":"/2"}"#),
    Row("the last to the start", [1.5, 2.5, 3.5], [3.5, 1.5, 2.5], #"{"op":"move","from":"/2","path":"/0"}"#),
    Row(
      "two places", [1, 2, 3, 4, 5], [1, 9, 3, 8, 5], #"{"op":"replace","path":"/1","value":9}"#,
      #"{"op":"replace","path":"/3","value":8}"#),
    Row(
      "removed here, added there", [1, 2, 3, 4], [2, 3, 9, 4], #"{"op":"remove","path":"/0"}"#,
      #"{"op":"add","path":"/2","value":9}"#),
    Row(
      "elements that nothing tells apart", [[1], [2], [3]], [[9], [8]], #"{"op":"remove","path":"/2"}"#,
      #"{"op":"replace","path":"/0/0","value":9}"#, #"{"op":"replace","path":"/1/0","value":8}"#),
    Row("raw values", [Tab.home, .finance], [.finance, .home], #"{"op":"move","from":"/1","path":"/0"}"#),
    Row("nil for an element", [1, 2] as [Int?], [nil, 2], #"{"op":"replace","path":"/0","value":null}"#),
    Row("an element for nil", [1, nil] as [Int?], [1, 2], #"{"op":"replace","path":"/1","value":2}"#),
    Row("an array in an array", [[1], [2, 3]], [[1], [2, 4]], #"{"op":"replace","path":"/1/1","value":4}"#),
    Row(
      "a member of an element", [ada, ada], [ada, ada { $0.age = 37 }], #"{"op":"replace","path":"/1/age","value":37}"#),
    Row("an element of a member", ada, ada { $0.tags = ["a"] }, #"{"op":"remove","path":"/tags/1"}"#),
    Row(
      "one inserted into 10,000", Array(0..<10_000), Array(0..<5000) + [-1] + Array(5000..<10_000),
      #"{"op":"add","path":"/5000","value":-1}"#),
  ]

  static let others: [Row] = [
    Row("a dictionary's member", ["a": 1, "b": 2], ["a": 1, "b": 3], #"{"op":"replace","path":"/b","value":3}"#),
    Row("a new key", ["a": 1], ["a": 1, "b": 2], #"{"op":"add","path":"/b","value":2}"#),
    Row("a key less", ["a": 1, "b": 2], ["a": 1], #"{"op":"remove","path":"/b"}"#),
    Row("the last key less", ["a": 1], [:], #"{"op":"remove","path":"/a"}"#),
    Row("the first key", [:], ["a": 1], #"{"op":"add","path":"/a","value":1}"#),
    Row(
      "one key for another", ["a": 1, "b": 2], ["a": 1, "c": 2], #"{"op":"remove","path":"/b"}"#,
      #"{"op":"add","path":"/c","value":2}"#),
    Row("nothing in common", ["a": 1], ["b": 1], #"{"op":"replace","path":"","value":{"b":1}}"#),
    Row("a payload", Screen.list([1, 2]), .list([1, 3]), #"{"op":"replace","path":"/list/_0/1","value":3}"#),
    Row(
      "a payload's label", Screen.detail(id: 1, title: nil), .detail(id: 1, title: "t"),
      #"{"op":"add","path":"/detail/title","value":"t"}"#),
    Row("another case", Screen.empty, .list([1]), #"{"op":"replace","path":"","value":{"list":{"_0":[1]}}}"#),
    Row(
      "another case inside", ["a": Screen.tab(.home), "b": .empty], ["a": .list([]), "b": .empty],
      #"{"op":"replace","path":"/a","value":{"list":{"_0":[]}}}"#),
    Row("a raw value", [Tab.home], [.finance], #"{"op":"replace","path":"/0","value":"finé"}"#),
    Row(
      "nested by hand", ByHand(x: 1, y: 2, names: [], address: Address(street: ""), maybe: nil),
      ByHand(x: 3, y: 4, names: ["a"], address: Address(street: ""), maybe: 5),
      #"{"op":"replace","path":"/position/x","value":3}"#, #"{"op":"replace","path":"/extra/0/y","value":4}"#,
      #"{"op":"replace","path":"/extra/1","value":5}"#, #"{"op":"add","path":"/extra/2/0","value":"a"}"#),
  ]

  static let exactness: [Row] = [
    Row("two forms of é", "\u{E9}", "e\u{301}", "{\"op\":\"replace\",\"path\":\"\",\"value\":\"e\u{301}\"}"),
    Row(
      "two forms of é in a property", Address(street: "\u{E9}"), Address(street: "e\u{301}"),
      "{\"op\":\"replace\",\"path\":\"/street\",\"value\":\"e\u{301}\"}"),
    Row(
      "two forms of é in an array", ["\u{E9}", "x"], ["e\u{301}", "x"],
      "{\"op\":\"replace\",\"path\":\"/0\",\"value\":\"e\u{301}\"}"),
    Row(
      "two forms of é as a key", ["\u{E9}": 1, "x": 2], ["e\u{301}": 1, "x": 2],
      "{\"op\":\"remove\",\"path\":\"/\u{E9}\"}", "{\"op\":\"add\",\"path\":\"/e\u{301}\",\"value\":1}"),
    Row(
      "two forms of é as the one key", ["\u{E9}": 1], ["e\u{301}": 1],
      "{\"op\":\"replace\",\"path\":\"\",\"value\":{\"e\u{301}\":1}}"),
    Row(
      "two forms of é as a key in an array", [["\u{E9}": 1], ["x": 2]], [["e\u{301}": 1], ["x": 2]],
      "{\"op\":\"replace\",\"path\":\"/0\",\"value\":{\"e\u{301}\":1}}"),
    Row("0 and -0", 0.0, -0.0, #"{"op":"replace","path":"","value":-0}"#),
    Row("-0 and 0 in an array", [-0.0], [0.0], #"{"op":"replace","path":"/0","value":0}"#),
    Row("0 and -0 as floats", ["a": Float(0)], ["a": -0.0], #"{"op":"replace","path":"/a","value":-0}"#),
    Row("neighbours", 0.1, 0.1.nextUp, #"{"op":"replace","path":"","value":0.10000000000000002}"#),
    Row("64 bits", Int64.max, .max - 1, #"{"op":"replace","path":"","value":9223372036854775806}"#),
    Row(
      "128 bits", [Int128.max], [.max - 1],
      #"{"op":"replace","path":"/0","value":170141183460469231731687303715884105726}"#),
  ]

  @Test("a difference is these operations and no more", arguments: [properties, arrays, others, exactness].joined())
  func difference_isMinimal(row: Row) throws {
    var patch = PatchWriter()
    try row.write(&patch)
    #expect(haveSameUTF8(patch.text, "[\(row.operations.joined(separator: ","))]"), "\(patch.text)")
    #expect(patch.count == row.operations.count)
  }

  @Test("a class inherits its differences")
  func inheritedProperty_isCompared() throws {
    var patch = PatchWriter()
    try ViewEncoder().writeDifference(from: Dog(legs: 4, name: "Rex"), to: Dog(legs: 3, name: "Rex"), into: &patch)
    #expect(patch.text == #"[{"op":"replace","path":"/super/legs","value":3}]"#)
  }

  @Test("a difference is written at the place where the patch is")
  func difference_isWrittenAtItsPlace() throws {
    var patch = PatchWriter()
    try patch.at("nodes") { patch throws(CaptureError) in
      try patch.at(2) { patch throws(CaptureError) in
        try ViewEncoder().writeDifference(from: Counter(count: 1), to: Counter(count: 2), into: &patch)
      }
    }
    #expect(patch.text == #"[{"op":"replace","path":"/nodes/2/count","value":2}]"#)
  }

  // MARK: Errors

  static let failures: [(old: [String: [Double]], new: [String: [Double]], path: [String])] = [
    (["a": [1]], ["a": [.nan]], ["a", "0"]), (["a": [1]], ["a": [1, .infinity]], ["a", "1"]),
    (["b": [1], "a": []], ["b": [1], "a": [], "c": [0, -.infinity]], ["c", "1"]),
    (["a": [1, 2]], ["x": [.nan]], ["x", "0"]),
  ]

  @Test("what JSON cannot say is an error that leads to it, and its operation is not written", arguments: failures)
  func inexpressibleDifference_isRefused(old: [String: [Double]], new: [String: [Double]], path: [String]) throws {
    let encoder = ViewEncoder()
    var patch = PatchWriter()
    patch.at("before") { $0.remove() }
    let error = #expect(throws: CaptureError.self) { try encoder.writeDifference(from: old, to: new, into: &patch) }
    #expect(error?.path == path)
    #expect(error?.reason.contains("no JSON number") == true)
    #expect(patch.text == #"[{"op":"remove","path":"/before"}]"#)
    // The encoder is as good as new.
    try encoder.writeDifference(from: [1], to: [2], into: &patch)
    #expect(patch.text == #"[{"op":"remove","path":"/before"},{"op":"replace","path":"/0","value":2}]"#)
  }

  // MARK: Any difference

  @Test("10,000 random changes: what a client had, patched, is what the server has", arguments: TestRun.seeds(61))
  func randomChange_comesOutRight(seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    let encoder = ViewEncoder()
    var operations = 0
    for _ in 0..<500 {
      operations += try expectPatch(of: Pair<Int, String>.self, encoder, seed, &generator)
      operations += try expectPatch(of: [Double?].self, encoder, seed, &generator)
      operations += try expectPatch(of: Pair<[[Int]], [[String: String]]>.self, encoder, seed, &generator)
      operations += try expectPatch(of: [String: [String: Int]].self, encoder, seed, &generator)
      operations += try expectPatch(of: Person.self, encoder, seed, &generator)
      operations += try expectPatch(of: [Address].self, encoder, seed, &generator)
      operations += try expectPatch(of: Pair<Screen, [Screen]>.self, encoder, seed, &generator)
      operations += try expectPatch(of: Tree.self, encoder, seed, &generator)
      operations += try expectPatch(of: ByHand.self, encoder, seed, &generator)
      operations += try expectPatch(of: [String: AnyAnimal].self, encoder, seed, &generator)
    }
    // Else there was nothing to compare.
    #expect(operations > 3000)
  }

  /// Compares two values of a type, and returns the number of operations between them.
  private func expectPatch<View: RandomView>(
    of type: View.Type, _ encoder: ViewEncoder, _ seed: UInt64, _ generator: inout SeededGenerator
  ) throws -> Int {
    func text(_ view: View) throws -> String {
      try JSONWriter.text { json throws(CaptureError) in try encoder.write(view, into: &json) }
    }
    let old = View.random(using: &generator)
    let new = old.next(using: &generator)
    let (before, after) = (try text(old), try text(new))
    var patch = PatchWriter()
    try encoder.writeDifference(from: old, to: new, into: &patch)
    var mirror = try JSONValue(parsing: before)
    try mirror.apply([PatchOperation](parsing: patch.text))
    let comment: Comment = "seed \(seed): \(before) to \(after) by \(patch.text)"
    #expect(haveSameUTF8(mirror.text, try JSONValue.canonical(after)), comment)
    if haveSameUTF8(before, after) { #expect(patch.count == 0, comment) }
    return patch.count
  }
}
