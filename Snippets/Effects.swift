// The riblets of the article "Effects", and tests of them.
import Foundation
import RibCore
import RibTesting
import Testing
import Wire

struct Search: Riblet {
  static let typeName = "Search"
  struct State: Codable {
    var text = ""
    var hits = Status<[String]>.idle
  }
  enum ViewAction: Decodable { case textChanged(String), clearTapped }
  enum InternalAction { case found([String]), failed }
  struct ViewState: Encodable, Equatable { let hits: Status<[String]> }

  let find: @Sendable (String) async throws -> [String]
  let dependencies: Dependencies

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .textChanged(let text):
      state.text = text
      state.hits = .loading
      return .run(id: "search") { [find] send in
        await send(.found(try await find(text)))
      } catch: { _, send in
        await send(.failed)
      }
      .debounce(id: "search", for: .milliseconds(300), clock: dependencies.clock)
    case .clearTapped:
      state = State()
      return .cancel(id: "search")
    }
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .found(let hits): state.hits = .loaded(hits)
    case .failed: state.hits = .failed("The search did not work.")
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(hits: state.hits) }
}

struct Ticker: Riblet {
  static let typeName = "Ticker"
  enum InternalAction { case priceChanged(Int) }
  struct ViewState: Encodable, Equatable { let price: Int }

  let prices: @Sendable () async throws -> AsyncStream<Int>

  func makeState() -> Int { 0 }

  func didBecomeActive(_ price: inout Int) -> Effect<Self> {
    .observe(prices, id: "prices") { .priceChanged($0) }
  }

  func reduce(into price: inout Int, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .priceChanged(let new): price = new
    }
    return .none
  }

  func view(_ price: Int) -> ViewState { ViewState(price: price) }
}

struct Wall: Riblet {
  static let typeName = "Wall"
  enum InternalAction { case said(String) }
  struct ViewState: Encodable, Equatable { let lines: [String] }

  let room: Topic<String>
  let history: () -> [String]

  func makeState() -> [String] { [] }

  func didBecomeActive(_ lines: inout [String]) -> Effect<Self> {
    let news = Effect<Self>.observe(room, id: "room") { .said($0) }
    lines = history()
    return news
  }

  func reduce(into lines: inout [String], internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .said(let line): if !lines.contains(line) { lines.append(line) }
    }
    return .none
  }

  func view(_ lines: [String]) -> ViewState { ViewState(lines: lines) }
}

let board = Topic<String>(name: "board")

/// Shows what is posted at any node of a cluster, and reads anew what it has missed.
struct Bulletin: Riblet {
  static let typeName = "Bulletin"
  enum ViewAction: Decodable { case post(String) }
  enum InternalAction { case posted(String), missed }
  struct ViewState: Encodable, Equatable { let lines: [String] }

  let history: () -> [String]

  func makeState() -> [String] { [] }

  func didBecomeActive(_ lines: inout [String]) -> Effect<Self> {
    .observe(board, id: "board", missed: { .missed }) { .posted($0) }
  }

  func reduce(into lines: inout [String], viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .post(let line): .publish(line, to: board)
    }
  }

  func reduce(into lines: inout [String], internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .posted(let line): lines.append(line)
    case .missed: lines = history()
    }
    return .none
  }

  func view(_ lines: [String]) -> ViewState { ViewState(lines: lines) }
}

/// Deletes after five seconds, unless that is taken back; also if its session has left memory meanwhile.
struct Trash: Riblet {
  static let typeName = "Trash"
  struct State: Codable {
    var notes = ["a", "b"]
    var deadline: Date?
    @Transient var secondsLeft: Int?
  }
  enum ViewAction: Decodable { case emptyTapped, undoTapped }
  enum InternalAction { case ticked, due }
  struct ViewState: Encodable, Equatable { let notes: [String], secondsLeft: Int? }

