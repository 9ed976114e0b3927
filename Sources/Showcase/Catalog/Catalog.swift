import RibCore

/// A long list, of which a client is sent only what changes.
struct Catalog: Riblet {
  static let typeName = "Catalog"
  /// More rows would not fit into a view.
  static let limit = 20_000

  struct Row: Codable, Equatable, Identifiable {
    let id: Int
    var title: String
    var isDone = false

    init(id: Int) {
      self.id = id
      let digits = String(id)
      title = "Row \(String(repeating: "0", count: max(0, 5 - digits.count)))\(digits)"
    }
  }

  /// A row that was removed, and where it was.
  struct Removal: Codable, Equatable {
    var row: Row
    var index: Int
  }

  struct State: Codable, Equatable {
    var rows: [Row]
    var lastID: Int
    /// The row that was removed last, for `restore`, and not shown to anybody; nil once the row is back.
    var removal: Removal?
  }

  enum ViewAction: Codable {
    case toggle(id: Int)
    case insert(at: Int)
    case remove(id: Int)
    case move(id: Int, to: Int)
    /// Puts a row back, if no other was removed since.
    case restore(id: Int)
    /// By title; the other way round if they are sorted so already.
    case sort
  }

  struct ViewState: Codable, Equatable { let rows: [Row] }

  var count = 10_000

  func makeState() -> State { State(rows: (0..<count).map { Row(id: $0 + 1) }, lastID: count) }

  /// What names a row that is not there, or a place beyond the ends, changes nothing or goes to the end.
  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    func place(_ index: Int) -> Int { min(max(index, 0), state.rows.count) }
    func index(_ id: Int) -> Int? { state.rows.firstIndex { $0.id == id } }
    switch viewAction {
    case .toggle(let id): if let index = index(id) { state.rows[index].isDone.toggle() }
    case .insert(let index):
      guard state.rows.count < Self.limit else { break }
      state.lastID += 1
      state.rows.insert(Row(id: state.lastID), at: place(index))
    case .remove(let id):
      guard let index = index(id) else { break }
      state.removal = Removal(row: state.rows.remove(at: index), index: index)
    case .restore(let id):
      guard let removal = state.removal, removal.row.id == id, state.rows.count < Self.limit else { break }
      state.removal = nil
      state.rows.insert(removal.row, at: place(removal.index))
    case .move(let id, let target):
      guard let index = index(id) else { break }
      let row = state.rows.remove(at: index)
      state.rows.insert(row, at: place(target))
    case .sort:
      let titles = state.rows.map(\.title)
      let isSorted = zip(titles, titles.dropFirst()).allSatisfy { $0 <= $1 }
      state.rows.sort { isSorted ? $0.title > $1.title : $0.title < $1.title }
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(rows: state.rows) }
}
