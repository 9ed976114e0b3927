import RibCore
import RibTesting
import Testing
import Wire

struct TreeTests {
  @Test func start_showsTheWholeTree() throws {
    let session = try TestSession(Desk(detail: "a"))
    let state = #""state":{"count":0,"heard":"","loads":0,"name":"a"}"#
    let page = #"{"children":{"inner":{"ids":[],"kind":"slot"}},\#(state),"type":"Page"}"#
    let routes = #"{"aside":{"ids":[],"kind":"slot"},"detail":{"ids":[2],"kind":"slot"}}"#
    let desk = #"{"children":\#(routes),"state":{"count":0,"heard":"","ratio":1},"type":"Desk"}"#
    #expect(session.view.text == #"{"nodes":{"1":\#(desk),"2":\#(page)},"root":1}"#)
    #expect(session.tree.nodeCount == 2)
    #expect(session.tree.effectCount == 0)
  }

  @Test func start_thatIsRefused_leavesAnEmptyTree() throws {
    let tree = Tree(root: Broken())
    let renderer = ViewRenderer()
    for _ in 1...2 {
      let refusal = try #require(throws: Refusal.self) { try tree.start(rendering: renderer) }
      #expect(refusal.code == .failed)
      #expect(refusal.message.contains("Broken"))
      #expect(refusal.message.contains("ratio"))
      #expect(tree.nodeCount == 0)
      #expect(tree.effectCount == 0)
      #expect(tree.typeName(at: .path("")) == nil)
      #expect(renderer.patch.count == 0)
    }
  }

  @Test func stop_detachesEverything() throws {
    let journal = Journal()
    let session = try TestSession(Desk(detail: "a/b", journal: journal))
    try session.send(#"{"load":"it"}"#, to: .path("detail/inner"))
    let tokens = session.pendingEffects.map(\.token)
    _ = journal.take()
    session.stop()
    #expect(journal.take() == ["-desk", "-a", "-b"])
    #expect(session.cancelledEffects == tokens)
    #expect(session.tree.nodeCount == 0)
    #expect(session.tree.effectCount == 0)
    #expect(try session.snapshot().text == #"{"nodes":{}}"#)
    #expect(throws: Refusal.self) { try session.act(#"{"count":{}}"#) }
  }

  @Test func stop_ofATreeThatWasNotStarted_doesNothing() {
    #expect(Tree(root: Desk()).stop().isEmpty)
  }

  @Test func transaction_ofALargeTree_settles() throws {
    let session = try TestSession(Desk())
    try session.send(#"{"open":"\#((1...1000).map { "p\($0)" }.joined(separator: "/"))"}"#)
    #expect(session.tree.nodeCount == 1001)
    try session.send(#"{"close":{}}"#)
    #expect(session.tree.nodeCount == 1)
  }

  @Test func transaction_mayTakeAsManyStepsAsTheLimit() throws {
    let session = try TestSession(Countdown())
    #expect(try session.send(#"{"from":\#(Tree.settleLimit)}"#) == [#"replace /nodes/1/state "done""#])
    let refusal = try session.refusal(of: #"{"from":\#(Tree.settleLimit + 1)}"#)
    #expect(refusal.code == .failed)
    #expect(refusal.message.contains("Countdown"))
  }
}

/// Has nothing that JSON could show.
private struct Broken: Riblet {
  static let typeName = "Broken"
  struct ViewState: Encodable, Equatable { let ratio: Double }

  func makeState() {}
  func didBecomeActive(_ state: inout Void) -> Effect<Self> { .run { _ in } }
  func view(_ state: Void) -> ViewState { ViewState(ratio: .infinity) }
}

/// Takes as many steps as it is told.
private struct Countdown: Riblet {
  static let typeName = "Countdown"
  enum ViewAction: Decodable { case from(Int) }
  enum InternalAction: Sendable { case left(Int) }

  func makeState() -> String { "new" }

  func reduce(into state: inout String, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .from(let steps): .send(.left(steps - 1))
    }
  }

  func reduce(into state: inout String, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .left(0): state = "done"
    case .left(let steps): return .send(.left(steps - 1))
    }
    return .none
  }

  func view(_ state: String) -> String { state }
}
