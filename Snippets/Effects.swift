// The riblets of the article "Effects", and tests of them.
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
        guard let hits = try? await find(text) else { return await send(.failed) }
        await send(.found(hits))
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
  var dependencies = Dependencies.unimplemented { missing in fatalError("\(missing)") }
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
