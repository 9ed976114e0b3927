import RibCore
import RibTesting
import Testing
import Wire

/// What an action of a parent concerns of the children whose states are parts of its own.
extension RouteTests {
  /// A property, an optional, a case and two arrays, each with the states of children.
  private struct Whole {
    enum Phase {
      case idle
      case open(Seen.State)

      var part: Seen.State? { if case .open(let part) = self { part } else { nil } }
    }

    var property = Seen.State(id: 1, parts: [Seen.State(id: 11), Seen.State(id: 12)])
    var optional: Seen.State? = Seen.State(id: 2)
    var phase = Phase.open(Seen.State(id: 3))
    var array = [
      Seen.State(id: 4, parts: [Seen.State(id: 41), Seen.State(id: 42)]), Seen.State(id: 5), Seen.State(id: 6),
      Seen.State(id: 7), Seen.State(id: 8),
    ]
    var identified = IdentifiedArray((61...64).map { Seen.State(id: $0) })
    var other = 0
    /// Nothing that is in it can be shown.
    var broken = Slot<NoConfig>()
  }
  private typealias Root = Scripted<Whole>

  /// A root that writes down which of its children are looked at, and its changes.
  private func makeSession(
    _ journal: Journal, _ state: Whole, _ changes: [String: Root.Change]
  ) throws -> TestSession {
    let routes: [Route<Root>] = [
      Route("property", \.property) { Child(Seen(journal: journal)) },
      Route("optional", \.optional) { Child(Seen(journal: journal)) },
      Route("phase", \.phase, extract: \.part, embed: { .open($0) }) { Child(Seen(journal: journal)) },
      Route("array", \.array) { _ in Child(Seen(journal: journal)) },
      Route("identified", \.identified) { _ in Child(Seen(journal: journal)) },
      Route("broken", \.broken) { Child(Broken()) },
    ]
    let session = try TestSession(Root(state: state, routes: routes, changes: changes))
    session.asksViewsAgain = false
    _ = journal.take()
    return session
  }

  /// What a change has looked at, in order.
  private func seen(_ state: Whole = Whole(), after change: @escaping Root.Change) throws -> [Int] {
    let journal = Journal()
    let session = try makeSession(journal, state, ["change": change])
    try session.send("\"change\"")
    return journal.take().compactMap { Int($0) }.sorted()
  }

  // MARK: What is looked at

