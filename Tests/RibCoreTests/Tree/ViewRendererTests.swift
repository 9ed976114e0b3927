import RibCore
import Testing
import Wire

struct ViewRendererTests {
  @Test func renderer_servesManyTrees() throws {
    let renderer = ViewRenderer()
    let trees = [Tree(root: Desk(detail: "a")), Tree(root: Desk())]
    for tree in trees { _ = try tree.start(rendering: renderer) }
    #expect(renderer.patch.count == 0)

    #expect(try patch(of: #"{"count":{}}"#, trees[0], renderer) == [.replace(["count"], 1)])
    #expect(throws: Refusal.self) { try patch(of: #"{"fail":{}}"#, trees[1], renderer) }
    #expect(renderer.patch.count == 0)
    #expect(try patch(of: #"{"count":{}}"#, trees[1], renderer) == [.replace(["count"], 1)])
    #expect(try patch(of: #"{"count":{}}"#, trees[0], renderer) == [.replace(["count"], 2)])
    #expect(try patch(of: #"{"close":{}}"#, trees[1], renderer) == [])
  }

  private func patch(of action: String, _ tree: Tree, _ renderer: ViewRenderer) throws -> [PatchOperation] {
    var reader = JSONReader()
    _ = try tree.perform(reader.read(action).root, for: .path(""), by: ActingClient(), rendering: renderer)
    return try reader.read("[\(String(decoding: renderer.patch.json.bytes, as: UTF8.self))]").root.operations
  }
}

extension PatchOperation {
  fileprivate static func replace(_ path: [String], _ value: Int64) -> PatchOperation {
    .replace(JSONPointer(["nodes", "1", "state"] + path), .integer(value))
  }
}

extension JSONElement {
  fileprivate var operations: [PatchOperation] {
    get throws {
      var operations: [PatchOperation] = []
      for element in elements { operations.append(try PatchOperation(element)) }
      return operations
    }
  }
}
