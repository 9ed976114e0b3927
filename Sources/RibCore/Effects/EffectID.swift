/// The name of an effect within its node: equal names in different nodes have nothing to do with each other.
package struct EffectID: Hashable, Sendable, CustomStringConvertible {
  private let value: any Hashable & Sendable

  /// A name; equal values make equal names.
  package init(_ value: some Hashable & Sendable) {
    // A name made of a name is the same name, and not a name of another type.
    self.value = (value as? EffectID)?.value ?? value
  }

  /// Whether both names were made of equal values.
  package static func == (left: EffectID, right: EffectID) -> Bool {
    AnyHashable(left.value) == AnyHashable(right.value)
  }

  /// Hashes the value.
  package func hash(into hasher: inout Hasher) { AnyHashable(value).hash(into: &hasher) }

  /// The name of the value's type without its module; nil for a string.
  var typeName: String? { value is String ? nil : "\(type(of: value))" }

  /// The name without what a user may have typed: that of a case, or `…` for any other value.
  package var publicName: String { caseName(of: value) ?? "…" }

  /// A text that describes the value, for logs.
  package var description: String { "\(value)" }
}
