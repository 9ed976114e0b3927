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

  @Test func lastTypeName_isWhomTheLastEventWasFor() async throws {
    let session = try TestSession(Desk(detail: "a"))
    try session.send(#"{"load":"it"}"#, to: .path("detail"))
    #expect(session.tree.lastTypeName == "Page")
    _ = try session.refusal(of: #"{"unheardOf":{}}"#)
    #expect(session.tree.lastTypeName == "Desk")
    _ = try session.refusal(of: #"{"count":{}}"#, to: .id(9))
    #expect(session.tree.lastTypeName == nil)
    let report = try #require(try await session.reportsOfNextEffect().first)
    try session.deliver(report)
    #expect(session.tree.lastTypeName == "Page")
    try session.send(#"{"close":{}}"#)
    try session.deliver(report)
    #expect(session.tree.lastTypeName == nil)
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
