import Wire

/// The requests of one value to its ``ShapeDecoder``, from which the value's schema follows.
///
/// A type decodes itself from a decoder that has no JSON: each key, element or single value that the type's
/// `init(from:)` requests is noted here, and answered with an example. Afterwards ``schema(of:_:)`` makes the schema.
final class Shape {
  /// The last container that the value has requested.
  private enum Kind {
    /// No container yet.
    case nothing
    /// A single value, with its schema.
    case single(JSONSchema)
    /// An array, with the schema of its elements; nil before the first element is requested.
    case array(JSONSchema?)
    /// An object, whose members are the `properties`.
    case object
  }

  private var kind = Kind.nothing
  private var properties: [JSONSchema.Property] = []
  /// The greatest number of requests for members and elements.
  ///
  /// A type that exceeds this number probably requests without end, in a loop that only a missing key or element would
  /// end.
  private static let limit = 256
  /// The number of requests for members and elements so far.
  private var asks = 0
  /// The only key that the object says it has: the name of an enum's case, if the value is to be decoded as that case;
  /// nil if the object has any key.
  let onlyKey: String?
  /// The names of all coding keys of the last keyed container; nil if its key type is not an enum that lists them.
  private(set) var caseNames: [String]?
  /// The requests for the payload of an enum's case; nil if no payload was requested.
  private(set) var payload: Shape?

  /// A shape without requests.
  ///
  /// - Parameter name: the name of the enum's case that is to be decoded; nil for any other value.
  init(case name: String? = nil) { onlyKey = name }

  /// Notes the request for a keyed container.
  func noteObject<Key: CodingKey>(keyedBy type: Key.Type) {
    kind = .object
    caseNames = EnumCases.all(of: type)?.map(\.stringValue)
  }

  /// Whether the value has requested a single string.
  var isString: Bool { if case .single(.string(format: nil)) = kind { true } else { false } }
  /// Whether the value has requested a single integer.
  var isInteger: Bool { if case .single(.integer) = kind { true } else { false } }
  /// Whether the limit of requests is exceeded: further keys are reported as missing, and further requests fail.
  var isFull: Bool { asks > Self.limit }

  /// Notes the request for a single value.
  func noteSingle(_ schema: JSONSchema) { kind = .single(schema) }
  /// Notes the request for an array.
  func noteArray() { kind = .array(nil) }

  /// Notes the request for an element of the array.
  func noteElement(_ schema: JSONSchema) {
    asks += 1
    guard case .array(let known) = kind else { return }
    let isSame = known == nil || known == schema
    kind = .array(isSame ? schema : .unknown("The elements are of several kinds."))
  }

  /// Notes the request for a member of the object; of two requests for one key, the first counts.
  func note(_ key: String, _ schema: JSONSchema, isRequired: Bool) {
    asks += 1
    guard !isFull, !properties.contains(where: { $0.name == key }) else { return }
    properties.append(JSONSchema.Property(key, schema, isRequired: isRequired))
  }

  /// Notes the request for the payload of an enum's case, and returns the shape that takes the payload's requests.
  func notePayload() -> Shape {
    let shape = Shape()
    payload = shape
    return shape
  }

  /// The schema that follows from the requests.
  ///
  /// - Parameters:
  ///   - type: the value's type, for comments in the schema.
  ///   - failure: the error that has ended the decoding early; nil if the value was decoded.
  /// - Returns: the schema; after an early end, only of what the value had requested by then.
  func schema(of type: any Any.Type, _ failure: (any Error)?) -> JSONSchema {
    let reason = failure.map { "\(type) did not decode to its end: \($0.reason)" }
    switch kind {
    case .nothing: return reason.map { .unknown($0) } ?? .payload([])
    case .single(let schema): return schema
    case .array(let element): return .array(element ?? .unknown("Nothing was asked of the elements."))
    case .object: return .object(properties, comment: reason)
    }
  }

  /// The schema of a case's payload.
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

/// The error that ends a decoding: the value has requested another of a type of which there is no example.
struct NoExample: Error, CustomStringConvertible {
  let type: any Any.Type
  var description: String { "there is no example of \(type)." }
}