  @Test func change_ofWhatIsNoChilds_looksAtNone() throws {
    #expect(try seen { $0.other += 1 } == [])
    #expect(try seen { _ in } == [])
    // Nor does one that is taken back.
    #expect(
      try seen { state in
        state.property.count += 1
        state.property.count -= 1
      } == [])
  }

  @Test func change_ofAProperty_looksAtItsChild() throws {
    #expect(try seen { $0.property.count += 1 } == [1])
  }

  @Test func change_ofAnOptional_looksAtItsChild() throws {
    #expect(try seen { $0.optional?.count += 1 } == [2])
    #expect(try seen { $0.optional = nil } == [])
    // A new child is looked at as it is attached, and as it is shown.
    #expect(try seen { $0.optional = Seen.State(id: 20) } == [20, 20])
  }

  @Test func change_ofACase_looksAtItsChild() throws {
    #expect(try seen { $0.phase = .open(Seen.State(id: 3, count: 1)) } == [3])
    #expect(try seen { $0.phase = .idle } == [])
    #expect(try seen { $0.phase = .open(Seen.State(id: 30)) } == [30, 30])
  }

  @Test func change_ofOneElementAmongMany_looksAtItsChild() throws {
    #expect(try seen { $0.array[2].count += 1 } == [6])
    var many = Whole()
    many.array = (1000..<2000).map { Seen.State(id: $0) }
    #expect(try seen(many) { $0.array[500].count += 1 } == [1500])
    #expect(
      try seen(many) { state in
        state.array.swapAt(0, 999)
        state.array[0].count += 1
        state.array.remove(at: 1)
        state.array.insert(Seen.State(id: 9), at: 500)
      } == [9, 9, 1999])
  }

  @Test func insertion_looksAtWhatIsNew() throws {
    #expect(try seen { $0.array.insert(Seen.State(id: 9), at: 0) } == [9, 9])
    #expect(try seen { $0.array.insert(Seen.State(id: 9), at: 3) } == [9, 9])
    #expect(try seen { $0.array.append(Seen.State(id: 9)) } == [9, 9])
  }

  @Test func removalAndShuffle_lookAtNone() throws {
    #expect(try seen { $0.array.remove(at: 1) } == [])
    #expect(try seen { $0.array.removeAll() } == [])
    #expect(try seen { $0.array.reverse() } == [])
    #expect(try seen { state in state.array = [3, 0, 4, 1, 2].map { state.array[$0] } } == [])
    #expect(
      try seen { state in
        state.array.reverse()
        state.array[1].count += 1
      } == [7])
  }

  @Test func change_ofAnIdentifiedElement_looksAtItsChild() throws {
    #expect(try seen { $0.identified[id: 62]?.count += 1 } == [62])
    #expect(try seen { $0.identified.insert(Seen.State(id: 9), at: 0) } == [9, 9])
    #expect(try seen { $0.identified.remove(id: 62) } == [])
    #expect(try seen { $0.identified.move(id: 64, to: 0) } == [])
    #expect(try seen { $0.identified[id: 61]?.parts.append(Seen.State(id: 9)) } == [9, 9, 61])
  }

  @Test func change_ofAPartOfAPart_looksAtThePath() throws {
    #expect(try seen { $0.property.parts[1].count += 1 } == [1, 12])
    #expect(try seen { $0.array[0].parts[0].count += 1 } == [4, 41])
    #expect(try seen { $0.property.parts.insert(Seen.State(id: 13), at: 0) } == [1, 13, 13])
    #expect(try seen { $0.array[0].parts.removeFirst() } == [4])
    #expect(try seen { $0.property.parts.reverse() } == [1])
    // What moves with its owner is not looked at.
    #expect(try seen { $0.array.swapAt(0, 3) } == [])
  }

  // MARK: Several elements of one id

  /// A root with the elements 4, 4 and 5, of which the second has counted to 10.
  private var doubled: Whole {
    var state = Whole()
    state.array = [Seen.State(id: 4), Seen.State(id: 4, count: 10), Seen.State(id: 5)]
    return state
  }

  @Test func change_ofASecondElementOfOneID_looksAtNone() throws {
    #expect(try seen(doubled) { $0.array[1].count += 1 } == [])
    #expect(try seen(doubled) { $0.array[0].count += 1 } == [4])
    #expect(try seen(doubled) { $0.array.remove(at: 1) } == [])
    #expect(try seen(doubled) { $0.array.append(Seen.State(id: 5, count: 9)) } == [])
  }

  @Test func removal_ofTheFirstElementOfOneID_showsTheSecond() throws {
    let journal = Journal()
    let session = try makeSession(
      journal, doubled,
      ["remove": { $0.array.removeFirst() }, "insert": { $0.array.insert(Seen.State(id: 4, count: 7), at: 0) }])
    let child = try #require(try session.ids(on: "array").first)
    #expect(try session.send("\"remove\"") == ["replace /nodes/\(child)/state 10"])
    #expect(journal.take() == ["4"])
    #expect(try session.send("\"insert\"") == ["replace /nodes/\(child)/state 7"])
    #expect(journal.take() == ["4"])
  }

  @Test func move_ofAnElement_behindWhichIsAnotherOfItsID_showsTheFirst() throws {
    let journal = Journal()
    var state = Whole()
    state.array = [Seen.State(id: 4), Seen.State(id: 5)]
    // The one that was the second is the third, and there is one of its id in front.
    let session = try makeSession(
      journal, state, ["change": { $0.array.insert(Seen.State(id: 5, count: 1), at: 0) }])
    let child = try #require(try session.ids(on: "array").last)
    #expect(try session.send("\"change\"").contains("replace /nodes/\(child)/state 1"))
    #expect(journal.take() == ["5"])
  }

  @Test func elementsOfOneID_thatAnUndoneTransactionHasTakenAway_areStillTwo() throws {
    let session = try makeSession(
      Journal(), doubled,
      [
        "fail": { state in
          state.array = [Seen.State(id: 9), Seen.State(id: 4, count: 1)]
          state.broken.attach()
        },
        "change": { $0.array[1].count = 11 },
      ])
    let shown = session.viewState(at: "array[0]")
    #expect(try session.refusal(of: "\"fail\"").code == .failed)
    // The child's is the first of them, wherever it was found while the other was gone.
    try session.send("\"change\"")
    #expect(session.viewState(at: "array[0]") == shown)
  }

  // MARK: What is reconciled

  @Test(
    arguments: [
      ("property", "property"), ("optional", "optional"), ("phase", "phase"), ("element", "array[3]"),
      ("part", "property/parts[1]"), ("partOfElement", "array/parts[1]"),
    ])
  func change_ofAPart_reconcilesItsChildren(name: String, path: String) throws {
    let journal = Journal()
    func change(_ change: @escaping (inout Seen.State) -> Void) -> Root.Change {
      return { state in
        switch name {
        case "property": change(&state.property)
        case "optional":
          guard var part = state.optional else { return }
          change(&part)
          state.optional = part
        case "phase":
          guard var part = state.phase.part else { return }
          change(&part)
          state.phase = .open(part)
        case "element": change(&state.array[3])
        case "part": change(&state.property.parts[1])
        default: change(&state.array[0].parts[1])
        }
      }
    }
    let session = try makeSession(
      journal, Whole(),
      [
        "open": change { $0.bud.attach("a") }, "reopen": change { $0.bud.replace(with: "b") },
        "close": change { $0.bud.detach() }, "grow": change { $0.parts.append(Seen.State(id: 99, bud: Slot("c"))) },
      ])
    let node = try #require(session.tree.id(at: path))
    try session.send("\"open\"")
    let first = try session.ids(on: "bud", of: node)
    #expect(first.count == 1)
    try session.send("\"count\"", to: .path("\(path)/bud"))
    try session.send("\"reopen\"")
    let second = try session.ids(on: "bud", of: node)
    #expect(second.count == 1 && second != first)
    try session.send("\"close\"")
    #expect(try session.ids(on: "bud", of: node) == [])
    // A part of the part comes with what it has.
    try session.send("\"grow\"")
    let part = try #require(try session.ids(on: "parts", of: node).last)
    #expect(try session.ids(on: "bud", of: Int(part)).count == 1)
    #expect(session.tree.id(at: path) == node)
  }

  @Test func change_ofPartsThatMove_reconcilesTheirChildren() throws {
    let session = try makeSession(
      Journal(), Whole(),
      [
        "change": { state in
          state.array.reverse()
          state.array.insert(Seen.State(id: 9, bud: Slot("new")), at: 0)
          state.array[2].bud.attach("moved")
          state.array[5].parts.reverse()
          state.array[5].parts[0].bud.attach("inner")
          state.array.remove(at: 4)
        }
      ])
    let before = try session.ids(on: "array")
    let parts = try session.ids(on: "parts", of: Int(before[0]))
    try session.send("\"change\"")
    let after = try session.ids(on: "array")
    #expect(Array(after.dropFirst()) == [before[4], before[3], before[2], before[0]])
    #expect(try after.map { try session.ids(on: "bud", of: Int($0)).count } == [1, 0, 1, 0, 0])
    #expect(try session.ids(on: "parts", of: Int(before[0])) == Array(parts.reversed()))
    #expect(try session.ids(on: "bud", of: Int(parts[1])).count == 1)
  }

  @Test func optional_thatLeavesAtOnce_isDetached() throws {
    struct State { var guest: Fleeting.State? }
    let session = try TestSession(
      Scripted(
        state: State(), routes: [Route("guest", \.guest) { Child(Fleeting()) { _ in .change { $0.guest = nil } } }],
        changes: ["invite": { $0.guest = Fleeting.State() }]))
    for _ in 1...2 {
      #expect(try session.send("\"invite\"") == [])
      #expect(session.tree.nodeCount == 1)
    }
  }

  /// The state is as it was before the transaction, and the children are others meanwhile.
  @Test(arguments: [("open", ""), ("open", "drawer"), ("openElement", ""), ("open", "drawers[1]")])
  func part_thatIsSetBack_letsItsChildrenGo(action: String, path: String) throws {
    let session = try TestSession(Tidy())
    let drawers = try session.ids(on: "drawer") + session.ids(on: "drawers")
    for _ in 1...2 {
      try session.send("\"\(action)\"", to: .path(path))
      for drawer in drawers { #expect(try session.ids(on: "sheet", of: Int(drawer)) == []) }
      #expect(session.tree.nodeCount == 4)
    }
  }

  @Test func failure_afterAChangeOfParts_bringsThemBack() throws {
    let journal = Journal()
    let session = try makeSession(
      journal, Whole(),
      [
        "fail": { state in
          state.array.reverse()
          state.array[4].parts[1].bud.attach("a")
          state.property.parts.removeFirst()
          state.optional = Seen.State(id: 20, bud: Slot("b"))
          state.broken.attach()
        },
        "count": { $0.array[0].parts[1].count += 1 }, "open": { $0.property.parts[0].bud.attach("c") },
      ])
    let before = session.tree.nodeCount
    let parts = try session.ids(on: "parts", of: try #require(session.tree.id(at: "property")))
    #expect(try session.refusal(of: "\"fail\"").code == .failed)
    #expect(session.tree.nodeCount == before)
    _ = journal.take()
    try session.send("\"count\"")
    #expect(journal.take() == ["4", "42"])
    try session.send("\"open\"")
    #expect(journal.take() == ["1", "11"])
    #expect(try session.ids(on: "bud", of: Int(parts[0])).count == 1)
  }
}

/// Wants to leave as soon as it is there.
private struct Fleeting: Riblet {
  static let typeName = "Fleeting"
  struct State { var count = 0 }
  enum Output: Sendable { case leave }

  /// Never called, for the parent has the state.
  func makeState() -> State { State() }
  func didBecomeActive(_ state: inout State) -> Effect<Self> { .output(.leave) }
  func view(_ state: State) -> Int { state.count }
}

/// Puts everything back as soon as a drawer is open.
private struct Tidy: Riblet {
  static let typeName = "Tidy"
  struct State {
    var drawer = Drawer.State(id: 0)
    var drawers = [Drawer.State(id: 1), Drawer.State(id: 2)]
  }
  enum ViewAction: Decodable { case open, openElement }
  enum InternalAction: Sendable { case drawer(Drawer.Output) }

  /// One value, so that it has the same bits again.
  private let order = State()

  var routes: [Route<Self>] {
    [
      Route("drawer", \.drawer) { Child(Drawer()) { .drawer($0) } },
      Route("drawers", \.drawers) { _ in Child(Drawer()) { .drawer($0) } },
    ]
  }

  func makeState() -> State { order }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .open: state.drawer.sheet.attach("sheet")
    case .openElement: state.drawers[1].sheet.attach("sheet")
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .drawer(.opened): state = order
    }
    return .none
  }

  func view(_ state: State) -> Int { 0 }
}

/// Tells its parent that its sheet is there.
private struct Drawer: Riblet {
  static let typeName = "Drawer"
  struct State: Identifiable {
    let id: Int
    var sheet = Slot<String>()
  }
  enum ViewAction: Decodable { case open }
  enum InternalAction: Sendable { case sheet(Greeter.Output) }
  enum Output: Sendable { case opened }

  var routes: [Route<Self>] { [Route("sheet", \.sheet) { _ in Child(Greeter()) { .sheet($0) } }] }

  /// Never called, for the parent has the state.
  func makeState() -> State { State(id: -1) }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.sheet.attach("sheet")
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> { .output(.opened) }
  func view(_ state: State) -> Bool { state.sheet.config != nil }
}
