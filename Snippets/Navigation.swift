// The riblets of the article "Navigation", and a deep link into them.
import RibCore
import RibServer

struct Shop: Riblet {
  static let typeName = "Shop"
  enum Tab: String, Codable { case catalog, basket }
  struct State: Codable { var tabs = Tabs(Tab.catalog, .basket) }
  enum ViewAction: Decodable { case tabTapped(Int) }
  struct ViewState: Encodable, Equatable { let titles: [String] }

  var routes: [Route<Self>] {
    [
      Route("tabs", \.tabs, activation: .selectedOnly) { tab in
        switch tab {
        case .catalog: Child(Catalog())
        case .basket: Child(Basket())
        }
      }
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .tabTapped(let index): state.tabs.select(at: index)
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(titles: state.tabs.configs.map(\.rawValue)) }
}

struct Catalog: Riblet {
  static let typeName = "Catalog"
  enum Page: Hashable, Codable { case list, product(Int) }
  struct State: Codable {
    var pages = Stack(Page.list)
    var filter = Slot<String>()
  }
  enum ViewAction: Decodable { case productTapped(Int), filterTapped, homeTapped }
  enum InternalAction { case filter(Filter.Output) }
  struct ViewState: Encodable, Equatable { let depth: Int }

  var routes: [Route<Self>] {
    [
      Route("pages", \.pages) { page in
        switch page {
        case .list: Child(Listing(), props: { state in Listing.Props(word: state.filter.config) })
        case .product(let number): Child(Product(number: number))
        }
      },
      Route("filter", \.filter) { word in Child(Filter(word: word)) { .filter($0) } },
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .productTapped(let number): state.pages.push(.product(number))
    case .filterTapped: state.filter.attach("new")
    case .homeTapped: state.pages.popToRoot()
    }
    return .none
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .filter(.done): state.filter.detach()
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(depth: state.pages.count) }
}

struct Listing: Riblet {
  static let typeName = "Listing"
  struct Props: Equatable { let word: String? }

  private static let titles = ["new hat", "old hat", "new coat"]

  func makeState() -> Int { Self.titles.count }

  func reduce(into count: inout Int, props: Props) -> Effect<Self> {
    count = Self.titles.count { title in props.word.map { title.contains($0) } ?? true }
    return .none
  }

  func view(_ count: Int) -> Int { count }
}

struct Product: Riblet {
  static let typeName = "Product"
  let number: Int
  func makeState() -> Int { number }
  func view(_ number: Int) -> Int { number }
}

struct Filter: Riblet {
  static let typeName = "Filter"
  enum ViewAction: Decodable { case doneTapped }
  enum Output { case done }

  let word: String

  func makeState() -> String { word }
  func reduce(into word: inout String, viewAction: ViewAction) -> Effect<Self> { .output(.done) }
  func view(_ word: String) -> String { word }
}

// Children whose states are parts of the parent's.

struct Basket: Riblet {
  static let typeName = "Basket"
  enum Payment: Codable {
    case invoice
    case card(Field.State)

    var field: Field.State? { if case .card(let field) = self { field } else { nil } }
  }
  struct State: Codable {
    var address = Field.State(id: 0)
    var voucher: Field.State?
    var payment = Payment.invoice
    var notes: [Field.State] = []
  }
  enum InternalAction { case voucher(Field.Output), note(Int, Field.Output) }
  struct ViewState: Encodable, Equatable { let letters: Int }

  var routes: [Route<Self>] {
    [
      Route("address", \.address) { Child(Field()) { _ in nil } },
      Route("voucher", \.voucher) { Child(Field()) { .voucher($0) } },
      Route("card", \.payment, extract: { $0.field }, embed: Payment.card) { Child(Field()) { _ in nil } },
      Route("notes", \.notes) { id in Child(Field()) { .note(id, $0) } },
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .voucher(.removed): state.voucher = nil
    case .note(let id, .removed): state.notes.removeAll { $0.id == id }
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(letters: state.notes.reduce(0) { $0 + $1.text.count }) }
}

struct Field: Riblet {
  static let typeName = "Field"
  struct State: Codable, Identifiable {
    let id: Int
    var text = ""
  }
  enum ViewAction: Decodable { case typed(String), removeTapped }
  enum Output { case removed }
  struct ViewState: Encodable, Equatable { let text: String }

  func makeState() -> State { State(id: 0) }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .typed(let text): state.text = text
    case .removeTapped: return .output(.removed)
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(text: state.text) }
}

// A deep link.

struct Link: Decodable { let product: Int? }

let app = App("shop", parameters: Link.self) { _ in
  Shop()
} walk: { (link: Link, shop: NodeHandle<Shop>) in
  guard let number = link.product else { return }
  let catalog = try await shop.child(Catalog.self)
  try await catalog.update { state in
    state.pages.push(.product(number))
    return .none
  }
}

/// Several filters of which each can be taken away.
struct Board: Riblet {
  static let typeName = "Board"
  enum InternalAction { case filter(Int, Filter.Output) }

  var routes: [Route<Self>] {
    [
      Route("filters", \.self) { word, key in Child(Filter(word: word)) { .filter(key, $0) } }
    ]
  }

  func makeState() -> Items<String> { Items(["new", "new"]) }

  func reduce(into filters: inout Items<String>, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .filter(let key, .done): filters.remove(key)
    }
    return .none
  }

  func view(_ state: Items<String>) -> Int { state.count }
}
