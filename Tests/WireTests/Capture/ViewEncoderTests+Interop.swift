import Foundation
import RibClient
import RibTestSupport
import Testing

@testable import Wire

/// Sequences of views, for clients that apply one patch after the other.
extension ViewEncoderTests {
  /// A view and what became of it: by turns a patch and the view that it makes.
  private struct History {
    var first: String
    var steps: [(operations: String, view: String)] = []
  }

  private static let python = ProcessInfo.processInfo.environment["RIB_PYTHON"]

  private func history<View: RandomView>(
    of type: View.Type, _ encoder: ViewEncoder, _ generator: inout SeededGenerator
  ) throws -> History {
    func text(_ view: View) throws -> String {
      try JSONWriter.text { json throws(CaptureError) in try encoder.write(view, into: &json) }
    }
    var view = View.random(using: &generator)
    var history = History(first: try text(view))
    for _ in 0..<5 {
      let next = view.next(using: &generator)
      var patch = PatchWriter()
      try encoder.writeDifference(from: view, to: next, into: &patch)
      history.steps.append((patch.text, try text(next)))
      view = next
    }
    return history
  }

  /// 10,000 patches of views of every shape.
  private func histories(seed: UInt64) throws -> [History] {
    var generator = SeededGenerator(state: seed)
    let encoder = ViewEncoder()
    var histories: [History] = []
    for _ in 0..<200 {
      histories.append(try history(of: Pair<Int, String>.self, encoder, &generator))
      histories.append(try history(of: [Double?].self, encoder, &generator))
      histories.append(try history(of: [[Int]?].self, encoder, &generator))
      histories.append(try history(of: Pair<[[Int]], [[String: String]]>.self, encoder, &generator))
      histories.append(try history(of: [String: [String: Int]].self, encoder, &generator))
      histories.append(try history(of: [String: [Int]?].self, encoder, &generator))
      histories.append(try history(of: Person.self, encoder, &generator))
      histories.append(try history(of: Pair<Screen, [Screen]>.self, encoder, &generator))
      histories.append(try history(of: Tree.self, encoder, &generator))
      histories.append(try history(of: ByHand.self, encoder, &generator))
    }
    return histories
  }

  @Test("10,000 patches, applied by our client, make the views", arguments: TestRun.seeds())
  func patches_makeTheViews_inOurClient(seed: UInt64) throws {
    for history in try histories(seed: seed) {
      var client = ClientSession()
      _ = client.hello(app: "x")
      func receive(_ text: String) throws { _ = try client.receive(Array(text.utf8).span) }
      try receive(
        #"{"t":"welcome","sid":"s","cid":1,"token":"t","epoch":"e","rev":1,"n":0,"nacks":[],"resumed":false,"#
          + #""durability":"none","build":"b","ttl":0,"heartbeat":1000,"#
          + #""limits":{"messageBytes":0,"actionsPerSecond":0,"actionBurst":0}}"#)
      try receive(#"{"t":"snap","epoch":"e","rev":1,"n":0,"view":\#(history.first)}"#)
      for (index, step) in history.steps.enumerated() {
        let (base, next) = (index + 1, index + 2)
        try receive(#"{"t":"patch","rev":\#(next),"base":\#(base),"n":0,"ops":\#(step.operations)}"#)
        let view = try #require(client.view)
        let expected = try JSONValue.canonical(step.view)
        try #require(haveSameUTF8(view.text, expected), "seed \(seed): \(step.operations) from \(history)")
      }
    }
  }

  @Test(
    "10,000 patches, applied by PyPI's jsonpatch, make the views",
    .enabled(if: TestRun.includesTests(of: python), "make test sets RIB_PYTHON"), arguments: TestRun.seeds())
  func patches_makeTheViews_inJsonpatch(seed: UInt64) throws {
    let lines = try histories(seed: seed).map { history in
      "[\(([history.first] + history.steps.flatMap { [$0.operations, $0.view] }).joined(separator: ","))]"
    }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("patches-\(UUID().uuidString)")
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let (status, output, errors) = try Program.run(
      URL(fileURLWithPath: try #require(Self.python)),
      [repository.appendingPathComponent("Tests/Interop/patches.py").path, file.path])
    #expect(status == 0, "seed \(seed): \(errors.prefix(2000))")
    #expect(output == "10000\n")
  }
}
