import RibTestSupport
import Testing

@testable import Wire

@Suite("RFC 6902 Writing a patch")
struct PatchWriterTests {
  @Test("operations are written one after the other, each with its place")
  func operations_areWritten() throws {
    var patch = PatchWriter()
    patch.replace { $0.null() }
    patch.at("nodes") { patch in
      patch.at(7) { patch in
        patch.add { json in
          json.beginObject()
          json.key("a")
          json.beginArray()
          json.endArray()
          json.endObject()
        }
        patch.at("x") { $0.remove() }
      }
      patch.at(0) { $0.replace { $0.integer(1) } }
    }
    patch.at("last") { $0.remove() }
    let expected = [
      #"{"op":"replace","path":"","value":null}"#, #"{"op":"add","path":"/nodes/7","value":{"a":[]}}"#,
      #"{"op":"remove","path":"/nodes/7/x"}"#, #"{"op":"replace","path":"/nodes/0","value":1}"#,
      #"{"op":"remove","path":"/last"}"#,
    ]
    #expect(patch.text == "[\(expected.joined(separator: ","))]")
    #expect(patch.count == 5)
    #expect(try [PatchOperation](parsing: patch.text).count == 5)
  }

  static let tokens: [(token: String, path: String)] = [
    ("", "/"), ("a", "/a"), ("a/b", "/a~1b"), ("m~n", "/m~0n"), ("~1", "/~01"), ("/~", "/~1~0"), ("k\"l", #"/k\"l"#),
    ("i\\j", #"/i\\j"#), ("\n\u{0}\u{1F}", #"/\n\u0000\u001f"#), ("~\n/", #"/~0\n~1"#), ("\u{E9}", "/\u{E9}"),
    ("e\u{301}", "/e\u{301}"), ("\u{1F600}\u{2028}", "/\u{1F600}\u{2028}"), ("\u{301}", "/\u{301}"),
    ("~\u{301}", "/~0\u{301}"), ("\u{301}/\u{301}", "/\u{301}~1\u{301}"), ("-", "/-"), ("{}[],:", "/{}[],:"),
  ]

  @Test("a place is escaped twice, as a pointer and as a string", arguments: tokens)
  func path_isEscaped(token: String, path: String) throws {
    var patch = PatchWriter()
    patch.at(token) { $0.remove() }
    #expect(haveSameUTF8(patch.text, #"[{"op":"remove","path":"\#(path)"}]"#))
    let operations = try [PatchOperation](parsing: patch.text)
    guard case .remove(let pointer)? = operations.first, pointer.tokens.count == 1 else {
      Issue.record("\(operations) is not one removal one step deep")
      return
    }
    #expect(haveSameUTF8(try #require(pointer.tokens.first), token))
  }

  @Test("any place comes back", arguments: TestRun.seeds(51))
  func anyPath_comesBack(seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    for _ in 0..<500 {
      let tokens = (0..<3).map { _ in String.random(using: &generator) }
      var patch = PatchWriter()
      patch.at(tokens[0]) { $0.at(tokens[1]) { $0.at(tokens[2]) { $0.replace { $0.string(tokens[0]) } } } }
      let expected = PatchOperation.replace(JSONPointer(tokens), .string(tokens[0]))
      let read = try [PatchOperation](parsing: patch.text)
      #expect(read == [expected], "seed \(seed)")
      #expect(haveSameUTF8("\(read)", "\([expected])"), "seed \(seed)")
    }
  }

  struct Failure: Error, Equatable {}

  @Test("an operation whose value fails is taken back, and so is its place")
  func failedOperation_isTakenBack() throws {
    var patch = PatchWriter()
    for before in 0...2 {
      let text = patch.text
      #expect(throws: Failure.self) {
        try patch.at("a") { patch throws(Failure) in
          try patch.at(1) { patch throws(Failure) in
            try patch.add { json throws(Failure) in
              json.beginArray()
              json.integer(1)
              throw Failure()
            }
          }
        }
      }
      #expect(throws: Failure.self) { try patch.replace { _ throws(Failure) in throw Failure() } }
      #expect(patch.text == text)
      #expect(patch.count == before)
      patch.at("b") { $0.remove() }
    }
    #expect(patch.text == #"[{"op":"remove","path":"/b"},{"op":"remove","path":"/b"},{"op":"remove","path":"/b"}]"#)
  }

  @Test("an element is moved within its array")
  func move_isWritten() throws {
    var patch = PatchWriter()
    patch.at("a/b") { $0.move(from: 10, to: 2) }
    #expect(patch.text == #"[{"op":"move","from":"/a~1b/10","path":"/a~1b/2"}]"#)
    #expect(
      try [PatchOperation](parsing: patch.text) == [
        .move(from: JSONPointer(["a/b", "10"]), to: JSONPointer(["a/b", "2"]))
      ])
  }

