import RibCore
import RibTesting
import Testing
import Wire

/// A container that says what it likes.
private struct Wild: RouteContainer {
  var entries: [RouteEntry<String>] = []
  var selected: Int?
  var front: Int?
  var dismissed: [Int] = []
  var kind = "wild"
  var contents: RouteContents<String> {
    RouteContents(kind: kind, entries: entries, selected: selected, front: front)
  }

  mutating func dismiss(_ key: Int) -> Bool {
    dismissed.append(key)
    entries.removeAll { $0.key == key }
    return true
  }
}

/// Containers that are not ours, and trees that are large or in two minds.
extension AttachmentsTests {
  @Test(arguments: [-1, 0, 5, .max])
  func front_thatIsNowhere_isNothing(front: Int) throws {
    let session = try TestSession(
      Rack(
        pages: Wild(selected: front, front: front),
        changes: ["add": { $0.pages.entries = [.init(key: 1, config: "a")] }]))
    #expect(try session.back() == false)
    #expect(session.route("pages") == #"{"ids":[],"kind":"wild"}"#)
    try session.send("\"add\"")
    _ = try session.back()
    #expect(try session.snapshot() == session.view)
  }

  @Test func kind_mayChange_andIsUndone() throws {
    struct State {
      var pages = Wild(entries: [.init(key: 1, config: "a")])
      var slot = Slot<String>()
      var broken = Slot<NoConfig>()
    }
    func page(_ path: String) -> Child<Scripted<State>, OwnState> {
      Child(Page(path: path, journal: Journal())) { _ in nil }
    }
    let session = try TestSession(
      Scripted<State>(
        state: State(),
        routes: [
          Route("pages", \.pages, page), Route("slot", \.slot, page), Route("broken", \.broken) { Child(Broken()) },
        ],
        changes: [
          "grid": { $0.pages.kind = "grid" },
          "fail": { state in
            state.pages.kind = "lost"
            state.broken.attach()
          },
          "open": { $0.slot.attach("b") },
        ]))
    try session.send("\"grid\"")
    #expect(session.route("pages") == #"{"ids":[2],"kind":"grid"}"#)
    #expect(try session.refusal(of: "\"fail\"").code == .failed)
    // Another route's child has all routes be shown again.
    try session.send("\"open\"")
    #expect(session.route("pages") == #"{"ids":[2],"kind":"grid"}"#)
  }

  @Test func front_countsEqualEntriesOnce() throws {
    let entries = ["a", "a", "b"].map { RouteEntry(key: 1, config: $0) }
    let session = try TestSession(
      Rack(pages: Wild(entries: entries, selected: 2, front: 2), activation: .selectedOnly, changes: [:]))
    // The second a is the first one.
    #expect(session.route("pages") == #"{"ids":[2,3],"kind":"wild","selected":1}"#)
    #expect(session.active(1...3) == [1, 3])
  }

  @Test func largeSubtree_comesAndGoes() throws {
    struct State { var parts: [Part.State] = [] }
    let count = Tree.settleLimit + 1
    let session = try TestSession(
      Scripted(
        state: State(), routes: [Route("parts", \.parts) { _ in Child(Part()) }],
        changes: [
          "open": { $0.parts = (0..<count).map { Part.State(id: $0) } },
          "change": { state in for index in state.parts.indices { state.parts[index].count += 1 } },
          "close": { $0.parts = [] },
        ]))
    for change in ["open", "change", "close"] { try session.act("\"\(change)\"") }
    #expect(session.tree.nodeCount == 1)
  }

  /// What comes into a tab's place and sends the user back at once leaves the tab as it was.
  @Test func tabThatIsLeftAndReturnedTo_isWhollyActive() throws {
    let session = try TestSession(Gate())
    #expect(session.active(1...4) == [1, 2, 4])
    try session.send("\"go\"")
    #expect(session.property("selected") == .integer(0))
    #expect(session.active(1...4) == [1, 2, 4])
  }

  @Test func tree_thatRests_goesOn() throws {
    let journal = Journal()
    let session = try TestSession(Desk(detail: "a/b", journal: journal))
    try session.send(#"{"load":"it"}"#, to: .path("detail"))
    _ = journal.take()
    try session.setActive(false)
    #expect(session.active(1...3) == [])
    #expect(session.pendingEffects.isEmpty)
    #expect(try session.refusal(of: #"{"count":{}}"#).code == .inactive)
    try session.setActive(true)
    #expect(session.active(1...3) == [1, 2, 3])
    #expect(journal.take().count == 6)
    #expect(try session.snapshot() == session.view)
  }
}

/// Selects its second page, which sends it back.
private struct Gate: Riblet {
  static let typeName = "Gate"
  struct State {
    /// Its change may change anything, so that the gate is reconciled once more.
    var banner: Middle.State? { didSet { changes += 1 } }
    var changes = 0
    var tabs = Tabs("home", "login")
  }
  enum ViewAction: Decodable { case go }
  enum InternalAction: Sendable { case login(Login.Output) }
  struct ViewState: Encodable, Equatable { let selected: Int }

  var routes: [Route<Self>] {
    [
      Route("banner", \.banner) { Child(Middle()) },
      Route("tabs", \.tabs, activation: .selectedOnly) { name in
        name == "home" ? Child(Home()) : Child(Login()) { .login($0) }
      },
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.banner = Middle.State()
    state.tabs.select(at: 1)
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .login(.needsLogin): state.tabs.select(at: 0)
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(selected: state.tabs.selected ?? -1) }

  struct Home: Riblet {
    static let typeName = "Home"
    var routes: [Route<Self>] { [Route("inner", \.self) { Child(Bud(name: $0)) }] }
    func makeState() -> Slot<String> { Slot("bud") }
    func view(_ state: Slot<String>) -> Int { 0 }
  }

  struct Login: Riblet {
    static let typeName = "Login"
    enum Output: Sendable { case needsLogin }
    func makeState() -> Int { 0 }
    func didBecomeActive(_ state: inout Int) -> Effect<Self> { .output(.needsLogin) }
    func view(_ state: Int) -> Int { state }
  }
}
