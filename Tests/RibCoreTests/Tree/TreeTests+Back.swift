import RibCore
import RibTesting
import Testing
import Wire

/// The back button.
extension TreeTests {
  @Test func back_leavesTheDeepestFirst() throws {
    let session = try TestSession(Desk(detail: "a/b/c"))
    for left in [["a", "b"], ["a"], []] {
      #expect(try session.back())
      #expect(session.tree.nodeCount == left.count + 1)
      #expect(try session.snapshot() == session.view)
    }
    #expect(try !session.back())
    #expect(session.tree.nodeCount == 1)
    #expect(session.lastPatch == [])
  }

  @Test func back_takesTheLastRouteFirst() throws {
    let session = try TestSession(Desk(detail: "a/b"))
    try session.send(#"{"openAside":"c"}"#)
    #expect(try session.back())
    #expect(try session.ids(on: "aside") == [])
    #expect(session.tree.nodeCount == 3)
  }

  @Test func back_staysBelowItsNodeIfItCan() throws {
    let session = try TestSession(Desk(detail: "a/b"))
    try session.send(#"{"openAside":"c"}"#)
    #expect(try session.back(from: .path("detail")))
    #expect(try session.ids(on: "inner", of: 2) == [])
    // Nothing is below any more: the node itself is left.
    #expect(try session.back(from: .path("detail")))
    #expect(try session.ids(on: "detail") == [])
    #expect(try session.ids(on: "aside").count == 1)
  }

  @Test func back_leavesAStackButItsRoot() throws {
    var stack = Stack("a")
    for path in ["b", "c/d"] { stack.push(path) }
    let session = try TestSession(Rack(pages: stack, changes: [:]))
    #expect(session.tree.nodeCount == 5)
    for ids in [[2, 3, 4], [2, 3], [2]] as [[Int64]] {
      #expect(try session.back())
      #expect(try session.ids(on: "pages") == ids)
    }
    #expect(try !session.back())
    #expect(try !session.back(from: .path("pages")))
    #expect(try session.ids(on: "pages") == [2])
  }

  @Test func back_fromTheMiddleOfAStack_leavesWhatIsOnTopToo() throws {
    var stack = Stack("a")
    for path in ["b", "c"] { stack.push(path) }
    let session = try TestSession(Rack(pages: stack, changes: [:]))
    #expect(try session.back(from: .path("pages[1]")))
    #expect(try session.ids(on: "pages") == [2])
  }

  @Test(arguments: [ActivationPolicy.all, .lazy, .selectedOnly])
  func back_looksIntoTheSelectedTabOnly(activation: ActivationPolicy) throws {
    let session = try TestSession(
      Rack(
        pages: Tabs("a/b", "c/d"), activation: activation,
        changes: ["0": { $0.pages.select(at: 0) }, "1": { $0.pages.select(at: 1) }]))
    try session.send("\"1\"")
    #expect(try session.back())
    #expect(try session.ids(on: "inner", of: try #require(session.tab(0))).count == 1)
    #expect(try session.ids(on: "inner", of: try #require(session.tab(1))) == [])
    // A tab is not left, nor is another one looked into.
    #expect(try !session.back())
    try session.send("\"0\"")
    #expect(try session.back())
    #expect(try session.ids(on: "inner", of: try #require(session.tab(0))) == [])
  }

  @Test func back_fromAnInactiveNode_isRefused() throws {
    let session = try TestSession(Rack(pages: Tabs("a", "b/c"), activation: .selectedOnly, changes: [:]))
    let refusal = try #require(throws: Refusal.self) { try session.back(from: .path("pages[1]")) }
    #expect(refusal.code == .inactive)
    #expect(session.tree.nodeCount == 4)
  }

  @Test func back_emptiesAnOptional() throws {
    let state = Census.State(ward: .init(id: 1, pick: .init(id: 3, count: 2)), guest: .init(id: 2))
    let session = try TestSession(Census(state: state))
    #expect(try session.back())
    #expect(try session.ids(on: "guest") == [])
    #expect(try session.back())
    #expect(session.property("sum") == .integer(0))
    #expect(session.route("pick", of: 2) == #"{"ids":[],"kind":"slot"}"#)
    #expect(try !session.back())
    #expect(session.tree.nodeCount == 2)
  }

  @Test func back_leavesNoElementNoItemAndNoCase() throws {
    let state = Census.State(ward: .init(id: 1, tallies: [.init(id: 1)]), phase: .editing(.init(id: 2)))
    let census = try TestSession(Census(state: state))
    #expect(try !census.back())
    #expect(census.tree.nodeCount == 4)
    let items = try TestSession(Rack(pages: Items(["a", "b"]), changes: [:]))
    #expect(try !items.back(from: .path("pages[1]")))
    #expect(items.tree.nodeCount == 3)
  }

  @Test func back_leavesWhatAViewlessOneHolds() throws {
    let session = try TestSession(Rack(pages: Slot("--a"), changes: [:]))
    #expect(try session.back())
    #expect(try session.ids(on: "pages/inner/inner") == [])
    #expect(session.tree.nodeCount == 3)
    #expect(try session.back())
    #expect(session.tree.nodeCount == 2)
  }
}

extension TestSession {
  /// The id of a page of a ``Rack``.
  fileprivate func tab(_ index: Int) -> NodeID? {
    guard case .array(let ids) = view["nodes"]?["1"]?["children"]?["pages"]?["ids"], case .integer(let id) = ids[index]
    else { return nil }
    return Int(id)
  }
}
