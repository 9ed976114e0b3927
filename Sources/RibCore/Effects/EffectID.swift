/// The name of an effect within its node: two nodes' effects never meet, whatever their names.
public struct EffectID: Hashable, Sendable, CustomStringConvertible {
  private let value: any Hashable & Sendable

  /// An effect's name.
  ///
  /// - Parameter value: equal values are the same name.
  public init(_ value: some Hashable & Sendable) {
    // A name stays one, however often it is handed on.
    self.value = (value as? EffectID)?.value ?? value
  }

  /// Whether both are the same name.
  ///
  /// - Parameters:
  ///   - left: a name.
  ///   - right: a name.
  /// - Returns: whether their values are equal.
  public static func == (left: EffectID, right: EffectID) -> Bool {
    AnyHashable(left.value) == AnyHashable(right.value)
  }

  /// Feeds the value to a hasher.
  ///
  /// - Parameter hasher: where to.
  public func hash(into hasher: inout Hasher) { AnyHashable(value).hash(into: &hasher) }

  /// The name of the value's type, without its module; nil for a string.
  var typeName: String? { value is String ? nil : "\(type(of: value))" }

  /// The value as text, for logs.
  public var description: String { "\(value)" }
}
