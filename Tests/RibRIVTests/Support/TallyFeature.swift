import RibCore
import RibRIV

enum TallyAction: Decodable, Sendable {
  case increment, decrement
  /// Fetches a bonus, under a name.
  case fetch(Int)
  /// Does the same without a name.
  case fetchBeside(Int)
  case fetchInVain
  /// Changes the domain so that it cannot be shown.
  case fail
}

struct TallyDomain: Codable, Equatable, Sendable {
  var count = 0
  var bonus = 0
  /// What the domain was when the last bonus was asked for.
  var countThen = 0
  var ratio = 1.0
}

struct TallyViewState: Codable, Equatable, Sendable {
  let count: Int
  let bonus: Int
  let countThen: Int
  let isNegative: Bool
  let ratio: Double
}

/// The counter of RIV, which can also fetch something.
final class TallyInteractor: BaseInteractor<TallyAction, TallyDomain> {
  struct Unreachable: Error {}

  override func didBecomeActive() { updateDomain { $0.count += 10 } }

  override func interact(with action: TallyAction) {
    switch action {
    case .increment: updateDomain { $0.count += 1 }
    case .decrement: updateDomain { $0.count -= 1 }
    case .fetch(let bonus): updateDomain(id: "fetch") { await Self.fetched(bonus, $0) }
    case .fetchBeside(let bonus): updateDomain { await Self.fetched(bonus, $0) }
    case .fetchInVain: updateDomain(id: "fetch") { _ in throw Unreachable() }
    case .fail:
      updateDomain {
        $0.count = 99
        $0.ratio = .nan
      }
      updateDomain(id: "fetch") { await Self.fetched(99, $0) }
    }
  }

  private static func fetched(_ bonus: Int, _ then: TallyDomain) async -> Mutation {
    { domain in
      domain.bonus += bonus
      domain.countThen = then.count
    }
  }
}

struct TallyReducer: Reducing {
  static let typeName = "Tally"

  func reduce(from domain: TallyDomain) -> TallyViewState {
    TallyViewState(
      count: domain.count, bonus: domain.bonus, countThen: domain.countThen, isNegative: domain.count < 0,
      ratio: domain.ratio)
  }
}

/// Makes the feature as RIV does.
func makeTally(
  _ domain: TallyDomain = TallyDomain()
) -> Feature<TallyInteractor, TallyAction, TallyDomain, TallyReducer, TallyViewState> {
  Feature(interactor: TallyInteractor(initialDomain: domain), reducer: TallyReducer())
}
