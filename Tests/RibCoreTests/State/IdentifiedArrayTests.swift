import RibCore
import RibTestSupport
import RibTesting
import Testing
import Wire

@Suite(.timeLimit(.minutes(5))) struct IdentifiedArrayTests {
  private struct Row: Codable, Hashable, Identifiable, Sendable {
    var id: Int
    var text = ""

    mutating func fail() throws {
      text = "changed"
      throw Broken()
    }
  }

  private struct Broken: Error {}

  private typealias Rows = IdentifiedArray<Row>

  private static func rows(_ ids: Int...) -> Rows { Rows(ids.map { Row(id: $0) }) }

  @Test func element_isFoundByItsID() {
    var rows = Self.rows(3, 1, 2)
    rows[id: 1]?.text = "one"
    #expect(rows.map(\.id) == [3, 1, 2])
    #expect(rows[1] == Row(id: 1, text: "one"))
    #expect(rows[id: 1]?.text == "one")
    #expect(rows.index(id: 2) == 2)
    #expect(rows[id: 4] == nil)
    rows[id: 4]?.text = "none"
    #expect(rows.count == 3)
  }

  @Test func upsert_putsInPlaceOrAtTheEnd() {
    var rows = Self.rows(1, 2)
    rows.upsert(Row(id: 1, text: "new"))
    rows.upsert(Row(id: 3))
    #expect(rows.elements == [Row(id: 1, text: "new"), Row(id: 2), Row(id: 3)])
    rows[id: 4] = Row(id: 4)
    #expect(rows.map(\.id) == [1, 2, 3, 4])
  }

  @Test func literal_hasTheLastOfEqualIDs() {
    let rows: Rows = [Row(id: 1, text: "a"), Row(id: 2), Row(id: 1, text: "b")]
    #expect(rows.elements == [Row(id: 1, text: "b"), Row(id: 2)])
  }

  @Test(arguments: [1, 2, 3]) func nil_removes(_ id: Int) {
    var rows = Self.rows(1, 2, 3)
    rows[id: id] = nil
    #expect(rows.map(\.id) == [1, 2, 3].filter { $0 != id })
    for (place, row) in rows.enumerated() { #expect(rows.index(id: row.id) == place) }
  }

  @Test func elementThatGetsAnotherID_takesThatOnesPlaceAway() {
    var rows = Self.rows(1, 2, 3)
    rows[id: 1]?.id = 3
    #expect(rows.map(\.id) == [3, 2])
    #expect(rows.index(id: 1) == nil)
    #expect(rows.index(id: 3) == 0)
    rows[id: 2]?.id = 5
    #expect(rows.map(\.id) == [3, 5])
  }

  @Test func changeThatThrows_leavesTheOthers() {
    var rows = Self.rows(1, 2, 3)
    #expect(throws: Broken.self) { try rows[id: 1]?.fail() }
    #expect(rows.map(\.id) == [1, 2, 3])
    #expect(rows[id: 1]?.text == "changed")
    #expect(rows[id: 3] == Row(id: 3))
  }

  @Test func coding_isAnArrays() throws {
    let rows = Self.rows(2, 1)
    let json = try StateCoder.encode(rows)
    #expect(String(decoding: json, as: UTF8.self) == #"[{"id":2,"text":""},{"id":1,"text":""}]"#)
    #expect(try StateCoder.decode(Rows.self, from: StateCoder.read(String(decoding: json, as: UTF8.self))) == rows)
    let twice = #"[{"id":1,"text":""},{"id":1,"text":""}]"#
    #expect(throws: DecodingError.self) { try StateCoder.decode(Rows.self, from: StateCoder.read(twice)) }
  }

  /// The same done with an array, whatever is done.
  @Test(arguments: TestRun.seeds(1, 2, new: 3)) func operations_areThoseOfAnArray(_ seed: UInt64) {
    var random = SeededGenerator(state: seed)
    var rows = Rows()
    var model: [Row] = []
    for step in 0..<2000 {
      let id = Int.random(in: 0..<30, using: &random)
      let place = Int.random(in: -2..<34, using: &random)
      func held(_ place: Int) -> Int { min(max(place, 0), model.count) }
      switch Int.random(in: 0..<12, using: &random) {
      case 0:
        rows.upsert(Row(id: id, text: "\(step)"))
        if let index = model.firstIndex(where: { $0.id == id }) {
          model[index].text = "\(step)"
        } else {
          model.append(Row(id: id, text: "\(step)"))
        }
      case 1:
        let isNew = !model.contains { $0.id == id }
        #expect(rows.insert(Row(id: id), at: place) == isNew)
        if isNew { model.insert(Row(id: id), at: held(place)) }
      case 2:
        #expect(rows.remove(id: id) == model.first { $0.id == id })
        model.removeAll { $0.id == id }
      case 3:
        rows.move(id: id, to: place)
        if let index = model.firstIndex(where: { $0.id == id }) {
          let row = model.remove(at: index)
          model.insert(row, at: held(place))
        }
      case 4:
        rows[id: id]?.text += "!"
        if let index = model.firstIndex(where: { $0.id == id }) { model[index].text += "!" }
      case 5:
        rows[id: id] = nil
        model.removeAll { $0.id == id }
      case 6:
        let isNew = !model.contains { $0.id == id }
        #expect(rows.append(Row(id: id)) == isNew)
        if isNew { model.append(Row(id: id)) }
      case 7 where !model.isEmpty:
        let place = Int.random(in: model.indices, using: &random)
        #expect(rows.remove(at: place) == model.remove(at: place))
      case 8:
        let number = Int.random(in: -1..<3, using: &random)
        rows.removeFirst(number)
        model.removeFirst(min(max(number, 0), model.count))
      case 9:
        #expect(rows.filter { $0.id < 15 } == Rows(model.filter { $0.id < 15 }))
        #expect(rows.hashValue == Rows(model).hashValue)
      case 10 where step.isMultiple(of: 10):
        rows.removeAll { $0.id.isMultiple(of: 3) }
        model.removeAll { $0.id.isMultiple(of: 3) }
      default:
        rows.sort { $0.text < $1.text }
        model.sort { $0.text < $1.text }
      }
      #expect(rows.elements == model, "step \(step)")
      for (place, row) in model.enumerated() where rows.index(id: row.id) != place {
        Issue.record("\(row.id) is at \(place), and said to be at \(String(describing: rows.index(id: row.id)))")
        return
      }
    }
  }

  // MARK: In a riblet

  /// Shows rows, and has a child for each.
  private struct Board: Riblet {
    static let typeName = "Board"

    struct Line: Riblet {
      static let typeName = "Line"
      enum ViewAction: Decodable { case append(String), become(Int) }
      func makeState() -> Row { Row(id: 0) }
      func reduce(into row: inout Row, viewAction: ViewAction) -> Effect<Self> {
        switch viewAction {
        case .append(let text): row.text += text
        case .become(let id): row.id = id
        }
        return .none
      }
      func view(_ row: Row) -> String { row.text }
    }

    struct State: Codable { var rows: Rows }
    enum ViewAction: Decodable { case insert(Int), remove(Int) }

    func makeState() -> State { State(rows: IdentifiedArrayTests.rows(1, 2)) }
    var routes: [Route<Self>] { [Route("rows", \.rows) { _ in Child(Line()) }] }

    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .insert(let id): state.rows.insert(Row(id: id), at: 0)
      case .remove(let id): state.rows.remove(id: id)
      }
      return .none
    }

    func view(_ state: State) -> Rows { state.rows }
  }

  @Test func view_isPatchedByIdentity() throws {
    let session = try TestSession(Board())
    try session.act(#"{"insert":3}"#, at: "")
    #expect(session.lastPatch.contains { "\($0)".contains("/nodes/1/state/0") })
    #expect(session.lastPatch.allSatisfy { !"\($0)".contains("/nodes/1/state/1") })
    try session.act(#"{"remove":1}"#, at: "")
    #expect(session.lastPatch.contains { "\($0)".contains("/nodes/1/state/1") })
  }

  @Test func route_hasAChildForEachElement() throws {
    let session = try TestSession(Board())
    try session.act(#"{"append":"x"}"#, at: "rows[1]")
    try session.act(#"{"insert":9}"#, at: "")
    try session.act(#"{"append":"y"}"#, at: "rows[2]")
    #expect(session.viewState(at: "rows[2]") == .string("xy"))
    // Another id is another child.
    let before = session.tree.id(at: "rows[2]")
    try session.act(#"{"become":7}"#, at: "rows[2]")
    #expect(session.tree.id(at: "rows[2]") != before)
  }
}
