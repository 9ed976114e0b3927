import Testing

@testable import Wire

@Suite("Types that find their differences themselves")
struct ViewDifferentiableTests {
  /// A log that only grows, and knows it.
  struct Log: ViewDifferentiable, Equatable {
    var lines: [String]

    func encode(to encoder: any Encoder) throws { try lines.encode(to: encoder) }

    func writeDifference(
      from old: Log, into patch: inout PatchWriter, using encoder: ViewEncoder
    ) throws(CaptureError) {
      for index in old.lines.count..<lines.count {
        try patch.at(index) { patch throws(CaptureError) in
          try patch.add { json throws(CaptureError) in try encoder.write("appended \(lines[index])", into: &json) }
        }
      }
    }
  }

  struct Page: Encodable {
    var number = 1
    var log: Log
  }

  @Test("the type's own operations are taken, at its place")
  func ownDifference_isTaken() throws {
    var patch = PatchWriter()
    try ViewEncoder().writeDifference(
      from: Page(log: Log(lines: ["a"])), to: Page(log: Log(lines: ["a", "b"])), into: &patch)
    #expect(patch.text == #"[{"op":"add","path":"/log/1","value":"appended b"}]"#)
    patch.removeAll()
    try ViewEncoder().writeDifference(from: [Log(lines: [])], to: [Log(lines: ["x"])], into: &patch)
    #expect(patch.text == #"[{"op":"add","path":"/0/0","value":"appended x"}]"#)
  }

  @Test("a value that did not change is not asked")
  func sameValue_isNotAsked() throws {
    let log = Log(lines: ["a"])
    var patch = PatchWriter()
    try ViewEncoder().writeDifference(from: Page(number: 1, log: log), to: Page(number: 2, log: log), into: &patch)
    #expect(patch.text == #"[{"op":"replace","path":"/number","value":2}]"#)
  }
}
