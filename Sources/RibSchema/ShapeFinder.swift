import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension JSONSchema {
  /// The shape of what a type decodes from, found by letting it decode and noting what it asks for.
  ///
  /// The decoder answers with zeros and empty strings. So an `init(from:)` written by hand sees nothing that a client could
  /// not send; if it refuses that, what it had asked for until then is told.
  ///
  /// - Parameter type: the type.
  package init<Value: Decodable>(decoding type: Value.Type) { self = ShapeFinder().shape(of: type).schema }
}

/// Finds the shapes of types.
final class ShapeFinder {
  /// A shape, and a value that has it, if there is one.
  struct Found<Value> {
    let schema: JSONSchema
    let value: Value?
  }

  /// What is being looked into, from the outermost inwards.
  private var open: [any Any.Type] = []
  /// How many containers were asked for by hand, within others.
  private var nestings = 0

  /// Takes note of a container within another: of too many there is no end.
  func nest() throws {
    nestings += 1
    guard nestings <= 256 else { throw NoExample(type: Any.self) }
  }

  func shape<Value: Decodable>(of type: Value.Type) -> Found<Value> {
    let own = (type as? any JSONSchemaProviding.Type).map { JSONSchema.custom($0.schema) }
    guard !open.contains(where: { $0 == type }) else {
      return Found(schema: own ?? .unknown("\(type) contains itself."), value: nil)
    }
    open.append(type)
    defer { open.removeLast() }
    let found = find(type)
    return own.map { Found(schema: $0, value: found.value) } ?? found
  }

  private func find<Value: Decodable>(_ type: Value.Type) -> Found<Value> {
    if let simple = Self.simpleSchema(of: type) { return Found(schema: simple, value: ExampleValue.of(type)) }
    if let container = type as? any ShapedContainer.Type {
      // Not `example as? Value`: that would make a value of nil if `Value` is an optional type.
      return Found(schema: container.schema(by: self), value: container.example(by: self).flatMap { $0 as? Value })
    }
    let found = EnumCases.isEnum(type) ? cases(of: type) : decode(type: type)
    // Of a type that refuses zeros and empty texts.
    guard found.value == nil, let sampled = type as? any SampleProviding.Type else { return found }
    return Found(schema: found.schema, value: sampled.sample as? Value)
  }

  // MARK: Types by their names

  static func simpleSchema(of type: any Any.Type) -> JSONSchema? {
    switch type {
    case is Bool.Type: .boolean
    case is String.Type: .string()
    case is Decimal.Type: .decimal
    case is Double.Type, is Float.Type: .number
    case let type as any FixedWidthInteger.Type: wholeNumber(of: type)
    case is Date.Type: .string(format: "date-time")
    case is URL.Type: .string(format: "uri")
    case is UUID.Type: .string(format: "uuid")
    case is Data.Type: .base64
    default: nil
    }
  }

  private static func wholeNumber<Number: FixedWidthInteger>(of type: Number.Type) -> JSONSchema {
    func json(_ number: Number) -> JSONValue { Int64(exactly: number).map { .integer($0) } ?? .digits("\(number)") }
    return .integer(minimum: json(.min), maximum: json(.max))
  }

  // MARK: Enums

  /// Lets an enum decode once for each of its cases.
  private func cases<Value: Decodable>(of type: Value.Type) -> Found<Value> {
    let survey = Shape()
    let first = Result { try type.init(from: ShapeDecoder(finder: self, shape: survey)) }
    if survey.isString, let strings = Self.strings(among: type) { return strings }
    if survey.isInteger, let value = integer(of: type) { return Found(schema: .integer(), value: value) }
    // An enum that is coded otherwise than the compiler does.
    guard let names = survey.caseNames else { return found(type, survey, first) }
    var properties: [JSONSchema.Property] = []
    var value: Value?
    var isByHand = true
    for name in names {
      let shape = Shape(case: name)
      let result = Result { try type.init(from: ShapeDecoder(finder: self, shape: shape)) }
      if value == nil { value = try? result.get() }
      if shape.payload != nil { isByHand = false }
      let payload = shape.payload?.payloadSchema(result.failure)
      properties.append(JSONSchema.Property(name, payload ?? .unknown("The case is decoded by hand.")))
    }
    guard isByHand else { return Found(schema: .cases(properties), value: value) }
    let found = found(type, survey, first)
    return Found(schema: found.schema, value: found.value ?? value)
  }

