import RibCore
import RibTesting
import Testing
import Wire

/// How nodes come and go.
struct AnyNodeTests {
  private let journal = Journal()

  // MARK: Attach

  @Test func start_activatesParentsFirst() throws {
    _ = try TestSession(Desk(detail: "a/b/c", journal: journal))
    #expect(journal.take() == ["+desk", "+a", "+b", "+c"])
  }

  @Test func attach_activatesParentsFirst() throws {
    let session = try TestSession(Desk(journal: journal))
    #expect(journal.take() == ["+desk"])
    try session.send(#"{"open":"a/b/c"}"#)
    #expect(journal.take() == ["+a", "+b", "+c"])
  }

  @Test func attach_onceMore_activatesParentsFirst() throws {
    let session = try TestSession(Desk(detail: "a/b/c", journal: journal))
    try session.send(#"{"close":{}}"#)
    _ = journal.take()
    try session.send(#"{"open":"a/b/c"}"#)
    #expect(journal.take() == ["+a", "+b", "+c"])
    try session.send(#"{"replace":"d/e"}"#, to: .path("detail"))
    #expect(journal.take() == ["-b", "-c", "+d", "+e"])
  }

  @Test func attach_belowANodeThatIsDetachedMeanwhile_doesNotHappen() throws {
    // x is attached, then its g; what the closer says then detaches x, before g's turn to attach h comes.
    let session = try TestSession(Closing(journal: journal))
    #expect(
      try session.send("\"open\"") == [
        #"add /nodes/3 {"state":{},"type":"Closer"}"#, "add /nodes/1/children/closer/ids/0 3",
      ])
    #expect(journal.take() == ["+x", "+g", "-x", "-g"])
    #expect(session.tree.nodeCount == 2)
  }

  // MARK: Detach

  @Test func detach_resignsFromTheTopDown() throws {
    let session = try TestSession(Desk(detail: "a/b/c", journal: journal))
    _ = journal.take()
    try session.send(#"{"close":{}}"#)
    #expect(journal.take() == ["-a", "-b", "-c"])
  }

  @Test func replace_detachesTheOldBeforeItAttachesTheNew() throws {
    let session = try TestSession(Desk(detail: "a/b", journal: journal))
    _ = journal.take()
    try session.send(#"{"replace":"c/d"}"#)
    #expect(journal.take() == ["-a", "-b", "+c", "+d"])
  }

  @Test func detach_resignsChildrenWhoseParentHasLetGoOfThem() throws {
    let session = try TestSession(Leaver(depth: 0, journal: journal))
    // What they change in their state then is not shown any more.
    #expect(
      try session.send("\"close\"") == ["remove /nodes/1/children/next/ids/0", "remove /nodes/2", "remove /nodes/3"])
    #expect(journal.take() == ["-1", "-2"])
    #expect(session.tree.nodeCount == 1)
  }

  @Test func detach_cancelsTheEffectsOfTheSubtree() throws {
    let session = try TestSession(Desk(detail: "a/b/c", journal: journal))
    try session.send(#"{"openAside":"x"}"#)
    for place in ["detail", "detail/inner", "detail/inner/inner", "aside"] {
      try session.send(#"{"load":"it"}"#, to: .path(place))
    }
    let tokens = session.pendingEffects.map(\.token)
    try session.send(#"{"close":{}}"#)
    #expect(session.cancelledEffects == Array(tokens[0..<3]))
    #expect(session.pendingEffects.map(\.token) == [tokens[3]])
    #expect(session.tree.effectCount == 1)
  }

  @Test func detach_resignsAllBeforeItCancelsAny() throws {
    let counter = EffectCounter()
    let session = try TestSession(Watcher(depth: 0, counter: counter))
    counter.tree = session.tree
    #expect(session.tree.effectCount == 2)
    try session.send("\"close\"")
    #expect(counter.counts == [2, 2])
    #expect(session.tree.effectCount == 0)
  }

  @Test func report_ofADetachedNode_isDropped() async throws {
    let session = try TestSession(Desk(detail: "a/b", journal: journal))
    try session.send(#"{"load":"it"}"#, to: .path("detail/inner"))
    let report = try #require(try await session.reportsOfNextEffect().first)
    try session.send(#"{"reopen":"a/b"}"#)
    let before = session.view
    try session.deliver(report)
    #expect(session.tree.droppedActions == 1)
    #expect(session.lastPatch == [])
    #expect(session.view == before)
    #expect(try session.snapshot() == before)
  }

  @Test func report_afterTheEnd_isDropped() async throws {
    let session = try TestSession(Desk(detail: "a", journal: journal))
    try session.send(#"{"load":"it"}"#, to: .path("detail"))
    let report = try #require(try await session.reportsOfNextEffect().first)
    session.stop()
    try session.deliver(report)
    #expect(session.tree.droppedActions == 1)
  }
}

/// Attaches a page, and a child that has it detached.
private struct Closing: Riblet {
  static let typeName = "Closing"
  struct State {
    var page = Slot<String>()
    var closer = Slot<Int>()
  }
  enum ViewAction: Decodable { case open }
  struct ViewState: Encodable, Equatable {}

  let journal: Journal

  var routes: [Route<Self>] {
    [
      Route("page", \.page) { [journal] path in Child(Page(path: path, journal: journal)) { _, _ in .none } },
      Route("closer", \.closer) { _ in
        Child(Closer()) { state, _ in
          state.page.detach()
          return .none
        }
      },
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.page.attach("x/g/h")
    state.closer.attach(0)
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState() }
}

private struct Closer: Riblet {
  static let typeName = "Closer"
  enum Output: Sendable { case close }
  struct ViewState: Encodable, Equatable {}

  func makeState() {}
  func didBecomeActive(_ state: inout Void) -> Effect<Self> { .output(.close) }
  func view(_ state: Void) -> ViewState { ViewState() }
}

/// A chain of three; each empties its slot as its last act.
private struct Leaver: Riblet {
  static let typeName = "Leaver"
  struct State {
    var next: Slot<Int>
    var isLeaving = false
  }
  enum ViewAction: Decodable { case close }
  struct ViewState: Encodable, Equatable { let isLeaving: Bool }

  let depth: Int
  let journal: Journal

  var routes: [Route<Self>] {
    [Route("next", \.next) { [journal] depth in Child(Leaver(depth: depth, journal: journal)) }]
  }

  func makeState() -> State { State(next: depth < 2 ? Slot(depth + 1) : Slot()) }

  func willResignActive(_ state: inout State) {
    journal.note("-\(depth)")
    state.next.detach()
    state.isLeaving = true
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.next.detach()
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(isLeaving: state.isLeaving) }
}

/// What ``Watcher``s saw.
private final class EffectCounter {
  weak var tree: Tree?
  var counts: [Int] = []
}

/// A chain of three; all but the root start an effect, and note how many run when they resign.
private struct Watcher: Riblet {
  static let typeName = "Watcher"
  struct State { var next: Slot<Int> }
  enum ViewAction: Decodable { case close }
  struct ViewState: Encodable, Equatable {}

  let depth: Int
  let counter: EffectCounter

  var routes: [Route<Self>] {
    [Route("next", \.next) { [counter] depth in Child(Watcher(depth: depth, counter: counter)) }]
  }

  func makeState() -> State { State(next: depth < 2 ? Slot(depth + 1) : Slot()) }
  func didBecomeActive(_ state: inout State) -> Effect<Self> { depth > 0 ? .run { _ in } : .none }
  func willResignActive(_ state: inout State) { if let tree = counter.tree { counter.counts.append(tree.effectCount) } }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.next.detach()
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState() }
}