  let dependencies: Dependencies

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .emptyTapped:
      guard !state.notes.isEmpty else { return .refuse("There is nothing to delete.") }
      state.deadline = dependencies.date().addingTimeInterval(5)
      return wait(&state)
    case .undoTapped:
      state.deadline = nil
      state.secondsLeft = nil
      return .merge(.cancel(id: "deadline"), .cancel(id: "countdown"))
    }
  }

  func didRestore(_ state: inout State, interrupted: [InterruptedEffect]) -> Effect<Self> { wait(&state) }

  private func wait(_ state: inout State) -> Effect<Self> {
    guard let deadline = state.deadline else { return .none }
    let left = max(deadline.timeIntervalSince(dependencies.date()), 0)
    state.secondsLeft = Int(left.rounded(.up))
    return .merge(
      .after(.seconds(left), id: "deadline", clock: dependencies.clock, .due),
      .timer(every: .seconds(1), id: "countdown", clock: dependencies.clock, .ticked))
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .ticked: state.secondsLeft = state.secondsLeft.map { $0 - 1 }
    case .due:
      state = State(notes: [])
      return .cancel(id: "countdown")
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(notes: state.notes, secondsLeft: state.secondsLeft) }
}

/// Is counted as long as its session is in memory.
struct Visitor: Riblet {
  static let typeName = "Visitor"
  struct ViewState: Encodable, Equatable {}

  let visitors: SharedValue<Int>

  func makeState() -> Int { 0 }

  func didBecomeActive(_ state: inout Int) -> Effect<Self> {
    .run(id: "visit", resumable: true) { [visitors] send in
      visitors.update { $0 += 1 }
      await send.untilCancelled()
      visitors.update { $0 -= 1 }
    }
  }

  func view(_ state: Int) -> ViewState { ViewState() }
}

struct Checkout: Riblet {
  static let typeName = "Checkout"
  struct State: Codable {
    var amount = 0
    var isPaid = false
  }
  enum ViewAction: Decodable { case payTapped, closeTapped }
  enum InternalAction { case paid }
  enum Output { case closed }
  struct ViewState: Encodable, Equatable { let isPaid: Bool }

  let charge: @Sendable (_ amount: Int, _ key: String) async throws -> Void

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .payTapped:
      return pay(state.amount)
    case .closeTapped:
      return .merge(.cancel(id: "payment"), .output(.closed))
    }
  }

  private func pay(_ amount: Int, key: IdempotencyKey? = nil) -> Effect<Self> {
    .concatenate(
      .run(id: "payment", cancelInFlight: true, key: key) { [charge] send in
        try await charge(amount, send.idempotencyKey.description)
      },
      .send(.paid))
  }

  func didRestore(_ state: inout State, interrupted: [InterruptedEffect]) -> Effect<Self> {
    guard let payment = interrupted.first(where: { $0.id == "payment" }) else { return .none }
    return pay(state.amount, key: payment.key)
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .paid: state.isPaid = true
    }
    return .none
  }

  func view(_ state: State) -> ViewState { ViewState(isPaid: state.isPaid) }
}

struct Dice: Riblet {
  static let typeName = "Dice"
  enum ViewAction: Decodable { case roll }
  struct ViewState: Encodable, Equatable { let pips: Int }

  let dependencies: Dependencies

  func makeState() -> Int { 1 }

  func reduce(into pips: inout Int, viewAction: ViewAction) -> Effect<Self> {
    pips = dependencies.random(in: 1...6)
    return .none
  }

  func view(_ pips: Int) -> ViewState { ViewState(pips: pips) }
}

func roll_showsWhatIsDrawn() throws {
  var dependencies = Dependencies.unimplemented()
  dependencies.randomBits = { 0xC000_0000_0000_0000 }
  let session = try TestSession(Dice(dependencies: dependencies))
  try session.act(#""roll""#)
  precondition(session.view["nodes"]?["1"]?["state"]?["pips"] == .integer(5))
}

func ticker_showsTheLastPrice() async throws {
  let prices = AsyncStream<Int> { continuation in
    continuation.yield(7)
    continuation.finish()
  }
  let session = try TestSession(Ticker { prices })
  try await session.runNextEffect()
  precondition(session.view["nodes"]?["1"]?["state"]?["price"] == .integer(7))
}
