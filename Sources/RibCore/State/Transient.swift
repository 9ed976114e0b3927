/// A property of a state that is not saved, because it can be loaded or computed again.
///
///     struct State: Codable {
///       var rows: [Row] = []
///       @Transient var isLoading = false
///     }
///
/// The property is left out of the saved state. In a restored state its value is ``TransientValue/initial``: nil,
/// false, 0, empty. `didRestore` and `didBecomeActive` may set another one.
///
/// A transient property is left out wherever it is coded, in a view state or an action as well: what a client is to see is a
/// property of the view state.
@propertyWrapper
public struct Transient<Value: TransientValue> {
  /// The value.
  public var wrappedValue: Value

  /// A property with its first value.
  public init(wrappedValue: Value = .initial) { self.wrappedValue = wrappedValue }
}

extension Transient: Equatable where Value: Equatable {}
extension Transient: Hashable where Value: Hashable {}
extension Transient: Sendable where Value: Sendable {}

/// A value that a ``Transient`` property can have.
public protocol TransientValue {
  /// The value of the property in a restored state.
  static var initial: Self { get }
}

extension Optional: TransientValue {
  /// Nil.
  public static var initial: Wrapped? { nil }
}

extension Bool: TransientValue {
  /// False.
  public static var initial: Bool { false }
}

extension Int: TransientValue {
  /// Zero.
  public static var initial: Int { 0 }
}

extension Double: TransientValue {
  /// Zero.
  public static var initial: Double { 0 }
}

extension String: TransientValue {
  /// The empty text.
  public static var initial: String { "" }
}

extension Array: TransientValue {
  /// No elements.
  public static var initial: [Element] { [] }
}

extension Set: TransientValue {
  /// No elements.
  public static var initial: Set { [] }
}

extension Dictionary: TransientValue {
  /// No elements.
  public static var initial: [Key: Value] { [:] }
}

extension IdentifiedArray: TransientValue {
  /// No elements.
  public static var initial: IdentifiedArray { IdentifiedArray() }
}

extension Transient: Codable {
  /// Always throws: outside of an object there is no key to leave out.
  ///
  /// - Throws: `EncodingError`.
  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self, .init(codingPath: encoder.codingPath, debugDescription: "Only a property of an object can be transient."))
  }

  /// The initial value: nothing was saved.
  public init(from decoder: any Decoder) { self.init() }
}

extension KeyedEncodingContainer {
  /// Leaves the property out: the synthesized `encode(to:)` calls this overload for a transient property.
  public mutating func encode<Value>(_ value: Transient<Value>, forKey key: Key) throws {
    TransientValues.carried?.put(value.wrappedValue, key.stringValue)
  }
}

extension KeyedDecodingContainer {
  /// The initial value, whatever was saved: the synthesized `init(from:)` calls this overload for a transient property.
  public func decode<Value>(_ type: Transient<Value>.Type, forKey key: Key) throws -> Transient<Value> {
    Transient(wrappedValue: TransientValues.carried?.take(Value.self, key.stringValue) ?? .initial)
  }
}

/// Carries the transient values of a state over to its restored copy, where a test compares the two: any other difference is a
/// loss.
///
/// `@unchecked Sendable`: encoders and decoders are synchronous, so that only the thread that has bound the values uses them,
/// and only while they are bound; no task starts meanwhile.
final class TransientValues: @unchecked Sendable {
  @TaskLocal static var carried: TransientValues?

  // By coding key and type. Values of one key, as those of an array's elements, are taken in the order they were put.
  private var values: [String: [Any]] = [:]

  func put<Value>(_ value: Value, _ key: String) { values["\(key): \(Value.self)", default: []].append(value) }

  func take<Value>(_ type: Value.Type, _ key: String) -> Value? {
    let name = "\(key): \(type)"
    guard let first = values[name]?.first else { return nil }
    values[name]?.removeFirst()
    return first as? Value
  }
}
