import RibTestSupport
import Testing

@testable import Wire

@Suite("JSON texts one after the other")
struct JSONDocumentTests {
  @Test("a value stays right while its reader reads on")
  func heldElement_outlivesItsText() throws {
    var reader = JSONReader()
    var held: [(JSONElement, String)] = []
    for number in 0..<20 {
      let text = #"{"n":\#(number),"s":"\u0041\#(number)","a":[\#(number)]}"#
      let root = try reader.read(text).root
      held.append((try #require(root["a"]), "[\(number)]"))
      held.append((root, text))
      held.append((try #require(root["s"]), #""\u0041\#(number)""#))
      #expect(throws: JSONError.self) { try reader.read("[1,2") }
    }
    for (element, source) in held { #expect(element.source == source) }
  }

  @Test("memory that nobody holds is used again")
  func releasedDocument_isReused() throws {
    var reader = JSONReader()
    let first = ObjectIdentifier(try reader.read("[1]"))
    #expect(ObjectIdentifier(try reader.read("[2]")) == first)
    #expect(throws: JSONError.self) { try reader.read("[") }
    let held = try reader.read("[3]")
    #expect(ObjectIdentifier(held) == first)
    #expect(ObjectIdentifier(try reader.read("[4]")) != first)
    #expect(held.root.source == "[3]")
  }

  @Test("two copies of a reader do not share a document")
  func copiedReader_readsOnItsOwn() throws {
    var reader = JSONReader()
    _ = try reader.read("[0]")
    var copy = reader
    let ours = try reader.read("[1]").root
    let theirs = try copy.read("[2]").root
    #expect(ours.source == "[1]")
    #expect(theirs.source == "[2]")
  }

  @Test("after a refusal the next text is read as if nothing had been")
  func refusedText_leavesNothing() throws {
    var reader = JSONReader()
    for text in ["[[[[", #"{"a":{"b":"#, #"["\u00"#, "\"\u{0}\"", "[1]]", String(repeating: "[", count: 65)] {
      #expect(throws: JSONError.self) { try reader.read(text) }
      #expect(try JSONValue(reader.read(#"{"a":[1,{"b":[]}],"c":2}"#).root).text == #"{"a":[1,{"b":[]}],"c":2}"#)
    }
  }

  @Test("a text of just as many bytes as allowed is read, a longer one is not looked at")
  func length_isLimited() throws {
    var reader = JSONReader(limits: JSONLimits(bytes: 5))
    #expect(try reader.read("[123]").root.count == 1)
    #expect(throws: JSONError(reason: .tooLong, offset: 5)) { try reader.read("[1234]") }
    #expect(throws: JSONError(reason: .tooLong, offset: 5)) { try reader.read("\u{0}     ") }
  }

  @Test("an object that was not sent is empty")
  func emptyObject_hasNothing() {
    let empty = JSONElement.emptyObject
    #expect(empty.kind == .object)
    #expect(empty.count == 0)
    #expect(empty["a"] == nil)
    #expect(empty.source == "{}")
  }

  // MARK: Against another parser

  @Test("20,000 damaged texts are taken and refused as by Foundation", arguments: TestRun.seeds(1, 2, new: 2))
  func damagedText_meansTheSameToFoundation(seed: UInt64) {
    var generator = SeededGenerator(state: seed)
    // Foundation refuses half a surrogate pair.
    var reader = JSONReader(limits: JSONLimits(takesHalfPairs: false))
    var accepted = 0
    var refused = 0
    for _ in 0..<5000 {
      let text = JSONFuzz.text(using: &generator)
      let printed = "seed \(seed): \(String(decoding: text, as: UTF8.self).debugDescription)"
      // Foundation refuses numbers that are too large for a double; here they are read, and have no value.
      let ours = (try? reader.read(text.span).root).flatMap { JSONFuzz.isFinite($0) ? $0 : nil }
      guard !JSONFuzz.isLenient(about: text) else { continue }
      switch (ours, JSONFuzz.foundation(text)) {
      case (let ours?, let theirs?):
        accepted += 1
        #expect(JSONFuzz.isSame(ours, as: theirs), "\(printed)")
      case (nil, nil): refused += 1
      case (let ours, _): Issue.record("\(ours == nil ? "refused" : "accepted") by us alone, \(printed)")
      }
    }
    // Else nothing was compared.
    #expect(accepted > 1000)
    #expect(refused > 1000)
  }
}
