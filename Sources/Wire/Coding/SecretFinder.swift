/// Finds out whether a type takes secrets, by letting it decode from examples and noting what it asks for.
///
/// This takes much longer than decoding: it is for an action that does not decode, or for once a type.
package final class SecretFinder {
  /// What was found.
  package enum Finding: Sendable {
    /// The type holds no secret.
    case absent
    /// The type does not decode from an example, as its `init(from:)` is written by hand, for instance: it may hold a secret.
    case unknown
    /// The type has a place for a secret.
    case present
  }

  /// More values than any action type decodes: a type that asks for more does so without end.
  private static let limit = 1024

  private var open: [any Any.Type] = []
  private var asks = 0
  private var finding = Finding.absent

  private init() {}

  /// Whether a value of a type may hold a ``SecretValue``.
  ///
  /// - Parameter type: the type.
  /// - Returns: what is known of the type.
  package static func secret<Value: Decodable>(in type: Value.Type) -> Finding {
    let finder = SecretFinder()
    _ = finder.example(of: type)
    return finder.finding
  }

  /// Looks into a type, and makes an example of it, if there is one.
  func example<Value: Decodable>(of type: Value.Type) -> Value? {
    asks += 1
    if type is any SecretValue.Type { finding = .present }
    guard asks <= Self.limit else {
      giveUp()
      return nil
    }
    if let value = ExampleValue.of(type) { return value }
    // There is no more to find, or this type contains itself.
    guard finding != .present, !open.contains(where: { $0 == type }) else { return nil }
    open.append(type)
    defer { open.removeLast() }
    if let container = type as? any SearchedContainer.Type {
      container.lookInto(finder: self)
      return container.empty as? Value
    }
    return EnumCases.isEnum(type) ? exampleOfCase(type) : decode(type, SecretProbe(finder: self))
  }

  /// Lets an enum decode once for each of its cases.
  private func exampleOfCase<Value: Decodable>(_ type: Value.Type) -> Value? {
    // The cases of such an enum have no payloads.
    if type is any RawRepresentable.Type { return EnumCases.all(of: type)?.first }
    let survey = SecretProbe(finder: self)
    let first = try? type.init(from: survey)
    guard let names = survey.notes.caseNames else {
      if first == nil { giveUp() }
      return first
    }
    var example: Value?
    for name in names {
      let value = decode(type, SecretProbe(finder: self, case: name))
      example = example ?? value
    }
    return example
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ probe: SecretProbe) -> Value? {
    let value = try? type.init(from: probe)
    // What the type would have decoded next is not known.
    if value == nil { giveUp() }
    return value
  }

  private func giveUp() {
    if finding == .absent { finding = .unknown }
  }
}

/// A container of the standard library, whose parts are looked into.
private protocol SearchedContainer {
  static func lookInto(finder: SecretFinder)
  static var empty: Self { get }
}

extension Optional: SearchedContainer where Wrapped: Decodable {
  fileprivate static func lookInto(finder: SecretFinder) { _ = finder.example(of: Wrapped.self) }
  fileprivate static var empty: Self { nil }
}

extension Array: SearchedContainer where Element: Decodable {
  fileprivate static func lookInto(finder: SecretFinder) { _ = finder.example(of: Element.self) }
  fileprivate static var empty: Self { [] }
}

extension Set: SearchedContainer where Element: Decodable {
  fileprivate static func lookInto(finder: SecretFinder) { _ = finder.example(of: Element.self) }
  fileprivate static var empty: Self { [] }
}

extension Dictionary: SearchedContainer where Key: Decodable, Value: Decodable {
  fileprivate static func lookInto(finder: SecretFinder) {
    _ = finder.example(of: Key.self)
    _ = finder.example(of: Value.self)
  }
  fileprivate static var empty: Self { [:] }
}
