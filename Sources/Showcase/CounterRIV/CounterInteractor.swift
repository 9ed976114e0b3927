import RibRIV

/// What a user of the counter does, in the style of RIV.
enum CounterAction: String, Codable { case increment, decrement, reset }

/// What the counter remembers.
struct CounterDomain: Codable, Equatable { var count = 0 }

/// The counter as a class that updates its domain.
final class CounterInteractor: BaseInteractor<CounterAction, CounterDomain> {
  override func interact(with action: CounterAction) {
    switch action {
    case .increment: updateDomain { $0.count &+= 1 }
    case .decrement: updateDomain { $0.count &-= 1 }
    case .reset: updateDomain { $0.count = 0 }
    }
  }
}

/// What is seen of the domain.
struct CounterReducer: Reducing {
  static let typeName = "Counter"

  func reduce(from domain: CounterDomain) -> Counter.ViewState {
    Counter.ViewState(count: domain.count, isNegative: domain.count < 0)
  }
}
