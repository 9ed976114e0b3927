import Testing

@testable import Wire

@Suite("RFC 6902 Applying a patch")
struct JSONValuePatchTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let document: String
    let patch: String
    /// Nil if the patch does not apply.
    let result: String?

    init(_ name: String, _ document: String, _ patch: String, _ result: String?) {
      testDescription = name
      self.document = document
      self.patch = patch
      self.result = result
    }
  }

  /// The examples of RFC 6902's appendix that have no test or copy.
  static let examples: [Row] = [
    Row(
      "A.1", #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux"}]"#, #"{"baz":"qux","foo":"bar"}"#),
    Row(
      "A.2", #"{"foo":["bar","baz"]}"#, #"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
      #"{"foo":["bar","qux","baz"]}"#),
    Row("A.3", #"{"baz":"qux","foo":"bar"}"#, #"[{"op":"remove","path":"/baz"}]"#, #"{"foo":"bar"}"#),
    Row("A.4", #"{"foo":["bar","qux","baz"]}"#, #"[{"op":"remove","path":"/foo/1"}]"#, #"{"foo":["bar","baz"]}"#),
    Row(
      "A.5", #"{"baz":"qux","foo":"bar"}"#, #"[{"op":"replace","path":"/baz","value":"boo"}]"#,
      #"{"baz":"boo","foo":"bar"}"#),
    Row(
      "A.6", #"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
      #"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
      #"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#),
    Row(
      "A.7", #"{"foo":["all","grass","cows","eat"]}"#, #"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
      #"{"foo":["all","cows","eat","grass"]}"#),
    Row(
      "A.10", #"{"foo":"bar"}"#, #"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
      #"{"child":{"grandchild":{}},"foo":"bar"}"#),
    Row(
      "A.11", #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#, #"{"baz":"qux","foo":"bar"}"#
    ),
    Row("A.12", #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz/bat","value":"qux"}]"#, nil),
    Row("A.13", #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux","op":"remove"}]"#, nil),
    Row(
      "A.16", #"{"foo":["bar"]}"#, #"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#,
      #"{"foo":["bar",["abc","def"]]}"#),
  ]

  static let edges: [Row] = [
    Row("no operations", "[1]", "[]", "[1]"),
    Row("§4.1 add replaces a member", #"{"a":1}"#, #"[{"op":"add","path":"/a","value":2}]"#, #"{"a":2}"#),
    Row("§4.1 add replaces the whole", "[1]", #"[{"op":"add","path":"","value":{"a":1}}]"#, #"{"a":1}"#),
    Row("§4.1 add at the end", "[1,2]", #"[{"op":"add","path":"/2","value":3}]"#, "[1,2,3]"),
    Row("§4.1 add to nothing", "[]", #"[{"op":"add","path":"/0","value":3}]"#, "[3]"),
    Row("§4.1 add beyond the end", "[1,2]", #"[{"op":"add","path":"/3","value":3}]"#, nil),
    Row("§4.1 add to a scalar", "1", #"[{"op":"add","path":"/0","value":3}]"#, nil),
    Row("§4.1 add below a scalar", #"{"a":1}"#, #"[{"op":"add","path":"/a/b/c","value":3}]"#, nil),
    Row("a member named -", "{}", #"[{"op":"add","path":"/-","value":1}]"#, #"{"-":1}"#),
    Row("a member named 01", #"{"01":1}"#, #"[{"op":"remove","path":"/01"}]"#, "{}"),
    Row("a member with an empty name", #"{"":{"":1}}"#, #"[{"op":"replace","path":"//","value":2}]"#, #"{"":{"":2}}"#),
    Row("RFC 6901 §4 - is behind the last", "[1]", #"[{"op":"remove","path":"/-"}]"#, nil),
    Row("RFC 6901 §4 - names no element", "[[1]]", #"[{"op":"add","path":"/-/0","value":1}]"#, nil),
    Row("RFC 6901 §4 - cannot be replaced", "[1]", #"[{"op":"replace","path":"/-","value":1}]"#, nil),
    Row("RFC 6901 §4 a leading zero", "[1,2]", #"[{"op":"remove","path":"/01"}]"#, nil),
    Row("RFC 6901 §4 two zeros", "[1,2]", #"[{"op":"remove","path":"/00"}]"#, nil),
    Row("RFC 6901 §4 a sign", "[1,2]", #"[{"op":"remove","path":"/+1"}]"#, nil),
    Row("RFC 6901 §4 a negative index", "[1,2]", #"[{"op":"remove","path":"/-1"}]"#, nil),
    Row("RFC 6901 §4 a space", "[1,2]", #"[{"op":"remove","path":"/ 1"}]"#, nil),
    Row("RFC 6901 §4 no digits", "[1,2]", #"[{"op":"remove","path":"/"}]"#, nil),
    Row("RFC 6901 §4 other digits", "[1,2]", #"[{"op":"remove","path":"/\u0661"}]"#, nil),
    Row("RFC 6901 §4 a huge index", "[1,2]", #"[{"op":"remove","path":"/99999999999999999999"}]"#, nil),
    Row("§4.2 remove what is not there", #"{"a":1}"#, #"[{"op":"remove","path":"/b"}]"#, nil),
    Row("§4.2 remove beyond the end", "[1]", #"[{"op":"remove","path":"/1"}]"#, nil),
    Row("§4.2 remove below what is not there", #"{"a":1}"#, #"[{"op":"remove","path":"/b/c"}]"#, nil),
    Row("§4.2 remove the whole", #"{"a":1}"#, #"[{"op":"remove","path":""}]"#, nil),
    Row("§4.3 replace the whole", #"{"a":1}"#, #"[{"op":"replace","path":"","value":[]}]"#, "[]"),
    Row("§4.3 replace what is not there", #"{"a":1}"#, #"[{"op":"replace","path":"/b","value":1}]"#, nil),
    Row("§4.3 replace the last element", "[1,2]", #"[{"op":"replace","path":"/1","value":3}]"#, "[1,3]"),
    Row("§4.3 replace the first element", "[1,2]", #"[{"op":"replace","path":"/0","value":3}]"#, "[3,2]"),
    Row("§4.3 replace beyond the end", "[1,2]", #"[{"op":"replace","path":"/2","value":3}]"#, nil),
    Row("§4.4 move to itself", #"{"a":[1]}"#, #"[{"op":"move","from":"/a","path":"/a"}]"#, #"{"a":[1]}"#),
    Row("§4.4 move an element to itself", "[1,2]", #"[{"op":"move","from":"/1","path":"/1"}]"#, "[1,2]"),
    Row("§4.4 move into itself", #"{"a":{"b":1}}"#, #"[{"op":"move","from":"/a","path":"/a/c"}]"#, nil),
    Row("§4.4 move an element into itself", "[[1],[2]]", #"[{"op":"move","from":"/0","path":"/0/0"}]"#, nil),
    Row("§4.4 move the whole into itself", #"{"a":1}"#, #"[{"op":"move","from":"","path":"/b"}]"#, nil),
    Row("§4.4 move out of itself", #"{"a":{"b":1}}"#, #"[{"op":"move","from":"/a/b","path":"/a"}]"#, #"{"a":1}"#),
    Row("§4.4 move up to the whole", #"{"a":{"b":1}}"#, #"[{"op":"move","from":"/a","path":""}]"#, #"{"b":1}"#),
    Row(
      "§4.4 a name that only begins alike", #"{"a":1,"ab":{}}"#, #"[{"op":"move","from":"/a","path":"/ab/c"}]"#,
      #"{"ab":{"c":1}}"#),
    Row("§4.4 move over another", #"{"a":1,"b":2}"#, #"[{"op":"move","from":"/a","path":"/b"}]"#, #"{"b":1}"#),
    Row("§4.4 move what is not there", #"{"a":1}"#, #"[{"op":"move","from":"/b","path":"/b"}]"#, nil),
    Row("§4.4 move to the end", "[1,2,3]", #"[{"op":"move","from":"/0","path":"/-"}]"#, "[2,3,1]"),
    Row("§4.4 move beyond what is left", "[1,2,3]", #"[{"op":"move","from":"/0","path":"/3"}]"#, nil),
    Row(
      "§5 the second sees what the first did", #"{"a":[]}"#,
      #"[{"op":"add","path":"/a/-","value":{"b":1}},{"op":"replace","path":"/a/0/b","value":2},{"op":"move","from":"/a/0","path":"/c"}]"#,
      #"{"a":[],"c":{"b":2}}"#),
    Row(
      "§5 deep inside", #"{"a":[{"b":{"c":[0,{"d":1}]}}],"e":2}"#,
      #"[{"op":"replace","path":"/a/0/b/c/1/d","value":3}]"#,
      #"{"a":[{"b":{"c":[0,{"d":3}]}}],"e":2}"#),
  ]

  @Test("Appendix A: the examples come out as they should", arguments: examples)
  func example_isApplied(row: Row) throws { try expectResult(of: row) }

  @Test("what applies does, and what does not changes nothing", arguments: edges)
  func patch_isApplied(row: Row) throws { try expectResult(of: row) }

  private func expectResult(of row: Row) throws {
    let before = try JSONValue(parsing: row.document)
    var document = before
    let operations = try [PatchOperation](parsing: row.patch)
    if let result = row.result {
      try document.apply(operations)
      #expect(document.text == result)
    } else {
      #expect(throws: PatchError.self) { try document.apply(operations) }
      #expect(document == before)
    }
  }

  @Test("§5: if the last operation fails, none has happened")
  func failedPatch_changesNothing() throws {
    let text = #"{"a":[1,{"b":[2,3]}],"c":{"d":{"e":4}},"f":5}"#
    let before = [
      #"{"op":"remove","path":"/a/0"}"#, #"{"op":"add","path":"/a/0/b/1","value":6}"#,
      #"{"op":"replace","path":"/c/d","value":[]}"#, #"{"op":"move","from":"/f","path":"/c/d/0"}"#,
      #"{"op":"replace","path":"","value":{"a":[]}}"#,
    ]
    let failing = [
      #"{"op":"remove","path":"/a/9"}"#, #"{"op":"remove","path":"/a/0/b/9"}"#,
      #"{"op":"add","path":"/z/z","value":1}"#,
      #"{"op":"replace","path":"/z","value":1}"#, #"{"op":"move","from":"/a","path":"/a/0"}"#,
      #"{"op":"move","from":"/a","path":"/z/z"}"#, #"{"op":"remove","path":""}"#,
    ]
    for last in failing {
      for count in 0...before.count {
        var document = try JSONValue(parsing: text)
        let patch = try [PatchOperation](parsing: "[\((before.prefix(count) + [last]).joined(separator: ","))]")
        #expect(throws: PatchError.self) { try document.apply(patch) }
        #expect(document.text == text)
      }
    }
  }

  @Test("the error names the place")
  func error_namesThePlace() throws {
    var document = try JSONValue(parsing: #"{"a":{"b":1}}"#)
    for (patch, place) in [
      (#"[{"op":"remove","path":"/a/c"}]"#, "/a/c"), (#"[{"op":"add","path":"/x/y","value":1}]"#, "/x/y"),
      (#"[{"op":"move","from":"/q","path":"/r"}]"#, "/q"), (#"[{"op":"move","from":"/a","path":"/a/b"}]"#, "/a/b"),
    ] {
      let error = #expect(throws: PatchError.self) { try document.apply([PatchOperation](parsing: patch)) }
      #expect(error == .noSuchPlace(try JSONPointer(parsing: place)))
      #expect(error?.description == "the document has no place \"\(place)\"")
    }
  }

  // MARK: RFC 6901 §5

  static let rfc6901 = #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#

  static let places: [(pointer: String, value: String)] = [
    ("", rfc6901), ("/foo", #"["bar","baz"]"#), ("/foo/0", #""bar""#), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"),
    ("/e^f", "3"), ("/g|h", "4"), ("/i\\j", "5"), ("/k\"l", "6"), ("/ ", "7"), ("/m~0n", "8"),
  ]

  @Test("RFC 6901 §5: each pointer leads to its value", arguments: places)
  func pointer_leadsToItsValue(pointer: String, value: String) throws {
    var document = JSONValue.object(["document": try JSONValue(parsing: Self.rfc6901)])
    let place = JSONPointer(["document"] + (try JSONPointer(parsing: pointer).tokens))
    try document.apply([.move(from: place, to: JSONPointer(["found"]))])
    #expect(document["found"]?.text == (try JSONValue.canonical(value)))
  }

  @Test("a key that only looks the same is another one", arguments: [("\u{E9}", "e\u{301}"), ("e\u{301}", "\u{E9}")])
  func replacedKey_keepsItsForm(old: String, new: String) throws {
    var document = JSONValue.object([old: .integer(1)])
    try document.apply([.remove(JSONPointer([old])), .add(JSONPointer([new]), .integer(1))])
    #expect(haveSameUTF8(document.text, "{\"\(new)\":1}"))
  }
}
