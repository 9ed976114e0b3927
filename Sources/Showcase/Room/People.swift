import RibCore

/// Who is in the room, this person first.
struct People: Riblet {
  static let typeName = "People"

  struct Props: Equatable {
    let me: String
    let present: [String]
  }

  struct Person: Codable, Equatable, Identifiable {
    let name: String
    let isMe: Bool
    var id: String { name }
  }

  struct State: Codable, Equatable {
    var isFolded = false
    var people: [Person] = []
  }

  enum ViewAction: Codable { case foldTapped }

  struct ViewState: Codable, Equatable {
    let count: Int
    /// Nobody while the list is folded.
    let people: [Person]
    let isFolded: Bool
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, props: Props) -> Effect<Self> {
    let others = props.present.filter { $0 != props.me }
    let me = props.present.contains(props.me) ? [Person(name: props.me, isMe: true)] : []
    state.people = me + others.map { Person(name: $0, isMe: false) }
    return .none
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .foldTapped: state.isFolded.toggle()
    }
    return .none
  }

  func view(_ state: State) -> ViewState {
    ViewState(count: state.people.count, people: state.isFolded ? [] : state.people, isFolded: state.isFolded)
  }
}
