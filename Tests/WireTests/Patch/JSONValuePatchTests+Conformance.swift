import RibTestSupport
import Testing

@testable import Wire

/// What RFC 6902 and RFC 6901 say of the four operations, section by section.
///
/// `test` and `copy` (§4.5, §4.6) are no operations of this protocol: reading one is an error.
@Suite("RFC 6902, section by section")
struct PatchConformanceTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let section: String
    let document: String
    let patch: String
    /// Nil if the patch is refused.
    let result: String?

    init(_ section: String, _ document: String, _ patch: String, _ result: String?) {
      self.section = section
      self.document = document
      self.patch = patch
      self.result = result
    }

    var testDescription: String { "\(section) \(patch) of \(document)" }
  }

  // MARK: RFC 6901

  static let pointers: [Row] = [
    Row("6901 §3", #"{"a":1}"#, #"[{"op":"remove","path":"a"}]"#, nil),
    Row("6901 §3", #"{"a":1}"#, ##"[{"op":"remove","path":"#/a"}]"##, nil),
    Row("6901 §3", #"{"a~":1}"#, #"[{"op":"remove","path":"/a~"}]"#, nil),
    Row("6901 §3", #"{"a~2":1}"#, #"[{"op":"remove","path":"/a~2"}]"#, nil),
    Row("6901 §3", #"{"%61":1,"a":2}"#, #"[{"op":"remove","path":"/%61"}]"#, #"{"a":2}"#),
    Row("6901 §4", #"{"~1":1,"/":2}"#, #"[{"op":"remove","path":"/~01"}]"#, #"{"/":2}"#),
    Row("6901 §4", #"{"~1":1,"/":2}"#, #"[{"op":"remove","path":"/~1"}]"#, #"{"~1":1}"#),
    Row("6901 §4", #"{"~":{"/":[1,2]}}"#, #"[{"op":"remove","path":"/~0/~1/1"}]"#, #"{"~":{"/":[1]}}"#),
    Row("6901 §4", #"{"0":1,"00":2}"#, #"[{"op":"remove","path":"/00"}]"#, #"{"0":1}"#),
    Row("6901 §4", "[1,2]", #"[{"op":"remove","path":"/00"}]"#, nil),
    Row("6901 §4", "[1,2]", #"[{"op":"remove","path":"/1e0"}]"#, nil),
    Row("6901 §4", "[1,2]", #"[{"op":"remove","path":"/0x1"}]"#, nil),
    Row("6901 §4", "[1,2]", #"[{"op":"remove","path":"/1.0"}]"#, nil),
    Row("6901 §4", "[1,2]", #"[{"op":"remove","path":"/-0"}]"#, nil),
    Row("6901 §4", "[1,2]", #"[{"op":"remove","path":"/bar"}]"#, nil),
    Row("6901 §4", "[1,2]", #"[{"op":"remove","path":"/18446744073709551617"}]"#, nil),
    Row("6901 §4", #"{"":{"":{"":1}}}"#, #"[{"op":"remove","path":"///"}]"#, #"{"":{"":{}}}"#),
    Row("6901 §4", #""text""#, #"[{"op":"remove","path":"/0"}]"#, nil),
    Row("6901 §4", #"{"a":null}"#, #"[{"op":"remove","path":"/a/b"}]"#, nil),
    // §4: member names are compared as code points, as they stand.
    Row("6901 §4", "{\"\u{E9}\":1,\"e\u{301}\":2}", "[{\"op\":\"remove\",\"path\":\"/\u{E9}\"}]", "{\"e\u{301}\":2}"),
    Row("6901 §4", "{\"\u{E9}\":1}", "[{\"op\":\"remove\",\"path\":\"/e\u{301}\"}]", nil),
    Row("6901 §4", "{\"\u{E9}\":{}}", "[{\"op\":\"add\",\"path\":\"/e\u{301}/a\",\"value\":1}]", nil),
    Row("6901 §5", #"{"\"":1}"#, #"[{"op":"remove","path":"/\""}]"#, "{}"),
    Row("6901 §5", #"{"\\":1}"#, #"[{"op":"remove","path":"/\u005C"}]"#, "{}"),
    Row("6901 §5", #"{"\u0000":1}"#, #"[{"op":"remove","path":"/\u0000"}]"#, "{}"),
  ]

  // MARK: RFC 6902 §3 and §4

  static let documents: [Row] = [
    Row("§3", "7", "[]", "7"), Row("§3", #"{"a":[]}"#, "[]", #"{"a":[]}"#),
    Row("§3", "[1]", #"[{"op":"remove","path":"/0"},{"op":"add","path":"/0","value":2}]"#, "[2]"),
    Row("§3", "1", #"[{"op":"remove","path":"/a"},7]"#, nil), Row("§3", "1", "[null]", nil),
    Row("§3", "1", "[[]]", nil),
    Row("§4", "{}", #"[{"path":"/a","value":1}]"#, nil), Row("§4", "{}", #"[{"op":"add","value":1}]"#, nil),
    Row("§4", "{}", #"[{"op":"add","path":null,"value":1}]"#, nil),
    Row("§4", "{}", #"[{"op":"add","path":0,"value":1}]"#, nil),
    Row("§4", "{}", #"[{"op":"Add","path":"/a","value":1}]"#, nil),
    Row("§4", "{}", #"[{"op":"append","path":"/a","value":1}]"#, nil),
    Row("§4", "{}", #"[{"op":["add"],"path":"/a","value":1}]"#, nil),
    Row("§4", "{}", #"[{"path":"/a","value":1,"op":"add"}]"#, #"{"a":1}"#),
    Row("§4", "{}", #"[{"value":[],"more":{"op":"remove"},"op":"add","path":"/a"}]"#, #"{"a":[]}"#),
    // §4.5 and §4.6, which this protocol does without.
    Row("§4.5", #"{"a":1}"#, #"[{"op":"copy","from":"/a","path":"/b"}]"#, nil),
    Row("§4.6", #"{"a":1}"#, #"[{"op":"test","path":"/a","value":1}]"#, nil),
  ]

  static let operations: [Row] = [
    // §4.1
    Row("§4.1", "{}", #"[{"op":"add","path":"/a"}]"#, nil),
    Row("§4.1", "{}", #"[{"op":"add","path":"/a","value":null}]"#, #"{"a":null}"#),
    Row("§4.1", #"{"a":[1]}"#, #"[{"op":"add","path":"/a","value":{}}]"#, #"{"a":{}}"#),
    Row("§4.1", #"{"a":{}}"#, #"[{"op":"add","path":"/a/0","value":1}]"#, #"{"a":{"0":1}}"#),
    Row("§4.1", #"{"a":{}}"#, #"[{"op":"add","path":"/b/c","value":1}]"#, nil),
    Row("§4.1", "[1,2]", #"[{"op":"add","path":"/0","value":0}]"#, "[0,1,2]"),
    Row("§4.1", "[1,2]", #"[{"op":"add","path":"/1","value":[9]}]"#, "[1,[9],2]"),
    Row("§4.1", "[1,2]", #"[{"op":"add","path":"/-","value":[9]}]"#, "[1,2,[9]]"),
    Row("§4.1", "[]", #"[{"op":"add","path":"/1","value":1}]"#, nil),
    Row("§4.1", "[[]]", #"[{"op":"add","path":"/0/-","value":1},{"op":"add","path":"/0/-","value":2}]"#, "[[1,2]]"),
    Row("§4.1", "null", #"[{"op":"add","path":"","value":[1]}]"#, "[1]"),
    Row("§4.1", "null", #"[{"op":"add","path":"/","value":1}]"#, nil),
    // §4.2
    Row("§4.2", #"{"a":1,"b":{"c":2}}"#, #"[{"op":"remove","path":"/b/c"}]"#, #"{"a":1,"b":{}}"#),
    Row("§4.2", #"{"a":null}"#, #"[{"op":"remove","path":"/a"}]"#, "{}"),
    Row("§4.2", "[1,2,3]", #"[{"op":"remove","path":"/0"},{"op":"remove","path":"/0"}]"#, "[3]"),
    Row("§4.2", "[1,2,3]", #"[{"op":"remove","path":"/3"}]"#, nil),
    Row("§4.2", #"{"a":1}"#, #"[{"op":"remove","path":"/a"},{"op":"remove","path":"/a"}]"#, nil),
    // §4.3
    Row("§4.3", "{}", #"[{"op":"replace","path":"/a","value":1}]"#, nil),
    Row("§4.3", #"{"a":1}"#, #"[{"op":"replace","path":"/a"}]"#, nil),
    Row("§4.3", #"{"a":1}"#, #"[{"op":"replace","path":"/a","value":null}]"#, #"{"a":null}"#),
    Row("§4.3", #"{"a":[1,2,3]}"#, #"[{"op":"replace","path":"/a/1","value":{"b":2}}]"#, #"{"a":[1,{"b":2},3]}"#),
    Row("§4.3", "[1]", #"[{"op":"replace","path":"/1","value":2}]"#, nil),
    Row("§4.3", "1", #"[{"op":"replace","path":"","value":"x"}]"#, #""x""#),
    // §4.4
    Row("§4.4", #"{"a":1}"#, #"[{"op":"move","path":"/b"}]"#, nil),
    Row("§4.4", #"{"a":1}"#, #"[{"op":"move","from":"/a"}]"#, nil),
    Row("§4.4", #"{"a":1}"#, #"[{"op":"move","from":"a","path":"/b"}]"#, nil),
    Row("§4.4", #"{"a":1}"#, #"[{"op":"move","from":"/b","path":"/a"}]"#, nil),
    Row("§4.4", #"{"a":1}"#, #"[{"op":"move","from":"/a","path":"/b"}]"#, #"{"b":1}"#),
    Row("§4.4", #"{"a":{"b":{}}}"#, #"[{"op":"move","from":"/a","path":"/a/b/c"}]"#, nil),
    Row("§4.4", #"{"a":{"b":1}}"#, #"[{"op":"move","from":"/a/b","path":"/a"}]"#, #"{"a":1}"#),
    Row("§4.4", #"{"a":1,"aa":{}}"#, #"[{"op":"move","from":"/a","path":"/aa/b"}]"#, #"{"aa":{"b":1}}"#),
    Row("§4.4", "[1,2,3]", #"[{"op":"move","from":"/2","path":"/0"}]"#, "[3,1,2]"),
    Row("§4.4", "[1,2,3]", #"[{"op":"move","from":"/0","path":"/2"}]"#, "[2,3,1]"),
    Row("§4.4", "[[1],[2]]", #"[{"op":"move","from":"/1/0","path":"/0/0"}]"#, "[[2,1],[]]"),
    // The index that the array has once the value is gone.
    Row("§4.4", "[[1],[2]]", #"[{"op":"move","from":"/0","path":"/0/0"}]"#, nil),
    Row("§4.4", "[[1],[2]]", #"[{"op":"move","from":"/1","path":"/0/-"}]"#, "[[1,[2]]]"),
    Row(
      "§4.4", "{\"\u{E9}\":1}", "[{\"op\":\"move\",\"from\":\"/\u{E9}\",\"path\":\"/e\u{301}\"}]", "{\"e\u{301}\":1}"),
  ]

  static let errors: [Row] = [
    Row("§5", #"{"a":1}"#, #"[{"op":"add","path":"/b","value":1},{"op":"remove","path":"/c"}]"#, nil),
    Row("§5", #"{"a":1}"#, #"[{"op":"replace","path":"","value":[]},{"op":"replace","path":"/0","value":1}]"#, nil),
    Row("§5", #"{"a":1}"#, #"[{"op":"remove","path":"/a"},{"op":"rename","path":"/a"}]"#, nil),
  ]

  @Test("RFC 6901: a pointer leads to one place, or to none", arguments: pointers)
  func pointer_leadsToOnePlace(row: Row) throws { try expectResult(of: row) }

  @Test("§3 and §4: a patch is a row of operations", arguments: documents)
  func patch_isARowOfOperations(row: Row) throws { try expectResult(of: row) }

  @Test("§4.1 to §4.4: each operation does what it says", arguments: operations)
  func operation_isApplied(row: Row) throws { try expectResult(of: row) }

  @Test("§5: an error anywhere leaves everything as it was", arguments: errors)
  func error_leavesEverythingAsItWas(row: Row) throws { try expectResult(of: row) }

  private func expectResult(of row: Row) throws {
    var document = try JSONValue(parsing: row.document)
    let before = document.text
    guard let result = row.result else {
      #expect(throws: PatchError.self) { try document.apply([PatchOperation](parsing: row.patch)) }
      #expect(haveSameUTF8(document.text, before))
      return
    }
    try document.apply([PatchOperation](parsing: row.patch))
    #expect(haveSameUTF8(document.text, result))
  }

  // MARK: Properties

  @Test("§4.1 to §4.4: random changes are undone by their opposites", arguments: TestRun.seeds(61))
  func operations_haveOpposites(seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    var applied = 0
    for _ in 0..<1000 {
      let document = JSONValue.random(depth: 4, using: &generator)
      guard let (place, old) = document.places.randomElement(using: &generator), !place.tokens.isEmpty else { continue }
      let value = JSONValue.random(depth: 1, using: &generator)
      for (forth, back) in [
        ([.remove(place)], [.add(place, old)]),
        ([.replace(place, value)], [.replace(place, old)]),
        ([.remove(place), .add(place, value)], [.remove(place), .add(place, old)]),
        ([.move(from: place, to: JSONPointer())], [.replace(JSONPointer(), document)]),
      ] as [([PatchOperation], [PatchOperation])] {
        var changed = document
        try changed.apply(forth)
        try changed.apply(back)
        try #require(haveSameUTF8(changed.text, document.text), "seed \(seed): \(forth)")
        applied += 1
      }
    }
    #expect(applied > 500)
  }

  @Test("§4.4: a move is the same as a remove and an add", arguments: TestRun.seeds(63))
  func move_isRemoveAndAdd(seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    var moved = 0
    for _ in 0..<2000 {
      let document = JSONValue.random(depth: 3, using: &generator)
      let places = document.places
      guard let (from, value) = places.randomElement(using: &generator), !from.tokens.isEmpty,
        let (to, _) = places.randomElement(using: &generator)
      else { continue }
      var ours = document
      var theirs = document
      let isMoved = (try? ours.apply([.move(from: from, to: to)])) != nil
      let isRemovedAndAdded = (try? theirs.apply([.remove(from), .add(to, value)])) != nil
      // What a value cannot move into may be there again once it is gone: the element after it.
      let isInside = to.tokens.count > from.tokens.count && to.tokens.starts(with: from.tokens, by: haveSameUTF8)
      if isInside {
        try #require(!isMoved, "seed \(seed)")
      } else {
        try #require(isMoved == isRemovedAndAdded, "seed \(seed): \(from) to \(to)")
        try #require(haveSameUTF8(ours.text, theirs.text), "seed \(seed): \(from) to \(to)")
        moved += isMoved ? 1 : 0
      }
    }
    #expect(moved > 200)
  }
}

extension JSONValue {
  /// Every place in the value, the whole first, and what is there.
  fileprivate var places: [(JSONPointer, JSONValue)] {
    var places = [(JSONPointer(), self)]
    switch self {
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        places += element.places.map { (JSONPointer(["\(index)"] + $0.tokens), $1) }
      }
    case .object(let members):
      for (key, value) in members.sorted(by: { $0.key < $1.key }) {
        places += value.places.map { (JSONPointer([key] + $0.tokens), $1) }
      }
    default: break
    }
    return places
  }
}
