import RibCore

/// Shows the first of its numbers in a child, by way of a computed property.
struct Queue: Riblet {
  static let typeName = "Queue"
  struct State {
    var tallies = [Tally.State(id: 1), Tally.State(id: 2)]
    var first: Tally.State? {
      get { tallies.first }
      set {
        if let newValue { tallies[0] = newValue } else { tallies.removeFirst() }
      }
    }
  }

  var routes: [Route<Self>] { [Route("first", \.first) { Child(Tally(journal: Journal())) { _ in nil } }] }

  func makeState() -> State { State() }
  func view(_ state: State) -> [Int] { state.tallies.map(\.count) }
}