  /// Removes members one by one, or writes this text in place of them.
  private func shorter(_ members: Int, _ text: String, after before: Int = 0) -> PatchWriter {
    var patch = PatchWriter()
    for _ in 0..<before { patch.remove() }
    patch.at("x") { patch in
      patch.shorter { patch in
        for member in 0..<members { patch.at(member) { $0.remove() } }
      } thanReplacing: {
        $0.string(text)
      }
    }
    return patch
  }

  @Test("operations give way to a shorter one, and only then", arguments: [0, 1, 2])
  func operations_giveWay(before: Int) throws {
    let earlier = Array(repeating: #"{"op":"remove","path":""}"#, count: before)
    let two = [#"{"op":"remove","path":"/x/0"}"#, #"{"op":"remove","path":"/x/1"}"#]
    // One byte longer, as long, and one byte shorter than `two`.
    let frame = #"{"op":"replace","path":"/x","value":""}"#.utf8.count
    for (difference, isShorter) in [(1, false), (0, false), (-1, true), (-20, true)] {
      let text = String(repeating: "v", count: two.joined(separator: ",").utf8.count + difference - frame)
      let replacement = #"{"op":"replace","path":"/x","value":"\#(text)"}"#
      let patch = shorter(2, text, after: before)
      let expected = earlier + (isShorter ? [replacement] : two)
      #expect(patch.text == "[\(expected.joined(separator: ","))]", "\(difference)")
      #expect(patch.count == expected.count)
    }
  }

  @Test("one operation stays, and so does none")
  func oneOperation_stays() throws {
    #expect(shorter(0, "").text == "[]")
    #expect(shorter(1, "").text == #"[{"op":"remove","path":"/x/0"}]"#)
  }

  @Test("a long value is given up when it is longer than the operations")
  func longValue_isGivenUp() throws {
    var patch = PatchWriter()
    var written = 0
    patch.shorter { patch in
      patch.at(0) { $0.remove() }
      patch.at(1) { $0.remove() }
    } thanReplacing: { json in
      json.beginArray()
      while !json.isFull, written < 1_000_000 {
        json.integer(written)
        written += 1
      }
      json.endArray()
    }
    #expect(patch.count == 2)
    #expect(written < 100)
    patch.at("after") { $0.replace { $0.string(String(repeating: "x", count: 1000)) } }
    #expect(patch.count == 3)
    #expect(!patch.json.isFull)
  }

  @Test("what was written is forgotten")
  func removeAll_forgets() {
    var patch = PatchWriter()
    patch.at("a") { $0.remove() }
    patch.removeAll()
    #expect(patch.count == 0)
    #expect(patch.text == "[]")
    patch.remove()
    #expect(patch.text == #"[{"op":"remove","path":""}]"#)
  }

  @Test("a body's result comes out")
  func at_returnsItsResult() {
    var patch = PatchWriter()
    #expect(patch.at("a") { $0.at(1) { $0.count } } == 0)
    #expect(patch.text == "[]")
  }
}
