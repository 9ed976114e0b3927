import Testing

@testable import Wire

@Suite("The members of an object")
struct JSONObjectTests {
  @Test("a member is put in, replaced and taken away")
  func members_comeAndGo() {
    var object = JSONObject()
    #expect(object.isEmpty)
    object["a"] = .integer(1)
    object["b"] = .null
    #expect(object == ["a": .integer(1), "b": .null])
    object["a"] = .integer(2)
    #expect(object["a"] == .integer(2))
    #expect(object.count == 2)
    #expect(object.removeValue(forKey: "a") == .integer(2))
    #expect(object.removeValue(forKey: "a") == nil)
    object["b"] = nil
    #expect(object.isEmpty)
    #expect(object["b"] == nil)
  }

  @Test("of two members with one key, the last counts")
  func lastMember_counts() {
    let object: JSONObject = ["a": .integer(1), "b": .integer(2), "a": .integer(3)]
    #expect(object == ["b": .integer(2), "a": .integer(3)])
  }

  @Test("the order means nothing")
  func order_meansNothing() {
    let ours: JSONObject = ["a": .integer(1), "b": .integer(2)]
    #expect(ours == ["b": .integer(2), "a": .integer(1)])
    #expect(ours != ["b": .integer(1), "a": .integer(2)])
    #expect(ours != ["a": .integer(1)])
    #expect(ours.keys.sorted() == ["a", "b"])
  }

  @Test("each member is visited once")
  func members_areVisited() {
    let keys = (0..<100).map { "key \($0)" }
    var object = JSONObject()
    for (index, key) in keys.enumerated() { object[key] = .integer(Int64(index)) }
    #expect(Set(object.map(\.key)) == Set(keys))
    #expect(object.allSatisfy { "key \($0.value.text)" == $0.key })
  }

  @Test(
    "RFC 8259 §8.3: keys that only look the same are two", arguments: [("\u{E9}", "e\u{301}"), ("\u{212B}", "\u{C5}")])
  func equivalentKeys_areTwo(one: String, other: String) {
    var object: JSONObject = [one: .integer(1), other: .integer(2)]
    #expect(object.count == 2)
    #expect(object[one] == .integer(1))
    object[other] = nil
    #expect(object == [one: .integer(1)])
    #expect(object != [other: .integer(1)])
  }
}
