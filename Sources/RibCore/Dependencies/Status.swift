/// The progress of fetching a value.
public enum Status<Value> {
  /// Nobody has asked for the value yet.
  case idle
  /// The value is being fetched.
  case loading
  /// The value is here.
  case loaded(Value)
  /// The value could not be fetched; the text says why, in words for the user.
  case failed(String)

  /// The value if it is here; nil otherwise.
  public var value: Value? { if case .loaded(let value) = self { value } else { nil } }
  /// Whether the value is being fetched.
  public var isLoading: Bool { if case .loading = self { true } else { false } }

  /// The same status with another value, which `transform` makes of a loaded one.
  ///
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
