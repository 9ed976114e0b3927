import RibCore

/// Keeps much, and changes little of it.
struct Pile: Riblet {
  static let typeName = "Pile"

  struct Row: Codable, Identifiable {
    let id: Int
    var title: String
    var isDone = false
    var size: UInt64?
  }

  struct State: Codable {
    var rows: [Row] = []
    var names: [String: Double] = [:]
    /// Coded as an array, with keys and values in turn.
    var places: [Place: Int] = [:]
    var text = ""
    var lastID = 0
    var inner = Slot<Int>()
  }

  enum Place: String, Codable { case home, work }

  enum ViewAction: Codable {
    case toggle(Int), title(Int, String), size(Int, UInt64?)
    case insert(Int), remove(Int), move(Int, to: Int)
    case name(String, Double?), place(Place, Int?)
    case write(String)
    case fill(Int)
    case nothing
    case attach(Int), detach
    case fail
  }

  /// How many rows there are at first.
  var count = 0
  /// A view shows no more than a number, and not even that if it is to fail.
  struct ViewState: Encodable, Equatable { let count: Double }

  var routes: [Route<Self>] { [Route("inner", \.inner) { count in Child(Pile(count: count)) }] }

  func makeState() -> State {
    var state = State()
    Self.fill(&state, count)
    return state
  }

  private static func fill(_ state: inout State, _ count: Int) {
    state.rows = (0..<count).map { Row(id: state.lastID + $0 + 1, title: "Row number \($0)") }
    state.lastID += count
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    func change(_ index: Int, _ change: (inout [Row], Int) -> Void) {
      if !state.rows.isEmpty { change(&state.rows, index % state.rows.count) }
    }
    switch viewAction {
    case .toggle(let index): change(index) { $0[$1].isDone.toggle() }
    case .title(let index, let title): change(index) { $0[$1].title = title }
    case .size(let index, let size): change(index) { $0[$1].size = size }
    case .insert(let index):
      state.lastID += 1
      state.rows.insert(Row(id: state.lastID, title: "new"), at: index % (state.rows.count + 1))
    case .remove(let index): change(index) { $0.remove(at: $1) }
    case .move(let index, let place): change(index) { $0.swapAt($1, place % $0.count) }
    case .name(let name, let value): state.names[name] = value
    case .place(let place, let value): state.places[place] = value
    case .write(let text): state.text = text
    case .fill(let count): Self.fill(&state, count)
    case .nothing: break
    case .attach(let count): state.inner.replace(with: count)
    case .detach: state.inner.detach()
    case .fail:
      state.text = "unseen"
      state.names["unseen"] = .nan
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(count: state.names["unseen"] ?? Double(state.rows.count)) }
}

extension Pile.ViewAction {
  /// Any action.
  static func random(using generator: inout SeededGenerator) -> Pile.ViewAction {
    let index = Int.random(in: 0..<40, using: &generator)
    let text = ["", "é", "e\u{301}", "\"\\\u{0}", "plain"].randomElement(using: &generator) ?? ""
    switch Int.random(in: 0..<24, using: &generator) {
    case 0..<6: return .toggle(index)
    case 6: return .title(index, text)
    case 7: return .size(index, index % 2 == 0 ? nil : .max - UInt64(index))
    case 8, 9: return .insert(index)
    case 10, 11: return .remove(index)
    case 12, 13: return .move(index, to: Int.random(in: 0..<40, using: &generator))
    case 14, 15: return .name(text, index % 3 == 0 ? nil : index % 3 == 1 ? -0.0 : .infinity)
    case 16: return .place(index % 2 == 0 ? .home : .work, index % 3 == 0 ? nil : index)
    case 17: return .write(text)
    case 18: return .fill(index)
    case 19: return .nothing
    case 20: return .attach(index)
    case 21: return .detach
    default: return .fail
    }
  }
}
