import RibCore

/// A container of any number of children, which says which they are by number.
struct BookList: RouteContainer {
  var numbers: [Int]
  var contents: RouteContents<Int> { RouteContents(kind: "list", numbers.map { ($0, $0) }) }
}

struct Shelf: Riblet {
  static let typeName = "Shelf"
  struct State { var books: BookList }
  enum ViewAction: Decodable { case arrange([Int]) }
  struct ViewState: Encodable, Equatable {}

  let books: [Int]
  var journal = Journal()
  var route = "books"

  var routes: [Route<Self>] {
    [Route(route, \.books) { [journal] number in Child(Book(number: number, journal: journal)) }]
  }

  func makeState() -> State { State(books: BookList(numbers: books)) }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .arrange(let numbers): state.books.numbers = numbers
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState() }
}

struct Book: Riblet {
  static let typeName = "Book"
  enum ViewAction: Decodable { case open }
  struct ViewState: Encodable, Equatable {
    let number: Int
    let isOpen: Bool
  }

  let number: Int
  let journal: Journal

  func makeState() -> Bool { false }

  func didBecomeActive(_ isOpen: inout Bool) -> Effect<Self> {
    journal.note("+\(number)")
    return .none
  }

  func willResignActive(_ isOpen: inout Bool) { journal.note("-\(number)") }

  func reduce(into isOpen: inout Bool, viewAction: ViewAction) -> Effect<Self> {
    isOpen = true
    return .none
  }

  func view(_ isOpen: Bool) -> ViewState { ViewState(number: number, isOpen: isOpen) }
}
