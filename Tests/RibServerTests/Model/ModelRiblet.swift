import RibCore
import Synchronization

/// What the sessions of a server observe, and what somebody keeps of it in a database.
final class ModelNews: Sendable {
  /// A topic, a shared value, or nothing: then a client may come back to a session that rests without waking it.
  enum Kind: CaseIterable { case none, topic, shared }

  private let kind: Kind
  private let topic = Topic<Int>(bufferSize: 2)
  private let shared: SharedValue<Int>?
  /// What was published last.
  private let latest: Atomic<Int>

  /// - Parameters:
  ///   - number: what was published last, before the server was started.
  ///   - kind: what is observed.
  init(_ number: Int, _ kind: Kind) {
    self.kind = kind
    latest = Atomic(number)
    shared = kind == .shared ? SharedValue(number) : nil
  }

  func publish(_ number: Int) {
    latest.store(number, ordering: .relaxed)
    if let shared { shared.update { $0 = number } } else { topic.publish(number) }
  }

  /// Begins to observe, and then reads what a topic does not tell again.
  fileprivate func observe(_ state: inout ModelRoot.State) -> Effect<ModelRoot> {
    guard kind != .none else { return .none }
    if let shared { return .observe(shared, id: "news") { .told($0) } }
    let effect = Effect<ModelRoot>.observe(topic, id: "news") { .told($0) }
    state.news = latest.load(ordering: .relaxed)
    return effect
  }
}

/// Remembers which actions were done, in order: what the model compares with what clients were told.
struct ModelRoot: Riblet {
  static let typeName = "ModelRoot"

  struct State: Codable, Equatable {
    var done: [Int] = []
    var detail = Slot<NoConfig>()
    /// What was published last.
    var news = 0
    /// Not saved: a session that wakes shows another view.
    var mood = 0

    private enum CodingKeys: String, CodingKey { case done, detail, news }
  }

  enum ViewAction: Codable { case add(Int), open(Int), close(Int), sulk(Int), work(Int) }
  struct ViewState: Codable, Equatable { let done: [Int], mood: Int, news: Int }
  enum InternalAction { case told(Int) }

  let news: ModelNews

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

  func didBecomeActive(_ state: inout State) -> Effect<Self> { news.observe(&state) }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    guard case .told(let number) = internalAction else { return .none }
    state.news = number
    return .none
  }

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

  func view(_ state: State) -> ViewState { ViewState(done: state.done, mood: state.mood, news: state.news) }
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
