import RibCore

/// A build of the app: the state of one differs from that of the next.
protocol Build: Sendable {
  static var version: Int { get }
}

enum FirstBuild: Build { static let version = 1 }
enum SecondBuild: Build { static let version = 2 }

/// Remembers which actions were done, in order: what is compared with what clients were told.
struct Journal<Version: Build>: Riblet {
  static var typeName: String { "Journal" }
  static var stateVersion: Int { Version.version }

  struct State: Codable, Equatable {
    var done: [Int] = []
    var page = Slot<NoConfig>()
    /// What was published last.
    var news = 0
    /// Bookings that were asked for, and that the book may not have.
    var unbooked: [Int] = []
    /// Not saved: a session that wakes shows another view.
    var mood = 0

    init() {}

    // What the second build calls otherwise, so that neither can read what the other has written.
    private enum FirstKeys: String, CodingKey { case done, page, news, unbooked }
    private enum SecondKeys: String, CodingKey { case names, page, news, unbooked }

    init(from decoder: any Decoder) throws {
      if Version.version == 1 {
        let container = try decoder.container(keyedBy: FirstKeys.self)
        done = try container.decode([Int].self, forKey: .done)
        page = try container.decode(Slot<NoConfig>.self, forKey: .page)
        news = try container.decode(Int.self, forKey: .news)
        unbooked = try container.decode([Int].self, forKey: .unbooked)
      } else {
        let container = try decoder.container(keyedBy: SecondKeys.self)
        done = try container.decode([Int].self, forKey: .names)
        page = try container.decode(Slot<NoConfig>.self, forKey: .page)
        news = try container.decode(Int.self, forKey: .news)
        unbooked = try container.decode([Int].self, forKey: .unbooked)
      }
    }

    func encode(to encoder: any Encoder) throws {
      if Version.version == 1 {
        var container = encoder.container(keyedBy: FirstKeys.self)
        try container.encode(done, forKey: .done)
        try container.encode(page, forKey: .page)
        try container.encode(news, forKey: .news)
        try container.encode(unbooked, forKey: .unbooked)
      } else {
        var container = encoder.container(keyedBy: SecondKeys.self)
        try container.encode(done, forKey: .names)
        try container.encode(page, forKey: .page)
        try container.encode(news, forKey: .news)
        try container.encode(unbooked, forKey: .unbooked)
      }
    }
  }

  enum ViewAction: Codable {
    case add(Int), open(Int), close(Int), sulk(Int), book(Int)
    /// Is refused, after all that the others do.
    case overbook(Int)
  }

  enum InternalAction { case told(Int), booked(Int), overbooked(Int), page(JournalPage.Output) }
  struct ViewState: Codable, Equatable { let done: [Int], mood: Int, news: Int, unbooked: Int }

  let surroundings: JournalSurroundings

  var routes: [Route<Self>] {
    [Route("page", \.page) { Child(JournalPage()) { .page($0) } }]
  }

  func makeState() -> State { State() }

  func migrate(_ saved: SavedState, from version: Int) throws -> State {
    let old = try saved.decode(Journal<FirstBuild>.State.self)
    var state = State()
    (state.done, state.page, state.news, state.unbooked) = (old.done, old.page, old.news, old.unbooked)
    return state
  }

  func didBecomeActive(_ state: inout State) -> Effect<Self> {
    guard surroundings.observes else { return .none }
    let news = Effect<Self>.observe(surroundings.news, id: "news") { .told($0) }
    state.news = surroundings.latest()
    return news
  }

  /// Whether the book has what was interrupted is not known: it is told again, under the same key.
  func didRestore(_ state: inout State, interrupted: [InterruptedEffect]) -> Effect<Self> {
    .merge(interrupted.compactMap { effect in effect.id.flatMap { Int($0) }.map { book($0, again: effect.key) } })
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .told(let number): state.news = max(state.news, number)
    case .booked(let name): state.unbooked.removeAll { $0 == name }
    case .overbooked(let name): return .refuse(JournalAction.refusal(of: name))
    case .page(.added(let name)): state.done.append(name)
    case .page(.overbooked(let name)): return overbook(name, &state)
    }
    return .none
  }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .add(let name): state.done.append(name)
    case .open(let name):
      state.done.append(name)
      state.page.attach()
    case .close(let name):
      state.done.append(name)
      state.page.detach()
    case .sulk(let name):
      state.done.append(name)
      state.mood += 1
    case .book(let name):
      state.done.append(name)
      state.unbooked.append(name)
      return book(name)
    case .overbook(let name): return overbook(name, &state)
    }
    return .none
  }

  /// Does what other actions do, and is refused: at once, or a step later.
  private func overbook(_ name: Int, _ state: inout State) -> Effect<Self> {
    state.done.append(name)
    state.unbooked.append(name)
    state.mood += 1
    if state.page.config == nil { state.page.attach() } else { state.page.detach() }
    let refusal: Effect<Self> =
      name.isMultiple(of: 2) ? .refuse(JournalAction.refusal(of: name)) : .send(.overbooked(name))
    return .merge(book(name), refusal)
  }

  private func book(_ name: Int, again key: IdempotencyKey? = nil) -> Effect<Self> {
    .run(id: name, key: key) { [surroundings] send in
      try await surroundings.book(name, "\(send.idempotencyKey)")
      await send(.booked(name))
    }
  }

  func view(_ state: State) -> ViewState {
    ViewState(done: state.done, mood: state.mood, news: state.news, unbooked: state.unbooked.count)
  }
}

/// A page that is there at times: actions for it are refused at others.
struct JournalPage: Riblet {
  static let typeName = "JournalPage"

  struct State: Codable, Equatable { var count = 0 }
  enum ViewAction: Codable { case add(Int), overbook(Int) }
  enum Output { case added(Int), overbooked(Int) }
  struct ViewState: Codable, Equatable { let count: Int }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.count += 1
    switch viewAction {
    case .add(let name): return .output(.added(name))
    // The parent refuses it, and the count is undone as well.
    case .overbook(let name): return .output(.overbooked(name))
    }
  }

  func view(_ state: State) -> ViewState { ViewState(count: state.count) }
}

/// What the sessions of one process have around them.
struct JournalSurroundings: Sendable {
  /// Whether they observe anything.
  let observes: Bool
  /// What the sessions observe.
  let news: Topic<Int>
  /// What was published last, as somebody keeps it in a database.
  let latest: @Sendable () -> Int
  /// Books something outside of the server, where a key tells a repetition from a second booking.
  let book: @Sendable (_ name: Int, _ key: String) async throws -> Void
}
