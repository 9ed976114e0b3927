/// How far something is that has to be fetched.
public enum Status<Value> {
  /// The value was not asked for.
  case idle
  /// It is on its way.
  case loading
  /// It is here.
  case loaded(Value)
  /// The value could not be fetched; the text says why, in words for the user.
  case failed(String)

  /// The value, if it is here.
  public var value: Value? { if case .loaded(let value) = self { value } else { nil } }
  /// Whether it is on its way.
  public var isLoading: Bool { if case .loading = self { true } else { false } }

  /// The status with another value in it.
  ///
  /// - Parameter transform: makes the other value.
  /// - Returns: the same status.
  /// - Throws: what `transform` throws.
  public func map<Other, Failure: Error>(_ transform: (Value) throws(Failure) -> Other) throws(Failure) -> Status<Other>
  {
    switch self {
    case .idle: .idle
    case .loading: .loading
    case .loaded(let value): .loaded(try transform(value))
    case .failed(let reason): .failed(reason)
    }
  }
}

extension Status: Equatable where Value: Equatable {}
extension Status: Hashable where Value: Hashable {}
extension Status: Sendable where Value: Sendable {}
extension Status: Encodable where Value: Encodable {}
extension Status: Decodable where Value: Decodable {}
