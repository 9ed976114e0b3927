package import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension JSONSchema {
  /// The schema as a value, as ``write(into:)`` writes it.
  package var json: JSONValue {
    var writer = JSONWriter()
    write(into: &writer)
    // Text of a JSON writer parses.
    return (try? JSONValue(parsing: String(decoding: writer.bytes, as: UTF8.self))) ?? .null
  }

  /// The greatest number of cases of an enum in it, at least 1.
  package var caseCount: Int {
    switch self {
    case .cases(let cases): max(cases.count, cases.map(\.schema.caseCount).max() ?? 1, 1)
    case .constants(let values): max(values.count, 1)
    case .array(let schema), .dictionary(let schema), .nullable(let schema): schema.caseCount
    case .object(let members, _), .payload(let members): members.map(\.schema.caseCount).max() ?? 1
    default: 1
    }
  }

  /// A place at which a type has ended its decoding early, so that nothing is known of what follows; nil if there is none.
  package var gap: String? {
    switch self {
    case .object(let members, let comment): comment ?? members.lazy.compactMap(\.schema.gap).first
    case .payload(let members), .cases(let members): members.lazy.compactMap(\.schema.gap).first
    case .array(let schema), .dictionary(let schema), .nullable(let schema): schema.gap
    default: nil
    }
  }

  /// A value of this shape, as a saved state has it.
  ///
  /// - Parameters:
  ///   - choice: the number of the case that each enum has, counted on from the first where there are not so many.
  ///   - isFull: whether all is there that may be: what is optional, and an element in each array.
  ///   - base: a value of the same shape, from which comes what cannot be made up.
  /// - Returns: the value; nil if one cannot be made up, and the base has none.
  package func example(_ choice: Int, isFull: Bool, base: JSONValue?) -> JSONValue? {
    switch self {
    case .boolean: .bool(true)
    // The index of the one tab there is, the key of the one child: of an array there is one element.
    case .integer: .integer(0)
    case .number: .number(1.5)
    case .string(let format): Self.text(format)
    case .base64: Self.json(of: Data([1]))
    case .decimal: Self.json(of: Decimal(1))
    case .array(let element):
      isFull ? .array(element.example(choice, isFull: true, base: base?.first).map { [$0] } ?? []) : .array([])
    case .dictionary(let value):
      isFull ? .object(value.example(choice, isFull: true, base: nil).map { ["1": $0] } ?? [:]) : .object([:])
    case .object(let members, _), .payload(let members): Self.object(members, choice, isFull, base)
    case .cases(let cases):
      cases.isEmpty ? base : Self.object([cases[choice % cases.count]], choice, isFull, base)
    case .constants(let values): values.isEmpty ? base : values[choice % values.count]
    case .secret: .null
    case .nullable(let schema): isFull ? schema.example(choice, isFull: true, base: base?.unlessNull) ?? .null : .null
    case .custom, .unknown: base
    case .nothing: nil
    }
  }

  private static func object(
    _ members: [Property], _ choice: Int, _ isFull: Bool, _ base: JSONValue?
  ) -> JSONValue? {
    var object = JSONObject()
    for member in members where isFull || member.isRequired {
      let value = member.schema.example(choice, isFull: isFull, base: base?[member.name]) ?? base?[member.name]
      // Without what is required there is no example.
      guard value != nil || !member.isRequired else { return base }
      object[member.name] = value
    }
    return .object(object)
  }

  /// A text, or a value of a type that is a text for clients and codes itself in another way in a saved state.
  private static func text(_ format: String?) -> JSONValue? {
    switch format {
    case "date-time": return json(of: Date(timeIntervalSinceReferenceDate: 1))
    case "uri": return URL(string: "https://example.org").flatMap { json(of: $0) }
    case "uuid": return json(of: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
    default: return .string("text")
    }
  }

  private static func json(of value: some Encodable) -> JSONValue? {
    (try? StateCoder.encode(value)).flatMap { try? JSONValue(parsing: String(decoding: $0, as: UTF8.self)) }
  }
}

extension JSONValue {
  fileprivate var first: JSONValue? { if case .array(let elements) = self { elements.first } else { nil } }
  fileprivate var unlessNull: JSONValue? { if case .null = self { nil } else { self } }
}
