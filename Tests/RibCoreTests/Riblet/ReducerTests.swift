import RibCore
import RibTesting
import Synchronization
import Testing
import Wire

/// What runs after a riblet's own reducer.
@Suite(.timeLimit(.minutes(5))) struct ReducerTests {
  /// What reducers have printed.
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    func take() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  private struct Search: Riblet {
    static let typeName = "Search"
    struct State: Codable, Equatable {
      var text = ""
      var searches = 0
      var page = Slot<Int>()
    }
    enum ViewAction: Codable { case type(String), open, refuse }
    enum InternalAction: Equatable, Sendable { case searched }

    var reducers: [Reducer<Self>] = []

    var routes: [Route<Self>] { [Route("page", \.page) { _ in Child(Page()) }] }
    func makeState() -> State { State() }
    func didBecomeActive(_ state: inout State) -> Effect<Self> { .none }

    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .type(let text): state.text = text
      case .open: state.page.attach(1)
      case .refuse: state.text = "refused"
      }
      return .none
    }

    func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
      state.searches += 1
      return .none
    }

    func view(_ state: State) -> String { state.text }
  }

  private struct Page: Riblet {
    static let typeName = "Page"
    func makeState() -> Int { 0 }
    func view(_ state: Int) -> Int { state }
  }

  @Test func change_isFollowed_onlyIfItIsOne() {
    let test = TestRiblet(
      Search(reducers: [
        .onChange(of: \.text) { old, new, state in
          state.searches += old.count
          return new.isEmpty ? .none : .send(.searched)
        }
      ]))
    test.send(.type("a")) { $0.text = "a" }
    test.receive(.searched) { $0.searches = 1 }
    test.send(.type("a"))
    test.send(.type("bc")) {
      $0.text = "bc"
      $0.searches = 2
    }
    test.receive(.searched) { $0.searches = 3 }
    test.send(.type("")) {
      $0.text = ""
      $0.searches = 5
    }
  }

  @Test func reducers_runInOrder_eachOnWhatTheOneBeforeHasLeft() {
    let test = TestRiblet(
      Search(reducers: [
        Reducer { state, event in
          if case .viewAction = event { state.text += "1" }
          return .none
        },
        .onChange(of: \.text) { old, new, state in
          state.text += "(\(old)>\(new))"
          return .none
        },
      ]))
    test.send(.type("a")) { $0.text = "a1(>a1)" }
  }

  @Test func reducer_canRefuse() throws {
    let session = try TestSession(
      Search(reducers: [.onChange(of: \.text) { _, new, _ in new == "refused" ? .refuse("Not that.") : .none }]))
    let before = try session.snapshot()
    #expect(try session.refusal(of: #""refuse""#).message == "Not that.")
    #expect(try session.snapshot() == before)
  }

  @Test func printing_saysWhatIsHandledAndWhatItChanges() throws {
    let lines = Lines()
    let session = try TestSession(Search(reducers: [.printing { lines.add($0) }]))
    #expect(lines.take() == ["Search activation\n  []"])
    try session.act(#"{"type":"x"}"#)
    #expect(lines.take() == ["Search viewAction type(\"x\")\n  " + #"[{"op":"replace","path":"/text","value":"x"}]"#])
    try session.act(#""open""#)
    _ = lines.take()
    #expect(try session.back())
    #expect(lines.take().map { $0.prefix(16) } == ["Search dismissal"])
  }

  @Test func stepBackThatTakesNothingAway_isNotFollowed() throws {
    struct List: Riblet {
      static let typeName = "List"
      let lines: Lines
      var reducers: [Reducer<Self>] {
        [
          Reducer { _, event in
            lines.add("\(event)")
            return .none
          }
        ]
      }
      var routes: [Route<Self>] { [Route("pages", \.self) { _ in Child(Page()) }] }
      func makeState() -> Items<Int> { Items([1, 2]) }
      func view(_ state: Items<Int>) -> Int { 0 }
    }
    let lines = Lines()
    let session = try TestSession(List(lines: lines))
    _ = lines.take()
    #expect(try !session.back())
    #expect(lines.take() == [])
  }

  @Test func restoration_isFollowed() throws {
    let lines = Lines()
    let root = Search(reducers: [
      Reducer { _, event in
        lines.add("\(event)")
        return .none
      }
    ])
    let session = try TestSession(root)
    _ = lines.take()
    _ = try session.restored(as: root)
    #expect(lines.take() == ["restoration", "activation"])
  }

  /// The same reducer for whatever riblet.
  private static func counting<Source: Interactor>(_ lines: Lines) -> Reducer<Source> {
    Reducer { _, event in
      if case .viewAction(let action) = event { lines.add("\(action)") }
      return .none
    }
  }

  @Test func oneReducer_servesSeveralRiblets() throws {
    let lines = Lines()
    struct Other: Riblet {
      static let typeName = "Other"
      enum ViewAction: Decodable { case tap }
      var reducers: [Reducer<Self>]
      func makeState() -> Int { 0 }
      func reduce(into state: inout Int, viewAction: ViewAction) -> Effect<Self> { .none }
      func view(_ state: Int) -> Int { state }
    }
    try TestSession(Search(reducers: [Self.counting(lines)])).act(#"{"type":"x"}"#)
    try TestSession(Other(reducers: [Self.counting(lines)])).act(#""tap""#)
    #expect(lines.take() == [#"type("x")"#, "tap"])
  }
}
