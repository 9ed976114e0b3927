import RibCore

/// Pays, and counts what it was asked for: each payment is written once in the state and at least once in a book outside of
/// the server, where its idempotency key tells a repetition from a second payment.
struct Ledger: Riblet {
  static let typeName = "Ledger"

  struct State: Codable, Equatable {
    /// The actions that were applied, here and in the pages.
    var count = 0
    /// The payment that was asked for last; they are numbered from 1.
    var lastPayment = 0
    /// Those that the book has.
    var paid = 0
    /// Those that it may not have yet.
    var unpaid: [Int] = []
    var page = Slot<NoConfig>()
  }

  enum ViewAction: Codable {
    case count
    case openPage, closePage
    /// Pays, unless that was asked for before; a number below 1 is refused.
    case pay(Int)
    /// Never comes to an end: it is refused, and nothing of it remains.
    case runAway
  }

  enum InternalAction {
    case paid(Int)
    case page(LedgerPage.Output)
    case runOn
  }

  struct ViewState: Codable, Equatable {
    let count: Int
    let lastPayment: Int
    let paid: Int
  }

  let service: LedgerService

  var routes: [Route<Self>] { [Route("page", \.page) { Child(LedgerPage()) { .page($0) } }] }

  func makeState() -> State { State() }

  func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    state.count += 1
    switch viewAction {
    case .count: return .none
    case .openPage: state.page.attach()
    case .closePage: state.page.detach()
    case .pay(let number):
      guard number > 0 else { return .refuse("There is no payment \(number): they are numbered from 1.") }
      guard number > state.lastPayment else { return .none }
      state.lastPayment = number
      state.unpaid.append(number)
      return pay(number)
    case .runAway: return .send(.runOn)
    }
    return .none
  }

  /// Its name is the payment's number, so that it is known what was interrupted.
  private func pay(_ number: Int, again key: IdempotencyKey? = nil) -> Effect<Self> {
    .run(id: number, key: key) { [service] send in
      try service.write("\(send.idempotencyKey) \(number)")
      await send(.paid(number))
    }
  }

  func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
    switch internalAction {
    case .paid(let number):
      guard let index = state.unpaid.firstIndex(of: number) else { break }
      state.unpaid.remove(at: index)
      state.paid += 1
    case .page(.tapped): state.count += 1
    case .runOn:
      state.count += 1
      return .send(.runOn)
    }
    return .none
  }

  /// Whether the book has what was interrupted is not known: it is told again, under the same key.
  func didRestore(_ state: inout State, interrupted: [InterruptedEffect]) -> Effect<Self> {
    .merge(
      interrupted.compactMap { effect in
        effect.id.flatMap { Int($0) }.map { pay($0, again: effect.key) }
      })
  }

  func view(_ state: State) -> ViewState {
    ViewState(count: state.count, lastPayment: state.lastPayment, paid: state.paid)
  }
}
