import RibCore
import RibTesting
import Synchronization
import Testing
import Wire

/// How large a view may become.
extension TreeTests {
  /// Says as much as it is told to.
  private struct Wide: Riblet {
    static let typeName = "Wide"
    enum ViewAction: Decodable { case grow(Int), set(Int) }
    struct ViewState: Encodable, Equatable { let text: String }

    func makeState() -> Int { 0 }

    func reduce(into size: inout Int, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .grow(let more): size += more
      case .set(let all): size = all
      }
      return .none
    }

    func view(_ size: Int) -> ViewState { ViewState(text: String(repeating: "x", count: size)) }
  }

  /// What the document has besides the text.
  private static let frame = #"{"root":1,"nodes":{"1":{"type":"Wide","state":{"text":""}}}}"#.utf8.count

  @Test func view_mayHave4MiB_andNoByteMore() throws {
    let session = try TestSession(Wide())
    try session.send(#"{"set":\#(Tree.viewLimit - Self.frame)}"#)
    let refusal = try session.refusal(of: #"{"grow":1}"#)
    #expect(refusal.code == .failed)
    #expect(refusal.message.contains("more than 4 MiB") && refusal.message.contains("Wide"))
    #expect(try session.send(#"{"set":1}"#) == [#"replace /nodes/1/state/text "x""#])
  }

  /// Counts how often its view is written.
  private struct Counted: Riblet {
    static let typeName = "Counted"
    enum ViewAction: Decodable { case none }
    final class Count: Sendable {
      let writes = Mutex(0)
    }
    struct ViewState: Encodable, Equatable {
      let count: Count
      static func == (ours: Self, theirs: Self) -> Bool { ours.count === theirs.count }
      func encode(to encoder: any Encoder) throws {
        count.writes.withLock { $0 += 1 }
        var container = encoder.singleValueContainer()
        try container.encode(String(repeating: "x", count: 100_000))
      }
    }

    let count: Count
    func makeState() -> Int { 0 }
    func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> { .none }
    func view(_ state: Int) -> ViewState { ViewState(count: count) }
  }

  /// What it says once is all there is to measure.
  @Test func start_writesLargeView_once() throws {
    let count = Counted.Count()
    let tree = Tree(root: Counted(count: count))
    _ = try tree.start(rendering: ViewRenderer())
    #expect(count.writes.withLock { $0 } == 1)
    #expect(tree.viewSize > 100_000)
  }

  /// Shows what it has, or keeps it to itself.
  private struct Shy: Riblet {
    static let typeName = "Shy"
    struct State: Codable {
      var texts: [String] = []
      var isShown = true
    }
    enum ViewAction: Decodable { case add(Int), hide(Int) }
    struct ViewState: Encodable, Equatable { let texts: [String] }

    func makeState() -> State { State() }

    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .add(let size): state.texts.append(String(repeating: "x", count: size))
      case .hide(let size):
        state.texts.append(String(repeating: "x", count: size))
        state.isShown = false
      }
      return .none
    }

    func view(_ state: State) -> ViewState { ViewState(texts: state.isShown ? state.texts : []) }
  }

  /// The size of a view that nobody was shown counts for nothing.
  @Test func viewLimit_afterAnUndo_isTheSame() throws {
    let session = try TestSession(Shy())
    try session.act(#"{"add":\#(Tree.viewLimit / 2)}"#)
    try session.act(#"{"add":\#(Tree.viewLimit / 2 - 1000)}"#)
    // Measured, small, and undone as the state is too large.
    #expect(throws: Refusal.self) { try session.act(#"{"hide":\#(Tree.stateLimit)}"#) }
    let refusal = #expect(throws: Refusal.self) { try session.act(#"{"add":1000}"#) }
    #expect(refusal?.message.contains("The view would have more than 4 MiB") == true)
  }

  @Test func view_isMeasuredByItsSize_notByItsPatches() throws {
    let session = try TestSession(Wide())
    // 20 MiB of patches, of a view that never has more than 1.
    for size in 1...20 { try session.act(#"{"set":\#((1 << 20) - size)}"#) }
    #expect(throws: Refusal.self) { try session.act(#"{"set":\#(5 << 20)}"#) }
  }

  /// What is kept for clients that come back is measured by it.
  @Test func viewSize_isOfTheView_notOfItsPatches() throws {
    let session = try TestSession(Wide())
    func change(_ times: Int) throws {
      for time in 1...times { try session.send(#"{"set":\#(time % 2)}"#) }
    }
    for _ in 1...100 {
      try change(20)
      #expect(session.tree.viewSize <= 2 * Self.frame)
    }
    try session.send(#"{"set":20000}"#)
    #expect(session.tree.viewSize == Self.frame + 20_000)
    // Not before the patches have eight times the bytes that it has.
    let patch = #"{"op":"replace","path":"/nodes/1/state/text","value":""}"#.utf8.count
    try change(5 * 20_000 / patch)
    #expect(session.tree.viewSize == Self.frame + 20_000)
    try change(4 * 20_000 / patch)
    #expect(session.tree.viewSize <= Self.frame + 1)
    // A patch that is longer than the view was says that it has grown.
    try session.send(#"{"set":9000}"#)
    #expect(session.tree.viewSize == Self.frame + 9_000)
    try session.send(#"{"set":20000}"#)
    #expect(session.tree.viewSize == Self.frame + 20_000)
  }
}
