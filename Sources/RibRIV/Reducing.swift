/// What clients see of a feature in the style of RIV: its domain, reduced to a view state.
public protocol Reducing<Domain, ViewState> {
  /// What there is.
  associatedtype Domain
  /// What is seen of it.
  associatedtype ViewState: Encodable & Equatable & Sendable

  /// The name by which clients know the feature: the node's `type`.
  static var typeName: String { get }

  /// Makes the view state of a domain.
  ///
  /// - Parameter domain: the domain.
  /// - Returns: what the client sees.
  func reduce(from domain: Domain) -> ViewState
}
