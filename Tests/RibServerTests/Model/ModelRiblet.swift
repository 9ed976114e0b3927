import RibCore

/// Remembers which actions were done, in order: what the model compares with what clients were told.
struct ModelRoot: Riblet {
  static let typeName = "ModelRoot"

  struct State: Codable, Equatable {
    var done: [Int] = []
    var detail = Slot<NoConfig>()
    /// Not saved: a session that wakes shows another view.
    var mood = 0

    private enum CodingKeys: String, CodingKey { case done, detail }
  }

  enum ViewAction: Codable { case add(Int), open(Int), close(Int), sulk(Int), work(Int) }
  struct ViewState: Codable, Equatable { let done: [Int], mood: Int }

  var routes: [Route<Self>] {
    [
      Route("detail", \.detail) { _ in
        Child(ModelDetail()) { state, done in
          state.done.append(done)
          return .none
        }
      }
    ]
  }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .add(let name): state.done.append(name)
    case .open(let name):
      state.done.append(name)
      state.detail.attach()
    case .close(let name):
      state.done.append(name)
      state.detail.detach()
    case .sulk(let name):
      state.done.append(name)
      state.mood += 1
    case .work(let name):
      state.done.append(name)
      return .run(id: name) { _ in }
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(done: state.done, mood: state.mood) }
}

/// A node that is there at times: actions for it are refused at others.
struct ModelDetail: Riblet {
  static let typeName = "ModelDetail"

  struct State: Codable, Equatable { var count = 0 }
  enum ViewAction: Codable { case add(Int) }
  struct ViewState: Codable, Equatable { let count: Int }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .add(let name):
      state.count += 1
      return .output(name)
    }
  }

  typealias Output = Int
  func view(_ state: State) -> ViewState { ViewState(count: state.count) }
}
