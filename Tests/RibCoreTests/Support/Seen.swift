import RibCore

/// Writes down each time that it is looked at; its state is a part of its parent's, and has parts of its kind.
struct Seen: Riblet {
  static let typeName = "Seen"
  /// No bytes between its properties: as far as nothing changes, the bits are the same.
  struct State: Identifiable {
    var id: Int
    var count = 0
    var bud = Slot<String>()
    var parts: [State] = []
  }

  let journal: Journal

  var routes: [Route<Self>] {
    [
      Route("bud", \.bud) { Child(Bud(name: $0)) },
      Route("parts", \.parts) { [journal] _ in Child(Seen(journal: journal)) },
    ]
  }

  /// Never called, for the parent has the state.
  func makeState() -> State { State(id: -1) }

  func view(_ state: State) -> Int {
    journal.note("\(state.id)")
    return state.count
  }
}
