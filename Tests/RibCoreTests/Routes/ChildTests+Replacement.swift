import RibCore
import RibTesting
import Testing
import Wire

/// When an embedded child is told equal props again: its parent has put another state in the place of the child's.
extension ChildTests {
  /// Copies what it is told into its state, which is a part of its parent's.
  private struct Copyist: Riblet {
    static let typeName = "Copyist"
    typealias Props = String
    /// Not `Equatable`, and with bytes between its properties that no property uses.
    struct State: Identifiable {
      var id: Int
      var isDone = false
      var copy = ""
      var strokes = 0
    }
    enum ViewAction: Decodable {
      case write
      case rename(Int)
      /// Writes, and tells the parent so.
      case tell
    }
    enum Output: Sendable { case told, copied }

    let journal: Journal
    /// Whether the parent hears of each copy.
    var isLoud = false

    /// Never called, for the parent has the state.
    func makeState() -> State { State(id: -1) }

    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .write: state.strokes += 1
      case .rename(let id): state.id = id
      case .tell:
        state.strokes += 1
        return .output(.told)
      }
      return .none
    }

    func reduce(into state: inout State, props: String) -> Effect<Self> {
      journal.note("\(state.id) \(props)")
      state.copy = props
      return isLoud ? .output(.copied) : .none
    }

    func view(_ state: State) -> String { state.copy }
  }

  /// Has a part of its own: the state of a copyist.
  private struct Frame: Riblet {
    static let typeName = "Frame"
    struct State {
      var word = "a"
      var inner = Copyist.State(id: 8)
    }

    let journal: Journal

    var routes: [Route<Self>] {
      [Route("inner", \.inner) { [journal] in Child(Copyist(journal: journal), props: { $0.word }) { _ in nil } }]
    }

    /// Never called, for the parent has the state.
    func makeState() -> State { State() }
    func view(_ state: State) -> Int { 0 }
  }

  private struct Whole {
    enum Phase {
      case idle
      case open(Copyist.State)

      var part: Copyist.State? { if case .open(let part) = self { part } else { nil } }
    }

    var word = "a"
    var heard = 0
    var property = Copyist.State(id: 1)
    var optional: Copyist.State? = Copyist.State(id: 2)
    var phase = Phase.open(Copyist.State(id: 3))
    var array = [Copyist.State(id: 4), Copyist.State(id: 5)]
    var identified: IdentifiedArray = [Copyist.State(id: 6)]
    private var hidden = (isDone: false, copy: [String](), strokes: 0)
    /// Made anew by each access, in memory of its own, and with a copy that is never longer than this.
    var computed: Copyist.State {
      get {
        let copy = String(repeating: hidden.copy.joined(), count: 20)
        return Copyist.State(id: 7, isDone: hidden.isDone, copy: copy, strokes: hidden.strokes)
      }
      set { hidden = (newValue.isDone, newValue.copy.first.map { ["\($0)"] } ?? [], newValue.strokes) }
    }
    var frame = Frame.State()
  }
  private typealias Root = Scripted<Whole>

  /// A root with children on every kind of route to a part of its state, all of which are told its word.
  private func makeSession(
    _ journal: Journal, isLoud: Bool = false, _ changes: [String: Root.Change],
    onTold: @escaping @Sendable (inout Whole) -> Void = { $0.heard += 1 }
  ) throws -> TestSession {
    func child() -> Child<Root, Copyist.State> {
      Child(Copyist(journal: journal, isLoud: isLoud), props: { $0.word }) { output in
        switch output {
        case .told: .change(onTold)
        case .copied: .change { $0.heard += 1 }
        }
      }
    }
    let routes: [Route<Root>] = [
      Route("property", \.property, child),
      Route("optional", \.optional, child),
      Route("phase", \.phase, extract: \.part, embed: { .open($0) }, child),
      Route("array", \.array) { _ in child() },
      Route("identified", \.identified) { _ in child() },
      Route("computed", \.computed, child),
      Route("frame", \.frame) { Child(Frame(journal: journal)) },
    ]
    let session = try TestSession(Root(state: Whole(), routes: routes, changes: changes))
    #expect(journal.take() == (1...8).map { "\($0) a" })
    return session
  }

  private static let replacements: [(path: String, told: String, change: @Sendable (inout Whole) -> Void)] = [
    ("property", "1 a", { $0.property = Copyist.State(id: 1) }),
    ("optional", "2 a", { $0.optional = Copyist.State(id: 2) }),
    ("phase", "3 a", { $0.phase = .open(Copyist.State(id: 3)) }),
    ("array[1]", "5 a", { $0.array[1] = Copyist.State(id: 5) }),
    ("identified", "6 a", { $0.identified[id: 6] = Copyist.State(id: 6) }),
    ("computed", "7 a", { $0.computed = Copyist.State(id: 7) }),
    ("frame/inner", "8 a", { $0.frame = Frame.State() }),
  ]

  @Test(arguments: Self.replacements.indices)
  func props_ofAChildWhoseStateIsReplaced_areToldAgain(index: Int) throws {
    let journal = Journal()
    let (path, told, change) = Self.replacements[index]
    let session = try makeSession(journal, ["replace": change, "other": { $0.heard += 1 }])
    let shown = session.viewState(at: path)
    let node = session.tree.id(at: path)
    for _ in 1...2 {
      #expect(try session.send("\"replace\"") == [])
      #expect(journal.take() == [told])
      try session.send("\"other\"")
      #expect(journal.take() == [])
    }
    #expect(session.viewState(at: path) == shown)
    #expect(session.tree.id(at: path) == node)
  }

  @Test func props_ofChildrenThatAreOnlyMoved_areNotToldAgain() throws {
    let journal = Journal()
    let session = try makeSession(
      journal, ["reverse": { $0.array.reverse() }, "append": { $0.array.append(Copyist.State(id: 9)) }])
    try session.send("\"reverse\"")
    #expect(journal.take() == [])
    try session.send("\"append\"")
    #expect(journal.take() == ["9 a"])
  }

  @Test(arguments: ["property", "optional", "phase", "array[1]", "identified", "computed"])
  func props_ofAChildThatHasChangedItsOwnState_areNotToldAgain(path: String) throws {
    let journal = Journal()
    let session = try makeSession(journal, [:])
    // The parent reduces in the same transaction, after the child.
    for _ in 1...2 { try session.send("\"tell\"", to: .path(path)) }
    #expect(session.tree.state(of: 1, Root.self)?.heard == 2)
    #expect(journal.take() == [])
  }

  @Test func props_ofAChildWhoseChangeIsTakenBack_areToldAgain() throws {
    let journal = Journal()
    // One value, so that the state has the bits of the committed one again.
    let first = Whole()
    let session = try makeSession(journal, [:], onTold: { $0.property = first.property })
    try session.send("\"tell\"", to: .path("property"))
    #expect(journal.take() == ["1 a"])
    try session.send("\"tell\"", to: .path("property"))
    #expect(journal.take() == ["1 a"])
    #expect(session.viewState(at: "property") == .string("a"))
  }

  @Test func props_ofAChildThatGetsTheStateOfAnother_areToldAgain() throws {
    let journal = Journal()
    let session = try makeSession(journal, [:])
    // The child 5 is gone, as it has another id now; the child 4 finds the state of the child 5.
    try session.send(#"{"rename":4}"#, to: .path("array[1]"))
    #expect(journal.take() == [])
    try session.send(#"{"rename":9}"#, to: .path("array[0]"))
    #expect(journal.take().contains("4 a"))
  }

  @Test func props_ofAChildBehindAnotherThatTakesItsID_areToldAgain() throws {
    let journal = Journal()
    let session = try makeSession(journal, [:])
    try session.send("\"write\"", to: .path("array[0]"))
    // The child 5, the last one, finds the state of the first one now.
    try session.send(#"{"rename":5}"#, to: .path("array[0]"))
    #expect(journal.take() == ["5 a"])
  }

  @Test func props_thatAreToldAgain_mayBeAnsweredWithAnOutput() throws {
    let journal = Journal()
    let session = try makeSession(
      journal, isLoud: true, ["replace": { $0.computed = Copyist.State(id: 7) }, "other": { $0.heard += 1 }])
    let heard = try #require(session.tree.state(of: 1, Root.self)?.heard)
    try session.send("\"replace\"")
    #expect(journal.take() == ["7 a"])
    #expect(session.tree.state(of: 1, Root.self)?.heard == heard + 1)
    try session.send("\"other\"")
    #expect(journal.take() == [])
  }

  /// The parent writes into the child's state whenever the child says that it was told something.
  @Test func props_thatAreAnsweredByTheParent_endSomewhere() throws {
    struct Answering {
      var heard = 0
      var part = Copyist.State(id: 1)
    }
    let journal = Journal()
    let session = try TestSession(
      Scripted<Answering>(
        state: Answering(),
        routes: [
          Route("part", \.part) {
            Child(Copyist(journal: journal, isLoud: true), props: { _ in "a" }) { _ in .change { $0.part.strokes += 1 }
            }
          }
        ], changes: ["replace": { $0.part = Copyist.State(id: 1) }, "other": { $0.heard += 1 }]))
    // By what the parent has answered to the first telling.
    #expect(journal.take() == ["1 a", "1 a"])
    try session.send("\"replace\"")
    #expect(journal.take() == ["1 a"])
    #expect(session.tree.state(of: 1, Scripted<Answering>.self)?.part.strokes == 1)
    try session.send("\"other\"")
    #expect(journal.take() == [])
  }

  @Test(arguments: [false, true]) func props_ofChildrenThatShareTheirState_endSomewhere(isLoud: Bool) throws {
    struct Shared {
      var heard = 0
      private var part = Copyist.State(id: 1)
      var first: Copyist.State {
        get { part }
        set { part = newValue }
      }
      var second: Copyist.State {
        get { part }
        set { part = newValue }
      }
    }
    let journal = Journal()
    let session = try TestSession(
      Scripted<Shared>(
        state: Shared(),
        routes: [
          Route("first", \.first) {
            Child(Copyist(journal: journal, isLoud: isLoud), props: { _ in "a" }) { _ in .change { $0.heard += 1 } }
          },
          Route("second", \.second) {
            Child(Copyist(journal: journal, isLoud: isLoud), props: { _ in "b" }) { _ in .change { $0.heard += 1 } }
          },
        ], changes: ["other": { $0.heard += 1 }]))
    _ = journal.take()
    // Each of the two is told once at most.
    for _ in 1...2 {
      try session.send("\"other\"")
      #expect(journal.take().count <= 2)
    }
  }

  @Test func props_ofAReplacementThatIsUndone_areNotToldAgain() throws {
    struct Fragile {
      var heard = 0
      var part = Copyist.State(id: 1)
      var broken = Slot<NoConfig>()
    }
    let journal = Journal()
    let session = try TestSession(
      Scripted<Fragile>(
        state: Fragile(),
        routes: [
          Route("part", \.part) { Child(Copyist(journal: journal), props: { _ in "a" }) { _ in nil } },
          Route("broken", \.broken) { Child(Broken()) },
        ],
        changes: [
          "fail": { state in
            state.part = Copyist.State(id: 1)
            state.broken.attach()
          }, "other": { $0.heard += 1 },
        ]))
    _ = journal.take()
    #expect(try session.refusal(of: "\"fail\"").code == .failed)
    _ = journal.take()
    try session.send("\"other\"")
    #expect(journal.take() == [])
  }
}
