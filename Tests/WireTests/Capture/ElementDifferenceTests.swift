import RibTestSupport
import Testing

@testable import Wire

@Suite("Differences between two arrays")
struct ElementDifferenceTests {
  struct Row: Codable, Equatable, Identifiable, Sendable {
    var id: Int
    var title = "a title long enough to be worth keeping, and not to be sent again"
    var isDone = false
  }

  private func patch(_ old: [Row], _ new: [Row], prefersShorter: Bool = false) throws -> String {
    var patch = PatchWriter()
    try ViewEncoder(prefersShorter: prefersShorter).writeDifference(from: old, to: new, into: &patch)
    return patch.text
  }

  private func rows(_ ids: Int...) -> [Row] { ids.map { Row(id: $0) } }
  private func row(_ id: Int) throws -> String {
    try JSONWriter.text { json throws(CaptureError) in try ViewEncoder().write(Row(id: id), into: &json) }
  }

  @Test("an element that moved is moved, and the others stay")
  func movedElement_isMoved() throws {
    #expect(try patch(rows(1, 2, 3, 4), rows(2, 3, 4, 1)) == #"[{"op":"move","from":"/0","path":"/3"}]"#)
    #expect(try patch(rows(1, 2, 3, 4), rows(4, 1, 2, 3)) == #"[{"op":"move","from":"/3","path":"/0"}]"#)
    #expect(try patch(rows(1, 2, 3, 4), rows(1, 3, 2, 4)) == #"[{"op":"move","from":"/2","path":"/1"}]"#)
  }

  @Test("an element that moved and changed is moved and changed")
  func movedAndChanged() throws {
    var new = rows(3, 1, 2)
    new[0].isDone = true
    #expect(
      try patch(rows(1, 2, 3), new)
        == #"[{"op":"move","from":"/2","path":"/0"},{"op":"replace","path":"/0/isDone","value":true}]"#)
  }

  @Test("elements come, go and move at once")
  func allAtOnce() throws {
    #expect(
      try patch(rows(1, 2, 3, 4, 5), rows(5, 1, 9, 4))
        == #"[{"op":"remove","path":"/2"},{"op":"remove","path":"/1"},{"op":"move","from":"/2","path":"/0"},"#
        + #"{"op":"add","path":"/2","value":\#(try row(9))}]"#)
  }

  @Test("another id in a place is another element")
  func otherID_isAnotherElement() throws {
    #expect(
      try patch(rows(1, 2, 3), rows(1, 7, 3))
        == #"[{"op":"remove","path":"/1"},{"op":"add","path":"/1","value":\#(try row(7))}]"#)
  }

  @Test("one insertion among 10,000 is one operation, one change too, and two far apart are two")
  func manyRows_areOneOperation() throws {
    let old = (0..<10_000).map { Row(id: $0) }
    var new = old
    new.insert(Row(id: -1), at: 5000)
    #expect(try patch(old, new) == #"[{"op":"add","path":"/5000","value":\#(try row(-1))}]"#)
    #expect(try patch(new, old) == #"[{"op":"remove","path":"/5000"}]"#)
    new = old
    new[10].isDone = true
    #expect(try patch(old, new) == #"[{"op":"replace","path":"/10/isDone","value":true}]"#)
    new[9990].isDone = true
    #expect(
      try patch(old, new, prefersShorter: true)
        == #"[{"op":"replace","path":"/10/isDone","value":true},{"op":"replace","path":"/9990/isDone","value":true}]"#)
  }

  @Test("rows made anew have other bits, and are the same")
  func rowsMadeAnew_areTheSame() throws {
    func make() -> [Row] { (0..<100).map { Row(id: $0, title: "row number \($0) with a title on the heap") } }
    #expect(try patch(make(), make()) == "[]")
    var new = make()
    new[50].isDone = true
    new.swapAt(0, 99)
    let text = try patch(make(), new)
    #expect(text.contains(#"{"op":"replace","path":"/50/isDone","value":true}"#))
    #expect(try [PatchOperation](parsing: text).count == 3)
  }

  @Test("two elements with one id are no problem")
  func sameID_isNoProblem() throws {
    var patch = PatchWriter()
    let old = rows(1, 1, 2, 1)
    let new = rows(2, 1, 1, 1, 1)
    try ViewEncoder().writeDifference(from: old, to: new, into: &patch)
    try expect(patch, makes: new, of: old)
  }

  @Test("any change of any list comes out right", arguments: TestRun.seeds(91))
  func anyChange_comesOutRight(seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    let shorter = ViewEncoder()
    let exact = ViewEncoder(prefersShorter: false)
    for _ in 0..<3000 {
      var next = 0
      var old: [Row] = []
      for _ in 0..<Int.random(in: 0...8, using: &generator) {
        next += 1
        old.append(Row(id: next, title: .random(using: &generator)))
      }
      var new = old
      for _ in 0..<Int.random(in: 0...5, using: &generator) {
        let place = Int.random(in: 0...new.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
          next += 1
          new.insert(Row(id: next, title: .random(using: &generator)), at: place)
        case 1 where place < new.count: new.remove(at: place)
        case 2 where place < new.count:
          let row = new.remove(at: place)
          new.insert(row, at: Int.random(in: 0...new.count, using: &generator))
        default: if place < new.count { new[place].isDone.toggle() }
        }
      }
      for encoder in [shorter, exact] {
        var patch = PatchWriter()
        try encoder.writeDifference(from: old, to: new, into: &patch)
        try expect(patch, makes: new, of: old, "seed \(seed)")
        // An identity needs a removal, an addition or a move, and one operation for what changed in it.
        #expect(patch.count <= old.count + 2 * new.count, "seed \(seed)")
      }
    }
  }

  private func expect(_ patch: PatchWriter, makes new: [Row], of old: [Row], _ comment: Comment? = nil) throws {
    func text(_ rows: [Row]) throws -> String {
      try JSONWriter.text { json throws(CaptureError) in try ViewEncoder().write(rows, into: &json) }
    }
    var mirror = try JSONValue(parsing: try text(old))
    try mirror.apply([PatchOperation](parsing: patch.text))
    let after = try text(new)
    #expect(haveSameUTF8(mirror.text, try JSONValue.canonical(after)), comment)
  }
}
