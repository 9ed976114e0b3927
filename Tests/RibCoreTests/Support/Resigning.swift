import RibCore

/// Two tabs with a page each, which let go of it when they resign.
struct Resigning: Riblet {
  static let typeName = "Resigning"
  typealias ViewAction = String

  let journal: Journal

  var routes: [Route<Self>] {
    [
      Route("tabs", \.self, activation: .selectedOnly) { [journal] number in
        Child(ResigningTab(number: number, journal: journal))
      }
    ]
  }

  func makeState() -> Tabs<Int> { Tabs(0, 1) }

  func reduce(into state: inout Tabs<Int>, viewAction: String) -> Effect<Self> {
    state.select(at: 1)
    return .none
  }

  func view(_ state: Tabs<Int>) -> Int { state.index }
}

struct ResigningTab: Riblet {
  static let typeName = "ResigningTab"
  struct ViewState: Encodable, Equatable {}

  let number: Int
  let journal: Journal

  var routes: [Route<Self>] {
    [Route("page", \.self) { [journal] path in Child(Page(path: path, journal: journal)) { _ in nil } }]
  }

  func makeState() -> Slot<String> { number == 0 ? Slot("child") : Slot() }

  func willResignActive(_ state: inout Slot<String>) {
    journal.note("-\(number)")
    state.detach()
  }

  func view(_ state: Slot<String>) -> ViewState { ViewState() }
}
