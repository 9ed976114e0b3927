import RibCore
import RibTesting
import Testing
import Wire

/// Which children are there, and which of them are active.
extension AttachmentsTests {
  // MARK: all

  @Test func all_areActive() throws {
    let session = try TestSession(makeTabs(.all))
    #expect(session.active(1...9) == [1, 2, 3, 4, 5])
    try session.send("\"1\"")
    #expect(session.active(1...9) == [1, 2, 3, 4, 5])
    #expect(try session.send(#"{"count":{}}"#, to: .path("pages[2]")) == ["replace /nodes/4/state/count 1"])
  }

  @Test func all_stayActiveBelowTheTopOfAStack() throws {
    let session = try TestSession(makeStack(.all))
    try session.send("\"push\"")
    #expect(session.active(1...9) == [1, 2, 3, 4])
  }

  // MARK: lazy

  @Test func lazy_attachesWhatIsInFrontForTheFirstTime() throws {
    let journal = Journal()
    let session = try TestSession(makeTabs(.lazy, journal))
    #expect(journal.take() == ["+rack", "+a"])
    #expect(session.route("pages") == #"{"ids":[2,null,null],"kind":"tabs","selected":0}"#)
    for path in ["pages[1]", "pages[2]", "pages[2]/inner"] {
      #expect(try session.refusal(of: #"{"count":{}}"#, to: .path(path)).code == .gone)
    }
    let patch = try session.send("\"2\"")
    #expect(patch.count == 3)
    #expect(patch.last == #"replace /nodes/1/children/pages {"ids":[2,null,3],"kind":"tabs","selected":2}"#)
    #expect(session.route("pages") == #"{"ids":[2,null,3],"kind":"tabs","selected":2}"#)
    #expect(journal.take() == ["+c", "+d"])
  }

  @Test func lazy_staysAttachedAndActive() throws {
    let journal = Journal()
    let session = try TestSession(makeTabs(.lazy, journal))
    try session.send("\"2\"")
    try session.send("\"0\"")
    _ = journal.take()
    #expect(try session.send(#"{"count":{}}"#, to: .path("pages[2]")) == ["replace /nodes/3/state/count 1"])
    try session.send("\"2\"")
    #expect(journal.take() == [])
    #expect(session.property("count", of: 3) == .integer(1))
  }

  @Test func lazy_onAStack_attachesWhatWasNeverOnTop() throws {
    var stack = Stack("a")
    stack.push("b")
    let session = try TestSession(
      Rack(pages: stack, activation: .lazy, changes: ["pop": { $0.pages.pop() }, "push": { $0.pages.push("c") }]))
    #expect(session.route("pages") == #"{"ids":[null,2],"kind":"stack"}"#)
    try session.send("\"push\"")
    #expect(session.route("pages") == #"{"ids":[null,2,3],"kind":"stack"}"#)
    try session.send("\"pop\"")
    try session.send("\"pop\"")
    #expect(session.route("pages") == #"{"ids":[4],"kind":"stack"}"#)
    #expect(session.active(1...9) == [1, 4])
  }

  @Test func lazy_thatWasAttached_isRestored() throws {
    let session = try TestSession(Saved(changes: ["1": 1, "0": 0]))
    try session.send("\"1\"")
    try session.send("\"count\"", to: .path("pages[1]"))
    try session.send("\"0\"")
    let restored = try TestSession(Saved(changes: [:]), restoring: session.tree.snapshot())
    #expect(restored.view == session.view)
    #expect(restored.route("pages") == #"{"ids":[2,3,null],"kind":"tabs","selected":0}"#)
  }

  // MARK: selectedOnly

  @Test func selectedOnly_attachesAllAndActivatesOne() throws {
    let journal = Journal()
    let session = try TestSession(makeTabs(.selectedOnly, journal))
    #expect(try session.ids(on: "pages") == [2, 3, 4])
    #expect(session.active(1...9) == [1, 2])
    #expect(journal.take() == ["+rack", "+a"])
  }

