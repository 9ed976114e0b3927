import RibCore
import RibTesting
import Testing
import Wire

/// What an action of a child concerns whose state is a part of its parent's.
extension RouteTests {
  private enum Phase {
    case idle
    case counting(Part.State)
    case done(Int)

    var part: Part.State? { if case .counting(let part) = self { part } else { nil } }
  }

  private func bud<Parent>(_ name: String) -> Child<Parent, OwnState> { Child(Bud(name: name)) }

  // MARK: Computed, observed, overlapping

  @Test func computedContainer_followsWhatItIsComputedFrom() throws {
    struct State {
      var part = Part.State()
      var computed: Slot<String> { part.count < 2 ? Slot() : Slot("computed") }
    }
    let session = try TestSession(
      Scripted(
        state: State(),
        routes: [Route("part", \.part) { Child(Part()) }, Route("computed", \.computed) { bud($0) }]))
    try session.send("\"count\"", to: .path("part"))
    #expect(try session.ids(on: "computed").isEmpty)
    try session.send("\"count\"", to: .path("part"))
    #expect(try session.ids(on: "computed").count == 1)
  }

  @Test func observedProperty_mayChangeAnything() throws {
    struct State {
      var watched = Part.State() {
        didSet {
          changes.replace(with: "\(watched.count)")
          other.count = watched.count
          if watched.count == 2 { other.inner.attach("other's") }
        }
      }
      var changes = Slot<String>()
      var other = Part.State()
    }
    let session = try TestSession(
      Scripted(
        state: State(),
        routes: [
          Route("watched", \.watched) { Child(Part()) }, Route("changes", \.changes) { bud($0) },
          Route("other", \.other) { Child(Part()) },
        ]))
    try session.send("\"count\"", to: .path("watched"))
    let first = try session.ids(on: "changes")
    #expect(first.count == 1)
    let other = Int(try session.ids(on: "other")[0])
    #expect(session.view["nodes"]?["\(other)"]?["state"] == .integer(1))
    try session.send("\"count\"", to: .path("watched"))
    #expect(try session.ids(on: "changes").count == 1 && session.ids(on: "changes") != first)
    #expect(try session.ids(on: "inner", of: other).count == 1)
  }

  @Test func containerWithinAPart_followsIt() throws {
    struct State { var part = Part.State() }
    let session = try TestSession(
      Scripted(
        state: State(),
        routes: [Route("part", \.part) { Child(Part()) }, Route("overlapping", \.part.inner) { bud($0) }]))
    try session.send("\"open\"", to: .path("part"))
    #expect(try session.ids(on: "overlapping").count == 1)
  }

  @Test(arguments: ["property", "optional", "array"])
  func observedPropertyAbove_mayChangeWhatIsBetween(kind: String) throws {
    /// Takes the part away at two, and opens a slot at one.
    @Sendable func change(_ middle: inout Middle.State) {
      if middle.part?.count == 1 { middle.slot.attach("one") }
      if middle.part?.count == 2 { middle.part = nil }
    }
    struct State {
      let change: @Sendable (inout Middle.State) -> Void
      var property = Middle.State() { didSet { change(&property) } }
      var optional: Middle.State? = Middle.State() { didSet { if optional != nil { change(&optional!) } } }
      var list = [Middle.State()] { didSet { change(&list[0]) } }
    }
    typealias Root = Scripted<State>
    let route: Route<Root> =
      switch kind {
      case "property": Route("middle", \.property) { Child(Middle()) }
      case "optional": Route("middle", \.optional) { Child(Middle()) }
      default: Route("middle", \.list) { _ in Child(Middle()) }
      }
    let session = try TestSession(Root(state: State(change: change), routes: [route]))
    try session.send("\"count\"", to: .path("middle/part"))
    let middle = Int(try session.ids(on: "middle")[0])
    #expect(try session.ids(on: "slot", of: middle).count == 1)
    try session.send("\"count\"", to: .path("middle/part"))
    let after = Int(try session.ids(on: "middle")[0])
    #expect(try session.ids(on: "part", of: after).isEmpty)
  }

