import RibCore
import RibTesting
import Testing
import Wire

/// What passes between a parent and its children: props downwards, outputs upwards.
struct ChildTests {
  private let journal = Journal()

  // MARK: Outputs

  @Test func output_thatIsNoActionOfTheParent_isPassedOver() throws {
    struct State {
      var page = Slot("a")
      var heard = 0
    }
    let session = try TestSession(
      Scripted(
        state: State(),
        routes: [
          Route("page", \.page) { path in
            Child(Page(path: path, journal: Journal())) { output in
              guard case .said("loud") = output else { return nil }
              return .change { $0.heard += 1 }
            }
          }
        ]))
    func heard() -> Int? { session.tree.state(of: 1, Scripted<State>.self)?.heard }
    let before = session.tree.transactionCount
    _ = session.takeEvents()
    #expect(try session.send(#"{"say":"quiet"}"#, to: .path("page")) == [])
    #expect(heard() == 0)
    #expect(session.takeEvents() == [.committed(transaction: before + 1)])
    #expect(session.tree.droppedActions == 0)
    try session.send(#"{"say":"loud"}"#, to: .path("page"))
    #expect(heard() == 1)
  }

  // MARK: Props

  @Test func props_areToldBeforeTheActivation() throws {
    let session = try makeSession(keepingJournal: true)
    #expect(
      journal.take() == [
        "dish 1 true", "+dish 1", "dish 2 false", "+dish 2", "drink 1 true", "+drink 1", "drink 2 false", "+drink 2",
      ])
    #expect([2, 3].map { session.property("isSelected", of: $0) } == [.bool(true), .bool(false)])
    #expect([4, 5].map { session.state(of: $0) } == [.bool(true), .bool(false)])
  }

  @Test(arguments: ["", "pointer"])
  func props_thatBecomeOthers_areToldInTheSameTransaction(path: String) throws {
    let session = try makeSession()
    let before = session.tree.transactionCount
    // Of the parent, or of a child whose state is a part of the parent's.
    let patch = try session.send(#"{"select":2}"#, to: .path(path))
    #expect(session.tree.transactionCount == before + 1)
    #expect(journal.take() == ["dish 1 false", "dish 2 true", "drink 1 false", "drink 2 true"])
    #expect(
      patch.filter { !$0.contains("heard") }.sorted() == [
        "replace /nodes/2/state/isSelected false", "replace /nodes/3/state/isSelected true",
        "replace /nodes/4/state false", "replace /nodes/5/state true", "replace /nodes/6/state 2",
      ])
  }