  @Test func action_forAnInactiveNode_isRefused() throws {
    let session = try TestSession(makeTabs(.selectedOnly))
    for address in [.path("pages[1]"), .id(4), .path("pages[2]/inner")] as [NodeAddress] {
      let refusal = try session.refusal(of: #"{"count":{}}"#, to: address)
      #expect(refusal.code == .inactive)
      #expect(refusal.message.contains("Page"))
    }
    try session.send("\"2\"")
    try session.send(#"{"count":{}}"#, to: .path("pages[2]/inner"))
    #expect(try session.refusal(of: #"{"count":{}}"#, to: .path("pages")).code == .inactive)
  }

  @Test func selectedOnly_resignsBeforeItActivates() throws {
    let journal = Journal()
    let session = try TestSession(makeTabs(.selectedOnly, journal))
    _ = journal.take()
    try session.send("\"2\"")
    #expect(journal.take() == ["-a", "+c", "+d"])
    try session.send("\"0\"")
    #expect(journal.take() == ["-c", "-d", "+a"])
    try session.send("\"0\"")
    #expect(journal.take() == [])
  }

  @Test func selectedOnly_keepsTheStateOfTheOthers() throws {
    let session = try TestSession(makeTabs(.selectedOnly))
    try session.send(#"{"count":{}}"#, to: .path("pages"))
    #expect(try session.send("\"1\"") == ["replace /nodes/1/children/pages/selected 1"])
    #expect(session.property("count", of: 2) == .integer(1))
    try session.send("\"0\"")
    try session.send(#"{"count":{}}"#, to: .path("pages"))
    #expect(session.property("count", of: 2) == .integer(2))
  }

  @Test func deactivation_cancelsTheEffectsOfTheSubtree() async throws {
    let session = try TestSession(makeTabs(.selectedOnly))
    try session.send("\"2\"")
    for path in ["pages[2]", "pages[2]/inner"] { try session.send(#"{"load":"it"}"#, to: .path(path)) }
    let tokens = session.pendingEffects.map(\.token)
    let report = try #require(try await session.reportsOfNextEffect().first)
    try session.send("\"0\"")
    #expect(session.cancelledEffects == tokens)
    #expect(session.tree.effectCount == 0)
    for _ in 1...2 {
      let before = session.view
      try session.deliver(report)
      #expect(session.view == before)
      // Nor does it arrive when the node is active once more.
      try session.send("\"2\"")
    }
    #expect(session.tree.droppedActions == 2)
  }

  @Test func selectedOnly_onAStack_activatesTheTop() throws {
    let journal = Journal()
    let session = try TestSession(makeStack(.selectedOnly, journal))
    _ = journal.take()
    try session.send("\"push\"")
    #expect(journal.take() == ["-a", "-b", "+x"])
    #expect(session.active(1...9) == [1, 4])
    try session.send("\"pop\"")
    #expect(journal.take() == ["-x", "+a", "+b"])
    #expect(try session.ids(on: "pages") == [2])
    #expect(session.active(1...9) == [1, 2, 3])
    try session.send("\"push\"")
    _ = journal.take()
    try session.send("\"front a\"")
    #expect(journal.take() == ["-x", "+a", "+b"])
    #expect(try session.ids(on: "pages") == [5, 2])
  }

  @Test func reactivation_isParentFirst() throws {
    let journal = Journal()
    let tabs = Tabs("a/b/c/d", "e")
    let session = try TestSession(
      Rack(
        pages: tabs, activation: .selectedOnly, journal: journal,
        changes: ["0": { $0.pages.select(at: 0) }, "1": { $0.pages.select(at: 1) }]))
    #expect(journal.take() == ["+rack", "+a", "+b", "+c", "+d"])
    for _ in 1...2 {
      try session.send("\"1\"")
      #expect(journal.take() == ["-a", "-b", "-c", "-d", "+e"])
      try session.send("\"0\"")
      #expect(journal.take() == ["-e", "+a", "+b", "+c", "+d"])
    }
    #expect(session.tree.nodeCount == 6)
  }

  @Test func reactivation_startsEffectsAnew() throws {
    let session = try TestSession(Ring(census: Census(state: .init())))
    #expect(session.tree.effectCount == 0)
    for _ in 1...2 {
      try session.send(#"{"select":1}"#)
      #expect(session.pendingEffects.map(\.typeName) == ["Assembly", "Assembly", "Assembly"])
      let tokens = session.pendingEffects.map(\.token)
      try session.send(#"{"select":0}"#)
      #expect(Array(session.cancelledEffects.suffix(3)) == tokens)
      #expect(session.tree.effectCount == 0)
    }
  }

  @Test func reactivation_ofEmbeddedChildren_isParentFirst() throws {
    let journal = Journal()
    let state = Census.State(
      ward: .init(id: 1, tallies: [.init(id: 1), .init(id: 2)]), guest: .init(id: 2, pick: .init(id: 3)))
    let session = try TestSession(Ring(census: Census(state: state, journal: journal)))
    let activation = ["+ward 1", "+ward 2", "+tally 1", "+tally 2", "+tally 3"]
    #expect(Set(journal.take()) == Set(activation))
    try session.send("\"count\"", to: .path("tabs/ward/tallies"))
    for _ in 1...2 {
      try session.send(#"{"select":1}"#)
      #expect(journal.take() == ["-ward 1", "-tally 1", "-tally 2", "-ward 2", "-tally 3"])
      #expect(try session.refusal(of: "\"count\"", to: .path("tabs/ward/tallies")).code == .inactive)
      try session.send(#"{"select":0}"#)
      let order = journal.take()
      #expect(order.sorted() == activation.sorted())
      for (parent, children) in [("+ward 1", ["+tally 1", "+tally 2"]), ("+ward 2", ["+tally 3"])] {
        let index = try #require(order.firstIndex(of: parent))
        for child in children { #expect(try #require(order.firstIndex(of: child)) > index) }
      }
    }
    try session.send("\"count\"", to: .path("tabs/ward/tallies"))
    #expect(session.property("sum", of: 2) == .integer(2))
  }

  @Test func resigning_mayEmptyTheOwnRoute() throws {
    let journal = Journal()
    let session = try TestSession(Resigning(journal: journal))
    #expect(session.active(1...9) == [1, 2, 4])
    try session.send("\"next\"")
    #expect(journal.take() == ["+child", "-0", "-child"])
    #expect(try session.ids(on: "page", of: 2) == [])
    #expect(session.tree.typeName(at: .id(4)) == nil)
  }

  @Test func failure_bringsBackWhoWasActive() async throws {
    let session = try TestSession(makeTabs(.selectedOnly))
    try session.send(#"{"load":"it"}"#, to: .path("pages"))
    #expect(try session.refusal(of: "\"fail\"").code == .failed)
    #expect(session.active(1...9) == [1, 2])
    #expect(session.cancelledEffects == [])
    try await session.runNextEffect()
    #expect(session.property("loads", of: 2) == .integer(1))
    try session.send("\"2\"")
    #expect(session.active(1...9) == [1, 4, 5])
  }

  /// Tabs `a`, `b`, and `c` with `d` in it; nodes 1, 2, 3, 4 and 5 if all are attached.
  private func makeTabs(_ activation: ActivationPolicy, _ journal: Journal = Journal()) -> Rack<Tabs<String>> {
    Rack(
      pages: Tabs("a", "b", "c/d"), activation: activation, journal: journal,
      changes: [
        "0": { $0.pages.select(at: 0) }, "1": { $0.pages.select(at: 1) }, "2": { $0.pages.select(at: 2) },
        "fail": { state in
          state.pages.select(at: 2)
          state.ratio = .nan
        },
      ])
  }

  /// A stack of `a` with `b` in it: nodes 1, 2 and 3.
  private func makeStack(_ activation: ActivationPolicy, _ journal: Journal = Journal()) -> Rack<Stack<String>> {
    Rack(
      pages: Stack("a/b"), activation: activation, journal: journal,
      changes: [
        "push": { $0.pages.push("x") }, "pop": { $0.pages.pop() }, "front a": { $0.pages.bringToFront("a/b") },
      ])
  }
}
