import Foundation
import Testing

@testable import Wire

/// A type, a text that it can be decoded from, and what two decoders make of texts near it.
struct DecodingComparison: Sendable {
  let name: String
  let text: String
  /// How the decoders disagree about a text; nil if they do not.
  let difference: @Sendable (String) -> String?

  /// Compares Foundation's decoder with ours.
  ///
  /// - Parameters:
  ///   - value: a value; the text is what Foundation's encoder writes of it.
  ///   - hasShortForms: whether ours may take texts that Foundation's does not, as it does for enums.
  /// - Throws: what the encoder throws.
  init<Value: Codable & Equatable & SendableMetatype>(_ value: Value, hasShortForms: Bool = false) throws {
    name = "\(Value.self)"
    text = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    difference = { text in
      let theirs = Result { try JSONDecoder().decode(Value.self, from: Data(text.utf8)) }
      let ours = Result { try ActionDecoder.decodeValue(Value.self, from: JSONElement(parsing: text)) }
      switch (theirs, ours) {
      case (.success(let theirs), .success(let ours)):
        return theirs == ours ? nil : "\(ours) and not \(theirs)"
      case (.failure(let theirs), .failure(let ours)):
        return hasShortForms || Failure.agree(theirs: Failure(theirs), ours: Failure(ours))
          ? nil : "\(Failure(ours)) and not \(Failure(theirs))"
      case (.failure(let theirs), .success(let ours)):
        return hasShortForms ? nil : "\(ours) and not \(Failure(theirs))"
      case (.success(let theirs), .failure(let ours)):
        return "\(Failure(ours)) and not \(theirs)"
      }
    }
  }

  /// The kind of an error, and the keys and indices that lead to it.
  struct Failure: Equatable, CustomStringConvertible {
    let kind: String
    let path: [String]

    init(_ error: any Error) {
      switch error {
      case DecodingError.typeMismatch(_, let context): self.init("typeMismatch", context)
      case DecodingError.valueNotFound(_, let context): self.init("valueNotFound", context)
      case DecodingError.keyNotFound(let key, let context): self.init("keyNotFound", context, key)
      case DecodingError.dataCorrupted(let context): self.init("dataCorrupted", context)
      default: self.init(kind: "\(error)", path: [])
      }
    }

    /// Whoever misses a key is told of it at the end of the path.
    private init(_ kind: String, _ context: DecodingError.Context, _ key: (any CodingKey)? = nil) {
      let path = context.codingPath + (key.map { [$0] } ?? [])
      self.init(kind: kind, path: path.map { $0.intValue.map(String.init) ?? $0.stringValue })
    }

    private init(kind: String, path: [String]) {
      self.kind = kind
      self.path = path
    }

    var description: String { "\(kind) at /\(path.joined(separator: "/"))" }

    /// Whether ours says what theirs says, or more of it.
    ///
    /// Theirs does not tell where a number is that is out of its type's range, calls a null a mismatch if a Bool should
    /// be there, and makes a decoder of nothing where a key is missing.
    static func agree(theirs: Failure, ours: Failure) -> Bool {
      switch (theirs.kind, ours.kind) {
      case ("dataCorrupted", "dataCorrupted") where theirs.path.isEmpty: true
      case ("typeMismatch", "valueNotFound"), ("valueNotFound", "keyNotFound"): theirs.path == ours.path
      default: theirs == ours
      }
    }
  }

  /// Texts that differ from this one's in one place.
  func neighbours() throws -> [String] { try JSONValue(parsing: text).neighbours.map(\.text) }
}

extension DecodingComparison: CustomTestStringConvertible {
  var testDescription: String { name }
}

extension JSONValue {
  /// What a value may be replaced by.
  private static let others: [JSONValue] = [
    .null, .bool(true), .bool(false), .integer(0), .integer(1), .integer(-1), .integer(300), .integer(70_000),
    .integer(5_000_000_000), .integer(.max), .number(1.5), .number(1e19), .number(1e39), .number(-1e300), .string(""),
    .string("a"), .string("1"), .array([]), .array([.integer(0)]), .array([.null, .string("a")]), .object([:]),
    .object(["a": .integer(1)]), .object(["1": .null]),
  ]

  /// Values that differ from this one in one place: a part is another, is missing or is one more.
  fileprivate var neighbours: [JSONValue] {
    var values = Self.others
    switch self {
    case .array(let elements):
      for index in elements.indices {
        var shorter = elements
        shorter.remove(at: index)
        values.append(.array(shorter))
        for element in elements[index].neighbours {
          var changed = elements
          changed[index] = element
          values.append(.array(changed))
        }
      }
      values += Self.others.map { .array(elements + [$0]) }
    case .object(let members):
      for (key, value) in members {
        var fewer = members
        fewer[key] = nil
        values.append(.object(fewer))
        for value in value.neighbours {
          var changed = members
          changed[key] = value
          values.append(.object(changed))
        }
      }
      values += Self.others.map { other in
        var more = members
        more["one more"] = other
        return .object(more)
      }
    default: break
    }
    return values
  }
}
