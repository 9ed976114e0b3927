import RibCore

/// Two tabs, of which only the selected one is active: a ``Census``, and an ``Assembly`` with its effects.
struct Ring: Riblet {
  static let typeName = "Ring"
  enum ViewAction: Decodable { case select(Int) }

  let census: Census
  let registry = ComponentRegistry()

  var routes: [Route<Self>] {
    [
      Route("tabs", \.self, activation: .selectedOnly) { [census, registry] index in
        index == 0 ? Child(census) : Child(Assembly(depth: 0, registry: registry))
      }
    ]
  }

  func makeState() -> Tabs<Int> { Tabs(0, 1) }

  func reduce(into tabs: inout Tabs<Int>, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .select(let index): tabs.select(at: index)
    }
    return .none
  }

  func view(_ tabs: Tabs<Int>) -> Int { tabs.index }
}
