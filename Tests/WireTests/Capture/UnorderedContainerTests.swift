import Foundation
import RibTestSupport
import Testing

@testable import Wire

@Suite("Sets and dictionaries in order")
struct UnorderedContainerTests {
  private func text(_ value: some Encodable) throws -> String {
    try JSONWriter.text { json throws(CaptureError) in try ViewEncoder().write(value, into: &json) }
  }

  struct Position: Codable, Hashable { var x: Int, y: Int }

  @Test("a dictionary's members are in the order of their keys' UTF-8")
  func dictionary_isSorted() throws {
    #expect(try text(["b": 1, "a": 2, "B": 3, "": 4, "\u{E9}": 5]) == "{\"\":4,\"B\":3,\"a\":2,\"b\":1,\"\u{E9}\":5}")
    #expect(try text([10: 1, 9: 2, -1: 3]) == #"{"-1":3,"10":1,"9":2}"#)
    #expect(try text([["b": ["d": 1, "c": 2], "a": [:]]]) == #"[{"a":{},"b":{"c":2,"d":1}}]"#)
  }

  @Test("a set's elements are in an order of their own")
  func set_isSorted() throws {
    #expect(try text(Set([10, 9, -1])) == "[-1,9,10]")
    #expect(try text(Set(["b", "a", "B"])) == #"["B","a","b"]"#)
    #expect(try text(Set([0.5, -1, .greatestFiniteMagnitude])) == "[-1,0.5,1.7976931348623157e+308]")
    #expect(try text(Set([true, false])) == "[false,true]")
    #expect(try text(Set([Tab.home, .finance])) == "[\"fin\u{E9}\",\"home\"]")
    #expect(try text(Set([Position(x: 2, y: 1), Position(x: 1, y: 2)])) == #"[{"x":1,"y":2},{"x":2,"y":1}]"#)
    #expect(try text(Set([1, nil])) == "[1,null]")
    #expect(try text(Set<Int>()) == "[]")
    #expect(try text([Set([2, 1]), Set([4, 3])]) == "[[1,2],[3,4]]")
  }

  @Test("equal sets and dictionaries are written alike, however they came to be", arguments: TestRun.seeds(71))
  func equalContainers_areWrittenAlike(seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    for _ in 0..<200 {
      let keys = (0..<20).map { _ in Int.random(in: 0..<1000, using: &generator) }
      var set = Set(keys)
      // Another capacity is another order of the buckets.
      var other = Set<Int>(minimumCapacity: 500)
      for key in keys.shuffled(using: &generator) { other.insert(key) }
      var patch = PatchWriter()
      let encoder = ViewEncoder()
      try encoder.writeDifference(from: set, to: other, into: &patch)
      try encoder.writeDifference(
        from: Dictionary(uniqueKeysWithValues: set.map { ("\($0)", $0) }),
        to: Dictionary(uniqueKeysWithValues: other.map { ("\($0)", $0) }), into: &patch)
      #expect(patch.count == 0, "seed \(seed)")
      #expect(try text(set) == text(other), "seed \(seed)")
      set.insert(1001)
      try encoder.writeDifference(from: other, to: set, into: &patch)
      #expect(patch.count == 1, "seed \(seed): \(patch.text)")
      #expect(patch.text.hasSuffix(#","value":1001}]"#), "seed \(seed): \(patch.text)")
    }
  }

  enum Represented: String, CodingKeyRepresentable, Codable { case b, a }

  @Test("keys that say how they are coded make an object")
  func representableKeys_makeAnObject() throws {
    #expect(try text([Represented.b: 1, .a: 2]) == #"{"a":2,"b":1}"#)
  }

  struct Holder<Value: Encodable>: Encodable {
    var name = "x"
    var value: Value
  }

  @Test("other keys are an error that names the property")
  func otherKeys_areRefused() throws {
    var json = JSONWriter()
    var patch = PatchWriter()
    let encoder = ViewEncoder()
    let errors = [
      #expect(throws: CaptureError.self) { try encoder.write(Holder(value: [Tab.home: 1]), into: &json) },
      #expect(throws: CaptureError.self) { try encoder.write(Holder(value: [Tab: Int]()), into: &json) },
      #expect(throws: CaptureError.self) {
        try encoder.writeDifference(
          from: Holder(value: [Tab: Int]()), to: Holder(value: [Tab.home: 1]), into: &patch)
      },
      #expect(throws: CaptureError.self) { try encoder.write(Holder(value: [Tab: Int]?.some([:])), into: &json) },
    ]
    for error in errors {
      #expect(
        error?.description
          == "value: Dictionary<Tab, Int> has keys that are neither strings nor integers, and cannot be an object; "
          + "make Tab conform to CodingKeyRepresentable")
    }
    #expect(json.bytes.isEmpty)
    #expect(patch.count == 0)
  }
}
