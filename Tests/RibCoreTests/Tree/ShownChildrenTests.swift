import RibCore
import RibTesting
import Testing
import Wire

/// Where clients see the children of riblets that have no view.
struct ShownChildrenTests {
  private let journal = Journal()

  @Test func child_ofAViewlessOne_isShownByTheParent() throws {
    let session = try makeSession("-a")
    // The route to the viewless one itself has nothing to show.
    #expect(session.routeNames() == ["pages/inner"])
    #expect(session.route("pages/inner") == #"{"ids":[3],"kind":"slot"}"#)
    #expect(session.view["nodes"]?["2"] == nil)
    #expect(session.property("name", of: 3) == .string("a"))
    #expect(journal.take() == ["+rack", "+flow", "+a"])
  }

  @Test func path_leadsThroughViewlessOnes() throws {
    let session = try makeSession("--a/b")
    #expect(session.tree.typeName(at: .path("pages")) == "Flow")
    #expect(session.tree.typeName(at: .path("pages/inner")) == "Flow")
    #expect(try session.send(#"{"count":{}}"#, to: .path("pages/inner/inner")) == ["replace /nodes/4/state/count 1"])
    #expect(
      try session.send(#"{"count":{}}"#, to: .path("pages/inner/inner/inner")) == ["replace /nodes/5/state/count 1"])
  }

  @Test func viewlessOne_takesActions() throws {
    let session = try makeSession("-")
    #expect(session.route("pages/inner") == #"{"ids":[],"kind":"slot"}"#)
    let patch = try session.send(#"{"open":"a"}"#, to: .path("pages"))
    #expect(patch.count == 2)
    #expect(patch[0].hasPrefix("add /nodes/3 "))
    #expect(patch[1] == "add /nodes/1/children/pages~1inner/ids/0 3")
    #expect(
      try session.send(#"{"close":{}}"#, to: .path("pages")) == [
        "remove /nodes/1/children/pages~1inner/ids/0", "remove /nodes/3",
      ])
  }

  @Test func viewlessOnes_withinOneAnother_areLeftOut() throws {
    let session = try makeSession("---a")
    #expect(session.routeNames() == ["pages/inner/inner/inner"])
    #expect(session.route("pages/inner/inner/inner") == #"{"ids":[5],"kind":"slot"}"#)
    try session.send(#"{"close":{}}"#, to: .path("pages/inner/inner"))
    #expect(session.route("pages/inner/inner/inner") == #"{"ids":[],"kind":"slot"}"#)
    try session.send(#"{"close":{}}"#, to: .path("pages/inner"))
    #expect(session.routeNames() == ["pages/inner/inner"])
    try session.send(#"{"open":"--b/c"}"#, to: .path("pages/inner"))
    #expect(session.routeNames() == ["pages/inner/inner/inner/inner"])
    #expect(try session.ids(on: "pages/inner/inner/inner/inner") == [8])
    // A page's children are its own.
    #expect(try session.ids(on: "inner", of: 8) == [9])
  }

  @Test func viewlessOne_thatGoes_takesItsRoutesAlong() throws {
    let session = try makeSession("-a/b")
    _ = journal.take()
    let patch = try session.send("\"close\"")
    #expect(patch.filter { $0.hasPrefix("remove /nodes/") && !$0.contains("children") }.count == 2)
    #expect(session.routeNames() == ["pages"])
    #expect(session.route("pages") == #"{"ids":[],"kind":"list"}"#)
    #expect(session.tree.nodeCount == 1)
    #expect(journal.take() == ["-flow", "-a", "-b"])
  }

  @Test func viewlessOnes_sideBySide_areToldApartByNumber() throws {
    let session = try makeSession("-a", "b", "-c")
    #expect(session.routeNames() == ["pages", "pages[0]/inner", "pages[2]/inner"])
    #expect(session.route("pages") == #"{"ids":[null,3,null],"kind":"list"}"#)
    for path in ["pages[0]/inner", "pages[2]/inner"] {
      let id = try #require(try session.ids(on: path).first)
      #expect(try session.send(#"{"count":{}}"#, to: .path(path)) == ["replace /nodes/\(id)/state/count 1"])
    }
    try session.send("\"turn\"")
    #expect(
      session.property("name", of: Int(try #require(try session.ids(on: "pages[0]/inner").first))) == .string("c"))
  }

  @Test func selection_amongViewlessOnes_isShown() throws {
    let session = try TestSession(
      Rack(pages: Tabs("-a", "-b"), changes: ["1": { $0.pages.select(at: 1) }]))
    #expect(session.route("pages") == #"{"ids":[null,null],"kind":"tabs","selected":0}"#)
    #expect(session.routeNames() == ["pages", "pages[0]/inner", "pages[1]/inner"])
    #expect(try session.send("\"1\"") == ["replace /nodes/1/children/pages/selected 1"])
  }

  @Test func failure_leavesTheRoutesAsTheyWere() throws {
    let session = try makeSession("-a")
    #expect(try session.refusal(of: "\"fail\"").code == .failed)
    #expect(session.routeNames() == ["pages/inner"])
    try session.send(#"{"close":{}}"#, to: .path("pages"))
    #expect(session.route("pages/inner") == #"{"ids":[],"kind":"slot"}"#)
  }

  private func makeSession(_ paths: String...) throws -> TestSession {
    try TestSession(
      Rack(
        pages: Items(paths), journal: journal,
        changes: [
          "close": { $0.pages.removeAll { _ in true } }, "turn": { $0.pages.move($0.pages.keys[2], to: 0) },
          "fail": { state in
            state.pages.removeAll { _ in true }
            state.pages.append("-x")
            state.ratio = .nan
          },
        ]))
  }
}
