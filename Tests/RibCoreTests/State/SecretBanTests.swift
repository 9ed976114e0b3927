import RibCore
import Testing
import Wire

struct SecretBanTests {
  private struct Holder: Riblet {
    static let typeName = "Holder"
    struct Content: Codable, Equatable, Sendable { var rows: [[String: Secret<String>]] = [["a": Secret("x")]] }

    let isShown: Bool

    func makeState() -> Content { Content() }
    func view(_ content: Content) -> Content { isShown ? content : Content(rows: []) }
  }

  private func tree(_ root: Holder) throws -> Tree {
    let tree = Tree(root: root)
    _ = try tree.start(rendering: ViewRenderer())
    return tree
  }

  @Test func secret_isFoundWithItsPath() throws {
    let shown = try tree(Holder(isShown: true))
    let leak = try #require(shown.secretShown(by: shown.rootID))
    #expect(leak.type == "Secret<String>")
    #expect(leak.path == ["rows", "0", "a"])
    #expect(shown.secretSaved(by: shown.rootID) == leak)
    let saved = try tree(Holder(isShown: false))
    #expect(saved.secretShown(by: saved.rootID) == nil)
    #expect(saved.secretSaved(by: saved.rootID) == leak)
  }

  @Test func node_thatIsNotThere_hasNone() throws {
    let tree = try tree(Holder(isShown: true))
    #expect(tree.secretShown(by: 99) == nil)
    #expect(tree.secretSaved(by: 99) == nil)
  }

  @Test func otherwise_secretsAreWritten() throws {
    let tree = try tree(Holder(isShown: true))
    var json = JSONWriter()
    try tree.writeView(into: &json, rendering: ViewRenderer())
    #expect(String(decoding: json.bytes, as: UTF8.self).contains(#"{"rows":[{"a":null}]}"#))
  }
}
