import RibCore
import RibTesting
import Testing
import Wire

/// What can be saved, and what is refused because it cannot.
extension TreeSnapshotTests {
  private struct Stubborn: Codable {
    var text = ""
    var isReady = true

    init() {}
    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

    func encode(to encoder: any Encoder) throws {
      guard isReady else {
        throw EncodingError.invalidValue(text, .init(codingPath: [], debugDescription: "not ready"))
      }
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }

  private func session() throws -> TestSession {
    try TestSession(
      Scripted(
        state: Stubborn(),
        changes: [
          "break": { $0.isReady = false },
          "grow": { $0.text = String(repeating: "x", count: Tree.stateLimit) },
          "fill": { $0.text = String(repeating: "x", count: Tree.stateLimit - 2) },
        ]))
  }

  @Test func state_thatCannotBeEncoded_isRefused() throws {
    let session = try session()
    _ = session.tree.takeCut()
    let refusal = try session.refusal(of: "\"break\"")
    #expect(refusal.code == .failed)
    #expect(refusal.message == "The state of Scripted cannot be saved: not ready")
    #expect(session.tree.takeCut().changed == [])
  }

  @Test func state_thatIsTooLarge_isRefused() throws {
    let session = try session()
    try session.send("\"fill\"")
    let refusal = try session.refusal(of: "\"grow\"")
    #expect(refusal.message.hasPrefix("The state of Scripted would have 4194306 bytes, more than 4 MiB."))
    // The cut has what was committed.
    #expect(session.tree.takeCut().changed.first?.state.text?.utf8.count == Tree.stateLimit)
  }

  @Test func elements_areNamedByTheirCode() throws {
    struct RowID: Hashable, Codable { let raw: Int }
    struct Row: Identifiable, Codable { let id: RowID }
    struct Line: Riblet {
      static let typeName = "Line"
      func makeState() -> Row { Row(id: RowID(raw: 0)) }
      func view(_ state: Row) -> Int { state.id.raw }
    }
    let session = try TestSession(
      Scripted(
        state: [3, 4].map { Row(id: RowID(raw: $0)) }, routes: [Route("lines", \.self) { _ in Child(Line()) }]))
    #expect(try session.tree.snapshot().nodes[1]?.children["lines"] == [#"{"raw":3}"#: 2, #"{"raw":4}"#: 3])
  }
}
