import RibCore

/// Tells its children which of them is selected: that is in a part of its state, which is the state of one more child.
struct Menu: Riblet {
  static let typeName = "Menu"

  struct State: Codable {
    var title = "menu"
    var ratio = 1.0
    /// The dishes that have said that they are selected.
    var heard: [Int] = []
    /// Children with a state of their own.
    var dishes = Items([1, 2])
    /// Children whose states are parts of this one.
    var drinks = [Drink.State(id: 1), Drink.State(id: 2)]
    var pointer = Pointer.State()
  }

  enum ViewAction: Decodable {
    case select(Int)
    case rename(String)
    case add(Int)
    /// Selects one, and then changes the view so that JSON has no word for it.
    case fail(Int)
  }
  enum InternalAction: Sendable { case dish(Int, Dish.Output) }

  struct ViewState: Encodable, Equatable {
    let title: String
    let ratio: Double
    let heard: [Int]
  }

  var journal = Journal()

  var routes: [Route<Self>] {
    [
      Route("dishes", \.dishes) { [journal] id in
        Child(Dish(id: id, journal: journal), props: { Selection($0, id) }) { .dish(id, $0) }
      },
      Route("drinks", \.drinks) { [journal] id in Child(Drink(journal: journal), props: { Selection($0, id) }) },
      Route("pointer", \.pointer) { Child(Pointer()) },
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .select(let id): state.pointer.selected = id
    case .rename(let title): state.title = title
    case .add(let id):
      state.dishes.append(id)
      state.drinks.append(Drink.State(id: id))
    case .fail(let id):
      state.pointer.selected = id
      state.ratio = .nan
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .dish(let id, .isSelected): state.heard.append(id)
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(title: state.title, ratio: state.ratio, heard: state.heard) }
}

/// What a menu tells.
struct Selection: Equatable, Sendable {
  let isSelected: Bool

  init(_ menu: Menu.State, _ id: Int) { isSelected = menu.pointer.selected == id }
}

/// Is told whether it is selected, and says so; its state is its own.
struct Dish: Riblet {
  static let typeName = "Dish"
  typealias Props = Selection
  struct State: Codable {
    var isSelected = false
    var orders = 0
  }
  enum ViewAction: Decodable { case order }
  enum Output: Sendable { case isSelected }
  struct ViewState: Encodable, Equatable {
    let isSelected: Bool
    let orders: Int
  }

  let id: Int
  let journal: Journal

  func makeState() -> State { State() }

  func didRestore(_ state: inout State, interrupted: [InterruptedEffect]) -> Effect<Self> {
    journal.note("=dish \(id)")
    return .none
  }

  func didBecomeActive(_ state: inout State) -> Effect<Self> {
    journal.note("+dish \(id)")
    return .none
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.orders += 1
    return .none
  }

  func reduce(into state: inout State, props: Selection) -> Effect<Self> {
    journal.note("dish \(id) \(props.isSelected)")
    state.isSelected = props.isSelected
    return props.isSelected ? .output(.isSelected) : .none
  }

  func view(_ state: State) -> ViewState { ViewState(isSelected: state.isSelected, orders: state.orders) }
}

/// Is told whether it is selected; its state is a part of the menu's.
struct Drink: Riblet {
  static let typeName = "Drink"
  typealias Props = Selection
  struct State: Codable, Identifiable {
    let id: Int
    var isSelected = false
  }

  let journal: Journal

  /// Never called, for the parent has the state.
  func makeState() -> State { State(id: -1) }

  func didRestore(_ state: inout State, interrupted: [InterruptedEffect]) -> Effect<Self> {
    journal.note("=drink \(state.id)")
    return .none
  }

  func didBecomeActive(_ state: inout State) -> Effect<Self> {
    journal.note("+drink \(state.id)")
    return .none
  }

  func reduce(into state: inout State, props: Selection) -> Effect<Self> {
    journal.note("drink \(state.id) \(props.isSelected)")
    state.isSelected = props.isSelected
    return .none
  }

  func view(_ state: State) -> Bool { state.isSelected }
}

/// Says which one is selected, and is told nothing; its state is a part of the menu's.
struct Pointer: Riblet {
  static let typeName = "Pointer"
  struct State: Codable { var selected = 1 }
  enum ViewAction: Decodable { case select(Int) }

  /// Never called, for the parent has the state.
  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .select(let id): state.selected = id
    }
    return .none
  }

  func view(_ state: State) -> Int { state.selected }
}
