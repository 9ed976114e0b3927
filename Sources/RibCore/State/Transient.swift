/// A property of a state that is not saved: what is on its way, what can be computed anew.
///
///     struct State: Codable {
///       var rows: [Row] = []
///       @Transient var isLoading = false
///     }
///
/// Where the state is saved the property is left out, and a state that comes back has it as ``TransientValue/initial``: nil,
/// false, 0, empty. `didRestore` and `didBecomeActive` make of it what it is to be.
///
/// A transient property is left out of everything that is coded: a view state or an action that has one does not carry it. What a
/// client is to see is a property of the view state's own.
@propertyWrapper
public struct Transient<Value: TransientValue> {
  /// The value.
  public var wrappedValue: Value

  /// A property.
  ///
  /// - Parameter wrappedValue: its value at first.
  public init(wrappedValue: Value = .initial) { self.wrappedValue = wrappedValue }
}

extension Transient: Equatable where Value: Equatable {}
extension Transient: Hashable where Value: Hashable {}
extension Transient: Sendable where Value: Sendable {}

/// A value that a ``Transient`` property can have.
public protocol TransientValue {
  /// What it is in a state that was restored.
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
  /// Called only where the property is not one of an object: there is no way to leave it out.
  ///
  /// - Parameter encoder: where to.
  /// - Throws: `EncodingError`.
  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self, .init(codingPath: encoder.codingPath, debugDescription: "Only a property of an object can be transient."))
  }

  /// The initial value: nothing was saved.
  ///
  /// - Parameter decoder: is not looked at.
  public init(from decoder: any Decoder) { self.init() }
}

extension KeyedEncodingContainer {
  /// Leaves a transient property out.
  ///
  /// - Parameters:
  ///   - value: the property.
  ///   - key: its key.
  /// - Throws: nothing; the compiler's own `encode(to:)` expects that it may.
  public mutating func encode<Value>(_ value: Transient<Value>, forKey key: Key) throws {
    TransientValues.carried?.put(value.wrappedValue, key.stringValue)
  }
}

extension KeyedDecodingContainer {
  /// The initial value of a transient property, whatever was saved.
  ///
  /// - Parameters:
  ///   - type: the property's.
  ///   - key: its key.
  /// - Returns: the property.
  /// - Throws: nothing; the compiler's own `init(from:)` expects that it may.
  public func decode<Value>(_ type: Transient<Value>.Type, forKey key: Key) throws -> Transient<Value> {
    Transient(wrappedValue: TransientValues.carried?.take(Value.self, key.stringValue) ?? .initial)
  }
}

/// Carries the transient values of a state over to its copy, where a test saves and restores it at once: what differs between the
/// two then is lost by mistake.
///
/// `@unchecked Sendable`: encoders and decoders are synchronous, so the values are used by the thread that has bound them alone,
/// and for as long as that binding lasts; no task is started meanwhile.
final class TransientValues: @unchecked Sendable {
  @TaskLocal static var carried: TransientValues?

  /// By the key and the type; of several with one key, as in an array's elements, the first is taken first.
  private var values: [String: [Any]] = [:]

  func put<Value>(_ value: Value, _ key: String) { values["\(key): \(Value.self)", default: []].append(value) }

  func take<Value>(_ type: Value.Type, _ key: String) -> Value? {
    let name = "\(key): \(type)"
    guard let first = values[name]?.first else { return nil }
    values[name]?.removeFirst()
    return first as? Value
  }
}
