import RibCore
import RibSchema
import Synchronization
import Testing
import Wire

/// What a tree tells of the riblets in it.
@Suite struct SchemaBookTests {
  private struct Leaf: Riblet {
    static let typeName = "Leaf"
    struct ViewState: Encodable, Equatable { let depth: Int }

    func makeState() -> Int { 1 }
    func view(_ depth: Int) -> ViewState { ViewState(depth: depth) }
  }

  private struct Middle: ViewlessRiblet {
    static let typeName = "Middle"
    struct State: Codable, Equatable { var leaf = Slot(NoConfig()) }

    var routes: [Route<Self>] { [Route("leaf", \.leaf) { Child(Leaf()) }] }
    func makeState() -> State { State() }
  }

  private struct Top: Riblet {
    static let typeName = "Top"
    struct State: Codable, Equatable { var middle = Slot<NoConfig>() }
    enum ViewAction: Codable { case open, say(String) }
    struct ViewState: Codable, Equatable { let note: String? }

    var routes: [Route<Self>] { [Route("middle", \.middle) { Child(Middle()) }] }
    func makeState() -> State { State() }

    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      state.middle.attach()
      return .none
    }

    func view(_ state: State) -> ViewState { ViewState(note: nil) }
  }

  private func text(_ book: SchemaBook) -> String {
    var json = JSONWriter()
    book.write(into: &json)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  private static let top =
    #""Top":{"state":{"type":"object","#
    + #""properties":{"note":{"type":"string"}}},"action":{"oneOf":["#
    + #"{"title":"open","type":"object","properties":{"open":{"type":"object","properties":{}}},"#
    + #""required":["open"],"additionalProperties":false},"#
    + #"{"title":"say","type":"object","properties":{"say":{"type":"object","properties":{"_0":{"type":"string"}},"#
    + #""required":["_0"]}},"required":["say"],"additionalProperties":false},"#
    + #"{"title":"Short forms","anyOf":[{"enum":["open"]},{"type":"object","properties":{"say":"#
    + #"{"allOf":[{"type":"string"},{"not":{"type":"object","anyOf":[{"required":["_0"]}]}}]}},"#
    + #""required":["say"],"additionalProperties":false}]}]}}"#

  @Test func types_areThereOnceTheyWereAttached() throws {
    let book = SchemaBook()
    #expect(book.isEmpty && text(book) == "{}")
    let tree = Tree(root: Top())
    tree.visitor = book
    let renderer = ViewRenderer()
    _ = try tree.start(rendering: renderer)
    #expect(text(book) == "{\(Self.top)}")
    var reader = JSONReader()
    _ = try tree.perform(
      try reader.read(Array(#""open""#.utf8).span).root, for: .id(1), by: ActingClient(), rendering: renderer)
    // The riblet without a view is none that a client knows.
    let leaf = #"""
      "Leaf":{"state":{"type":"object","properties":{"depth":{"type":"integer"}},"required":["depth"]},"action":false}
      """#
    #expect(text(book) == "{\(leaf),\(Self.top)}")
  }

  @Test func book_isSharedByTrees() throws {
    let book = SchemaBook()
    for _ in 0..<2 {
      let tree = Tree(root: Top())
      tree.visitor = book
      _ = try tree.start(rendering: ViewRenderer())
    }
    #expect(text(book) == "{\(Self.top)}")
  }

  /// Shows what no client may send.
  private struct Strict: Riblet {
    static let typeName = "Strict"
    static let decoded = Atomic(0)

    enum Color: String, Codable { case red, green }

    struct ViewState: Codable, Equatable {
      let rows: [Int]
      let color: Color

      init(rows: [Int]) {
        self.rows = rows
        color = .green
      }

      init(from decoder: any Decoder) throws {
        Strict.decoded.add(1, ordering: .relaxed)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        rows = try container.decode([Int].self, forKey: .rows)
        color = try container.decode(Color.self, forKey: .color)
      }
    }

    func makeState() {}
    func view(_ state: Void) -> ViewState { ViewState(rows: [1]) }
  }

  @Test func viewState_isNeverDecoded() throws {
    let book = SchemaBook()
    let tree = Tree(root: Strict())
    tree.visitor = book
    _ = try tree.start(rendering: ViewRenderer())
    let properties =
      #""properties":{"rows":{"type":"array","items":{"type":"integer"}},"color":{"enum":["red","green"]}}"#
    #expect(text(book).contains(properties))
    #expect(Strict.decoded.load(ordering: .relaxed) == 0)
  }
}