  @Test func props_thatAreEqual_areNotToldAgain() throws {
    let session = try makeSession()
    #expect(try session.send(#"{"rename":"card"}"#) == [#"replace /nodes/1/state/title "card""#])
    try session.send(#"{"select":1}"#)
    #expect(journal.take() == [])
    // Only to those for whom they are others.
    try session.send(#"{"select":9}"#)
    #expect(journal.take() == ["dish 1 false", "drink 1 false"])
  }

  @Test func props_ofAnEmbeddedChild_changeTheStateOfItsParent() throws {
    let session = try makeSession()
    try session.send(#"{"select":2}"#)
    let drinks = #""drinks":[{"id":1,"isSelected":false},{"id":2,"isSelected":true}]"#
    #expect(try session.tree.snapshot().nodes[1]?.state?.contains(drinks) == true)
  }

  @Test func props_thatBecomeOthers_keepTheNode() throws {
    let session = try makeSession()
    try session.send("\"order\"", to: .path("dishes"))
    _ = session.takeEvents()
    try session.send(#"{"select":2}"#)
    #expect(session.takeEvents() == [.committed(transaction: session.tree.transactionCount)])
    #expect(try session.ids(on: "dishes") == [2, 3])
    #expect(try session.ids(on: "drinks") == [4, 5])
    #expect(session.property("orders", of: 2) == .integer(1))
  }

  @Test func props_ofAChildThatComesLater_areThoseOfThen() throws {
    let session = try makeSession()
    try session.send(#"{"select":3}"#)
    _ = journal.take()
    try session.send(#"{"add":3}"#)
    #expect(journal.take() == ["dish 3 true", "+dish 3", "drink 3 true", "+drink 3"])
    try session.send(#"{"select":1}"#)
    #expect(journal.take() == ["dish 1 true", "dish 3 false", "drink 1 true", "drink 3 false"])
  }

  @Test func props_mayBeAnsweredWithAnOutput() throws {
    let session = try makeSession()
    #expect(session.property("heard") == .array([.integer(1)]))
    try session.send(#"{"select":2}"#)
    #expect(session.property("heard") == .array([.integer(1), .integer(2)]))
  }

  @Test func props_areToldBeforeTheRestoration() throws {
    let session = try makeSession()
    try session.send(#"{"select":2}"#)
    let other = Journal()
    let restored = try TestSession(Menu(journal: other), restoring: try session.savedSnapshot())
    #expect(restored.restoreReport?.lost == [])
    #expect(
      other.take() == [
        "dish 1 false", "=dish 1", "+dish 1", "dish 2 true", "=dish 2", "+dish 2",
        "drink 1 false", "=drink 1", "+drink 1", "drink 2 true", "=drink 2", "+drink 2",
      ])
    // What follows from them follows once more: the dish that is selected says so to its parent.
    #expect(restored.property("heard") == .array([.integer(1), .integer(2), .integer(2)]))
    try restored.send(#"{"select":1}"#)
    #expect(other.take() == ["dish 1 true", "dish 2 false", "drink 1 true", "drink 2 false"])
  }

  @Test func props_ofAnUndoneTransaction_wereNeverTold() throws {
    let session = try makeSession()
    let told = ["dish 1 false", "dish 2 true", "drink 1 false", "drink 2 true"]
    #expect(try session.refusal(of: #"{"fail":2}"#).code == .failed)
    #expect(journal.take() == told)
    // Those of before are the children's again, and need not be told; the others are others again.
    try session.send(#"{"rename":"card"}"#)
    #expect(journal.take() == [])
    try session.send(#"{"select":2}"#)
    #expect(journal.take() == told)
    #expect(session.property("heard") == .array([.integer(1), .integer(2)]))
  }

  @Test func props_followWhatAnAncestorChanges() throws {
    let session = try TestSession(
      Scripted(
        state: Menu.State(), routes: [Route("menu", \.self) { [journal] in Child(Menu(journal: journal)) }],
        changes: ["2": { $0.pointer.selected = 2 }, "title": { $0.title = "card" }]))
    _ = journal.take()
    try session.send("\"title\"")
    #expect(journal.take() == [])
    try session.send("\"2\"")
    #expect(journal.take() == ["dish 1 false", "dish 2 true", "drink 1 false", "drink 2 true"])
    #expect(session.property("isSelected", of: 4) == .bool(true))
  }

  /// Shows what it is told.
  private struct Listener: Riblet {
    static let typeName = "Listener"
    func makeState() -> String { "" }
    func reduce(into text: inout String, props: String) -> Effect<Self> {
      text = props
      return .none
    }
    func view(_ text: String) -> String { text }
  }

  /// Tells its child a text to which no route leads.
  private struct Teller: Riblet {
    static let typeName = "Teller"
    struct State {
      var text = "a"
      var listener = Slot(NoConfig())
    }
    enum ViewAction: Decodable { case say(String) }
    func makeState() -> State { State() }
    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      if case .say(let text) = viewAction { state.text = text }
      return .none
    }
    func view(_ state: State) -> Int { 0 }
    var routes: [Route<Self>] { [Route("listener", \.listener) { Child(Listener(), props: { $0.text }) }] }
  }

  @Test func props_followWhatNoRouteLeadsTo() throws {
    let session = try TestSession(Teller())
    #expect(session.viewState(at: "listener") == .string("a"))
    try session.act(#"{"say":"b"}"#, at: "")
    #expect(session.viewState(at: "listener") == .string("b"))
  }

  @Test func props_ofARibletWhoseTypeIsNotKnown_areAnError() async {
    await #expect(processExitsWith: .failure) { _ = try TestSession(Blind()) }
  }

  /// Attaches a dish, and does not know that.
  private struct Blind: Riblet {
    static let typeName = "Blind"
    enum InternalAction: Sendable { case dish(Dish.Output) }

    var routes: [Route<Self>] {
      [
        Route("dish", \.self) { id in
          let dish: any Riblet<Dish.Output> = Dish(id: id, journal: Journal())
          return Child(dish) { .dish($0) }
        }
      ]
    }

    func makeState() -> Slot<Int> { Slot(1) }
    func reduce(into state: inout Slot<Int>, internalAction: InternalAction) -> Effect<Self> { .none }
    func view(_ state: Slot<Int>) -> Int { 0 }
  }

  /// Menu 1, of whose children the first are selected; dishes 2 and 3, drinks 4 and 5, the pointer 6.
  private func makeSession(keepingJournal: Bool = false) throws -> TestSession {
    let session = try TestSession(Menu(journal: journal))
    if !keepingJournal { _ = journal.take() }
    return session
  }
}

extension TestSession {
  /// A node's view state.
  fileprivate func state(of node: NodeID) -> JSONValue? { view["nodes"]?["\(node)"]?["state"] }
}
