import RibCore

/// A riblet that shows more or less of one part of its state on several routes.
struct Entangled: Riblet {
  static let typeName = "Entangled"
  struct State {
    var part = Part.State()
    var parts = (1...3).map { Part.State(id: $0) }
    var watched = Part.State() { didSet { changes.replace(with: watched.count) } }
    /// Attached anew whenever ``watched`` changes.
    var changes = Slot<Int>()
    /// There once ``part`` has counted to two.
    var computed: Slot<String> { part.count < 2 ? Slot() : Slot("computed") }
  }
  struct ViewState: Encodable, Equatable { let sum: Int }

  var routes: [Route<Self>] {
    [
      .scope("part", \.part, Part()), .scope("watched", \.watched, Part()), .forEach("parts", \.parts, Part()),
      Route("computed", \.computed) { Child(Bud(name: $0)) }, Route("changes", \.changes) { Child(Bud(name: "\($0)")) },
      // Within the part.
      Route("overlapping", \.part.inner) { Child(Bud(name: $0)) },
    ]
  }

  func makeState() -> State { State() }
  func view(_ state: State) -> ViewState { ViewState(sum: state.part.count + state.parts.reduce(0) { $0 + $1.count }) }

  struct Part: Riblet {
    static let typeName = "Part"
    struct State: Identifiable {
      var id = 0
      var count = 0
      var inner = Slot<String>()
    }
    enum ViewAction: Decodable { case count, open, rename(Int) }

    /// Never called, for the parent has the state.
    func makeState() -> State { State() }

    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .count: state.count += 1
      case .open: state.inner.attach("inner")
      case .rename(let id): state.id = id
      }
      return .none
    }

    func view(_ state: State) -> Int { state.count }
  }
}

/// A riblet with many parts, which take note of who asks for their ids.
struct Crowd: Riblet {
  static let typeName = "Crowd"
  struct Member: Identifiable {
    let number: Int
    var count = 0
    let journal: Journal

    var id: Int {
      journal.note("id")
      return number
    }
  }
  struct ViewState: Encodable, Equatable {}

  let size: Int
  let journal: Journal

  var routes: [Route<Self>] { [.forEach("members", \.self, One())] }
  func makeState() -> [Member] { (0..<size).map { Member(number: $0, journal: journal) } }
  func view(_ state: [Member]) -> ViewState { ViewState() }

  struct One: Riblet {
    static let typeName = "One"
    enum ViewAction: Decodable { case count }

    /// Never called, for the parent has the state.
    func makeState() -> Member { Member(number: -1, journal: Journal()) }

    func reduce(into state: inout Member, viewAction: ViewAction) -> Effect<Self> {
      state.count += 1
      return .none
    }

    func view(_ state: Member) -> Int { state.count }
  }
}
