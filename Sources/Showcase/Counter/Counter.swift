public import RibCore

/// A number that goes up, down and back to zero.
public struct Counter: Riblet {
  /// The name by which clients know it.
  public static let typeName = "Counter"

  /// What the counter remembers.
  public struct State: Codable, Equatable, Sendable {
    /// The number.
    public var count = 0
  }

  /// What a user does.
  public enum ViewAction: String, Codable, Sendable {
    /// Adds one.
    case increment
    /// Takes one away.
    case decrement
    /// Goes back to zero.
    case reset
  }

  /// What a user sees.
  public struct ViewState: Codable, Equatable, Sendable {
    /// The number.
    public let count: Int
    /// Whether it is below zero.
    public let isNegative: Bool
  }

  /// A counter at zero.
  public init() {}

  /// A counter starts at zero.
  ///
  /// - Returns: the state.
  public func makeState() -> State { State() }

  /// Counts.
  ///
  /// - Parameters:
  ///   - state: the number.
  ///   - viewAction: what the user did.
  /// - Returns: no effect.
  public func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
    switch viewAction {
    case .increment: state.count &+= 1
    case .decrement: state.count &-= 1
    case .reset: state.count = 0
    }
    return .none
  }

  /// Shows the number.
  ///
  /// - Parameter state: the number.
  /// - Returns: what the user sees.
  public func view(_ state: State) -> ViewState {
    ViewState(count: state.count, isNegative: state.count < 0)
  }
}
