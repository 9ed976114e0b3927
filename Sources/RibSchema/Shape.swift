import Wire

/// What a type has asked its decoder for.
final class Shape {
  private enum Kind {
    case nothing
    case single(JSONSchema)
    case array(JSONSchema?)
    case object
  }

  private var kind = Kind.nothing
  private var properties: [JSONSchema.Property] = []
  /// What more is asked for than this is asked for without end.
  private static let limit = 256
  private var asks = 0
  /// The one key that the object has, if it is to be an enum's case; nil if it has all.
  let onlyKey: String?
  /// The names of the keys that were asked for by the last keyed container, if they are known.
  private(set) var caseNames: [String]?
  /// What the case's payload was asked for.
  private(set) var payload: Shape?

  init(case name: String? = nil) { onlyKey = name }

  func noteObject<Key: CodingKey>(keyedBy type: Key.Type) {
    kind = .object
    caseNames = EnumCases.all(of: type)?.map(\.stringValue)
  }

  /// Whether one string was asked for, and nothing else.
  var isString: Bool { if case .single(.string(format: nil)) = kind { true } else { false } }
  /// Whether one integer was asked for, and nothing else.
  var isInteger: Bool { if case .single(.integer) = kind { true } else { false } }
  /// Whether no more is to be asked for: a loop that ends when nothing is there any more would not end here.
  var isFull: Bool { asks > Self.limit }

  func noteSingle(_ schema: JSONSchema) { kind = .single(schema) }
  func noteArray() { kind = .array(nil) }

  func noteElement(_ schema: JSONSchema) {
    asks += 1
    guard case .array(let known) = kind else { return }
    let isSame = known == nil || known == schema
    kind = .array(isSame ? schema : .unknown("The elements are of several kinds."))
  }

  func note(_ key: String, _ schema: JSONSchema, isRequired: Bool) {
    asks += 1
    guard !isFull, !properties.contains(where: { $0.name == key }) else { return }
    properties.append(JSONSchema.Property(key, schema, isRequired: isRequired))
  }

  func notePayload() -> Shape {
    let shape = Shape()
    payload = shape
    return shape
  }

  /// The shape that a type has.
  ///
  /// - Parameters:
  ///   - type: the type, for a person.
  ///   - failure: why it could not decode to its end; nil if it could.
  /// - Returns: the shape.
  func schema(of type: any Any.Type, _ failure: (any Error)?) -> JSONSchema {
    let reason = failure.map { "\(type) did not decode to its end: \($0.reason)" }
    switch kind {
    case .nothing: return reason.map { .unknown($0) } ?? .payload([])
    case .single(let schema): return schema
    case .array(let element): return .array(element ?? .unknown("Nothing was asked of the elements."))
    case .object: return .object(properties, comment: reason)
    }
  }

  /// The shape of a case's payload.
  func payloadSchema(_ failure: (any Error)?) -> JSONSchema {
    guard let failure else { return .payload(properties) }
    return .object(properties, comment: "The payload did not decode to its end: \(failure.reason)")
  }
}

extension Error {
  fileprivate var reason: String {
    switch self {
    case let error as DecodingError:
      switch error {
      case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
        .valueNotFound(_, let context):
        context.debugDescription
      @unknown default: "\(error)"
      }
    default: "\(self)"
    }
  }
}

/// A value was asked for of which there is no example.
struct NoExample: Error, CustomStringConvertible {
  let type: any Any.Type
  var description: String { "there is no example of \(type)." }
}