  @Test func containerOfTheRoot_followsAPartOfAPart() throws {
    struct State {
      var middle = Middle.State()
      var many: Slot<String> { (middle.part?.count ?? 0) > 1 ? Slot("many") : Slot() }
    }
    let session = try TestSession(
      Scripted(
        state: State(),
        routes: [
          Route("middle", \.middle) { Child(Middle()) }, Route("many", \.many) { bud($0) },
          Route("slot", \.middle.part!.inner) { bud($0) },
        ]))
    try session.send("\"count\"", to: .path("middle/part"))
    #expect(try session.ids(on: "many").isEmpty)
    try session.send("\"count\"", to: .path("middle/part"))
    try session.send("\"open\"", to: .path("middle/part"))
    #expect(try session.ids(on: "many").count == 1)
    #expect(try session.ids(on: "slot").count == 1)
  }

  // MARK: Identity

  @Test func element_thatBecomesAnother_isAnotherChild() throws {
    let session = try TestSession(
      Scripted(state: (1...3).map { Part.State(id: $0) }, routes: [Route("parts", \.self) { _ in Child(Part()) }]))
    let before = try session.ids(on: "parts")
    try session.send(#"{"rename":9}"#, to: .path("parts[1]"))
    let after = try session.ids(on: "parts")
    #expect(after[0] == before[0] && after[2] == before[2])
    #expect(!before.contains(after[1]))
  }

  /// Of elements with one id the first has a child.
  @Test func element_thatTakesTheIDOfTheNext_isShownByItsNode() throws {
    let parts = [Part.State(id: 1, count: 5, inner: Slot("a")), Part.State(id: 2, count: 7)]
    let session = try TestSession(Scripted(state: parts, routes: [Route("parts", \.self) { _ in Child(Part()) }]))
    let before = try session.ids(on: "parts")
    try session.send(#"{"rename":2}"#, to: .path("parts[0]"))
    #expect(try session.ids(on: "parts") == [before[1]])
    #expect(session.view["nodes"]?["\(before[1])"]?["state"] == .integer(5))
    #expect(try session.ids(on: "inner", of: NodeID(before[1])).count == 1)
  }

  /// An identified array has one element of an id: the other one is gone.
  @Test func identifiedElement_thatTakesTheIDOfAnother_isShownByItsNode() throws {
    let parts = IdentifiedArray([Part.State(id: 1, count: 5), Part.State(id: 2, count: 7, inner: Slot("a"))])
    let session = try TestSession(Scripted(state: parts, routes: [Route("parts", \.self) { _ in Child(Part()) }]))
    let before = try session.ids(on: "parts")
    try session.send(#"{"rename":2}"#, to: .path("parts[0]"))
    #expect(try session.ids(on: "parts") == [before[1]])
    #expect(session.view["nodes"]?["\(before[1])"]?["state"] == .integer(5))
    #expect(try session.ids(on: "inner", of: NodeID(before[1])).isEmpty)
  }

  /// The node of an id that another element has as well is that one's once the first has another id.
  @Test func element_thatLeavesItsIDToTheNext_leavesItsNode() throws {
    let parts = [Part.State(id: 1, count: 5, inner: Slot("a")), Part.State(id: 1, count: 7)]
    let session = try TestSession(Scripted(state: parts, routes: [Route("parts", \.self) { _ in Child(Part()) }]))
    let before = try session.ids(on: "parts")
    try session.send(#"{"rename":2}"#, to: .path("parts[0]"))
    let after = try session.ids(on: "parts")
    #expect(after.count == 2 && after[1] == before[0])
    #expect(after.map { session.view["nodes"]?["\($0)"]?["state"] } == [.integer(5), .integer(7)])
    #expect(try after.map { try session.ids(on: "inner", of: NodeID($0)).count } == [1, 0])
  }

  private struct Parts {
    var parts: [Part.State]
    var broken = Slot<NoConfig>()
  }

  private func makeSession(_ parts: [Part.State], _ change: @escaping (inout Parts) -> Void) throws -> TestSession {
    try TestSession(
      Scripted(
        state: Parts(parts: parts),
        routes: [Route("parts", \.parts) { _ in Child(Part()) }, Route("broken", \.broken) { Child(Broken()) }],
        changes: ["change": change]))
  }

  /// The child of the elements with one id is the first one's also when others have been looked at meanwhile.
  @Test func failure_withoutElementsOfOneID_readsTheFirstAgain() throws {
    let session = try makeSession([Part.State(id: 1, count: 5), Part.State(id: 1, count: 7)]) { state in
      state.parts = [Part.State(id: 9), Part.State(id: 1, count: 3)]
      state.broken.attach()
    }
    _ = try session.refusal(of: "\"change\"")
    try session.send("\"count\"", to: .path("parts"))
    #expect(session.view["nodes"]?["\(try session.ids(on: "parts")[0])"]?["state"] == .integer(6))
  }

  /// The children of an element that comes before another one with its id are those of the new one.
  @Test func element_thatComesBeforeAnotherOfItsID_hasItsOwnChildren() throws {
    let session = try makeSession([Part.State(id: 1), Part.State(id: 2, inner: Slot("a"))]) { state in
      state.parts.insert(Part.State(id: 2, count: 5), at: 0)
    }
    let part = NodeID(try session.ids(on: "parts")[1])
    try session.send("\"change\"")
    #expect(try session.ids(on: "parts")[0] == Int64(part))
    #expect(session.view["nodes"]?["\(part)"]?["state"] == .integer(5))
    #expect(try session.ids(on: "inner", of: part).isEmpty)
  }

  @Test func partOfAPart_thatMakesItsOwnerAnother_makesAnotherChild() throws {
    let session = try TestSession(
      Scripted(state: [Middle.State()], routes: [Route("middles", \.self) { _ in Child(Middle()) }]))
    let before = try session.ids(on: "middles")
    // The id of the middle is computed from its part's count.
    try session.send("\"count\"", to: .path("middles/part"))
    #expect(try session.ids(on: "middles") != before)
  }

  @Test func payload_thatTheCaseDoesNotTake_endsTheCase() throws {
    // The part is shown until it has counted to two.
    let session = try TestSession(
      Scripted(
        state: Phase.counting(Part.State()),
        routes: [
          Route(
            "counting", \.self, extract: { $0.part.flatMap { $0.count < 2 ? $0 : nil } }, embed: { .counting($0) }
          ) { Child(Part()) }
        ]))
    try session.send("\"count\"", to: .path("counting"))
    #expect(try session.ids(on: "counting").count == 1)
    try session.send("\"count\"", to: .path("counting"))
    #expect(try session.ids(on: "counting").isEmpty)
  }

  @Test func payload_thatIsEmbeddedInAnotherCase_endsTheCase() throws {
    let session = try TestSession(
      Scripted(
        state: Phase.counting(Part.State()),
        routes: [
          Route(
            "counting", \.self, extract: \.part, embed: { $0.count < 2 ? .counting($0) : .done($0.count) }
          ) { Child(Part()) }
        ]))
    try session.send("\"count\"", to: .path("counting"))
    try session.send("\"count\"", to: .path("counting"))
    #expect(try session.ids(on: "counting").isEmpty)
  }

  @Test func payload_thatIsEmbeddedAsAnother_isAnotherChild() throws {
    let session = try TestSession(
      Scripted(
        state: Phase.counting(Part.State()),
        routes: [
          Route(
            "counting", \.self, extract: \.part,
            embed: { .counting(Part.State(id: $0.count / 2, count: $0.count)) }
          ) { Child(Part()) }
        ]))
    let first = try session.ids(on: "counting")
    try session.send("\"count\"", to: .path("counting"))
    #expect(try session.ids(on: "counting") == first)
    try session.send("\"count\"", to: .path("counting"))
    let second = try session.ids(on: "counting")
    #expect(second.count == 1 && second != first)
  }

  // MARK: Cost and care

  @Test func action_ofAChild_asksForNoSiblings() throws {
    func asked(of size: Int) throws -> Int {
      let journal = Journal()
      let session = try TestSession(
        Scripted(
          state: (0..<size).map { Member.State(number: $0, journal: journal) },
          routes: [Route("members", \.self) { _ in Child(Member()) }]))
      session.asksViewsAgain = false
      try session.act("\"count\"", to: .path("members[0]"))
      _ = journal.take()
      try session.act("\"count\"", to: .path("members[0]"))
      return journal.take().count
    }
    #expect(try asked(of: 100) == asked(of: 1))
  }

  @Test func start_asksForEachElementInTurn() throws {
    func asked(of size: Int) throws -> Int {
      let journal = Journal()
      _ = try TestSession(
        Scripted(
          state: (0..<size).map { Member.State(number: $0, journal: journal) },
          routes: [Route("members", \.self) { _ in Child(Member()) }]))
      return journal.take().count
    }
    // Linear, that is: not each by way of all those before it.
    #expect(try asked(of: 400) < 5 * asked(of: 100))
  }

  @Test func failure_leavesNothingOfWhatWasRead() throws {
    let session = try TestSession(Branch(depth: 0))
    _ = try session.refusal(of: "\"fail\"", to: .path("knot"))
    try session.send("\"count\"", to: .path("knot"))
    let knot = Int(try session.ids(on: "knot")[0])
    #expect(session.property("count", of: knot) == .integer(1))
  }

  @Test func embeddedChild_isMadeForEachNodeAnew() throws {
    final class Witness { var made = 0 }
    struct Counted: Riblet {
      static let typeName = "Counted"
      init(_ witness: Witness) { witness.made += 1 }
      func makeState() -> Int { 0 }
      func view(_ state: Int) -> Int { state }
    }
    struct State { var sheet: Int? }
    let witness = Witness()
    let session = try TestSession(
      Scripted(
        state: State(), routes: [Route("sheet", \.sheet) { Child(Counted(witness)) }],
        changes: ["open": { $0.sheet = 0 }, "close": { $0.sheet = nil }]))
    #expect(witness.made == 0)
    for _ in 1...3 {
      try session.send("\"open\"")
      try session.send("\"close\"")
    }
    #expect(witness.made == 3)
  }

  // MARK: Which child it is

  @Test func keys_tellEqualConfigurationsApart() throws {
    struct State { var pages = Items(["a", "a", "a"]) }
    let session = try TestSession(
      Scripted(
        state: State(),
        routes: [
          Route("pages", \.pages) { config, key in
            Child(Page(path: config, journal: Journal())) { _ in
              .change { state in
                #expect(state.pages[key] == config)
                state.pages.remove(key)
              }
            }
          }
        ]))
    let before = try session.ids(on: "pages")
    try session.send(#"{"say":"x"}"#, to: .path("pages[1]"))
    #expect(try session.ids(on: "pages") == [before[0], before[2]])
  }

  @Test func keys_tellWhichOfAStackIsToGo() throws {
    struct State { var pages = Stack("a") }
    let session = try TestSession(
      Scripted(
        state: State(),
        routes: [
          Route("pages", \.pages) { config, key in
            Child(Page(path: config, journal: Journal())) { _ in .change { $0.pages.remove(key) } }
          }
        ],
        changes: ["push": { $0.pages.push("a") }]))
    try session.send("\"push\"")
    try session.send("\"push\"")
    let before = try session.ids(on: "pages")
    try session.send(#"{"say":"x"}"#, to: .path("pages[1]"))
    #expect(try session.ids(on: "pages") == [before[0], before[2]])
    try session.send(#"{"say":"x"}"#, to: .path("pages[0]"))
    try session.send(#"{"say":"x"}"#, to: .path("pages[0]"))
    // The last one stays.
    #expect(try session.ids(on: "pages") == [before[2]])
  }
}