  /// The raw values of an enum that is coded as a string.
  private static func strings<Value>(among type: Value.Type) -> Found<Value>? {
    guard type is any RawRepresentable.Type, let cases = EnumCases.all(of: type) else { return nil }
    let strings = cases.compactMap { ($0 as? any RawRepresentable)?.erasedRawValue as? String }
    guard strings.count == cases.count else { return nil }
    return Found(schema: .constants(strings.map(JSONValue.string)), value: cases.first)
  }

  /// The raw values of an enum of strings; nil for any other type.
  static func strings<Value>(of type: Value.Type) -> JSONSchema? {
    EnumCases.isEnum(type) ? strings(among: type)?.schema : nil
  }

  /// An example of an enum that is coded as an integer: which there are is not known, for C may know it as well.
  private func integer<Value>(of type: Value.Type) -> Value? {
    (type as? any RawRepresentable.Type)?.anyOfSmallInteger as? Value
  }

  // MARK: All others

  private func decode<Value: Decodable>(type: Value.Type) -> Found<Value> {
    let shape = Shape()
    return found(type, shape, Result { try type.init(from: ShapeDecoder(finder: self, shape: shape)) })
  }

  private func found<Value>(_ type: Value.Type, _ shape: Shape, _ result: Result<Value, any Error>) -> Found<Value> {
    Found(schema: shape.schema(of: type, result.failure), value: try? result.get())
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}

extension RawRepresentable {
  fileprivate var erasedRawValue: Any { rawValue }

  /// The first value whose raw value is a small integer.
  fileprivate static var anyOfSmallInteger: Self? {
    guard let type = RawValue.self as? any FixedWidthInteger.Type else { return nil }
    return (-128...255).lazy.compactMap { number in
      (type.init(exactly: number) as? RawValue).flatMap { Self(rawValue: $0) }
    }.first
  }
}

// MARK: - Containers of the library

/// A container whose shape follows from its parts.
protocol ShapedContainer {
  static func schema(by finder: ShapeFinder) -> JSONSchema
  /// A container with as little in it as possible; nil if it has to have something in it of which there is no example.
  static func example(by finder: ShapeFinder) -> Self?
}

extension Optional: ShapedContainer where Wrapped: Decodable {
  static func schema(by finder: ShapeFinder) -> JSONSchema { .nullable(finder.shape(of: Wrapped.self).schema) }
  static func example(by finder: ShapeFinder) -> Self? { .some(nil) }
}

extension Array: ShapedContainer where Element: Decodable {
  static func schema(by finder: ShapeFinder) -> JSONSchema { .array(finder.shape(of: Element.self).schema) }
  static func example(by finder: ShapeFinder) -> Self? { [] }
}

extension Set: ShapedContainer where Element: Decodable {
  static func schema(by finder: ShapeFinder) -> JSONSchema { .array(finder.shape(of: Element.self).schema) }
  static func example(by finder: ShapeFinder) -> Self? { [] }
}

extension Dictionary: ShapedContainer where Key: Decodable, Value: Decodable {
  static func schema(by finder: ShapeFinder) -> JSONSchema {
    let isObject = Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type
    return isObject
      ? .dictionary(finder.shape(of: Value.self).schema)
      : .unknown("\(Self.self) is an array of keys and values in turn.")
  }
  static func example(by finder: ShapeFinder) -> Self? { [:] }
}
