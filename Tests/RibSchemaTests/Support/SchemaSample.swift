import Foundation
import RibTestSupport
import Wire

/// The keywords of JSON Schema that schemas of actions have: whether a schema allows a value, and values that it probably allows.
///
/// Formats are asserted, so far as the texts need it that occur here.
enum SchemaSample {
  // MARK: Validation

  static func allows(_ schema: JSONValue, _ value: JSONValue) -> Bool {
    if case .bool(let isAllowed) = schema { return isAllowed }
    guard let keywords = schema.object else { return false }
    return keywords.allSatisfy { allows($0.key, $0.value, keywords, value) }
  }

  private static func allows(_ keyword: String, _ rule: JSONValue, _ all: JSONObject, _ value: JSONValue) -> Bool {
    switch keyword {
    case "type": rule.names.contains { value.typeNames.contains($0) }
    case "enum": rule.elements.contains(value)
    case "anyOf": rule.elements.contains { allows($0, value) }
    case "oneOf": rule.elements.count { allows($0, value) } == 1
    case "allOf": rule.elements.allSatisfy { allows($0, value) }
    case "not": !allows(rule, value)
    case "items": value.array?.allSatisfy { allows(rule, $0) } ?? true
    case "properties": value.object?.allSatisfy { name, part in rule[name].map { allows($0, part) } ?? true } ?? true
    case "additionalProperties":
      value.object?.allSatisfy { name, part in all["properties"]?[name] != nil || allows(rule, part) } ?? true
    case "required": value.object.map { object in rule.names.allSatisfy { object[$0] != nil } } ?? true
    case "minProperties": value.object.map { $0.count >= rule.int } ?? true
    case "maxProperties": value.object.map { $0.count <= rule.int } ?? true
    case "minimum": value.decimal.map { $0 >= rule.decimal ?? 0 } ?? true
    case "maximum": value.decimal.map { $0 <= rule.decimal ?? 0 } ?? true
    case "minLength": value.string.map { $0.unicodeScalars.count >= rule.int } ?? true
    case "pattern": value.string.map { matches($0, rule.string ?? "(") } ?? true
    case "format": value.string.map { matches($0, patterns[rule.string ?? ""] ?? "(") } ?? true
    case "contentEncoding": value.string.map { Data(base64Encoded: $0) != nil } ?? true
    case "title", "$comment", "writeOnly": true
    // A keyword that is not known here must not pass.
    default: false
    }
  }

  private static func matches(_ text: String, _ pattern: String) -> Bool {
    text.range(of: pattern, options: .regularExpression) != nil
  }

  private static let patterns = [
    "date-time": #"^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$"#,
    "uri-reference": #"^[!-~]*$"#,
    "uuid": "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
  ]

  // MARK: Values

  /// A value that the schema allows if its `not` and the like do not forbid it.
  static func value(of schema: JSONValue, using generator: inout SeededGenerator) -> JSONValue {
    if let choice = schema["enum"]?.elements.randomElement(using: &generator) { return choice }
    if let first = schema["allOf"]?.elements.first { return value(of: first, using: &generator) }
    guard let type = schema["type"]?.names.randomElement(using: &generator) else {
      let choice = (schema["oneOf"] ?? schema["anyOf"])?.elements.randomElement(using: &generator)
      return choice.map { value(of: $0, using: &generator) } ?? .array([])
    }
    switch type {
    case "boolean": return .bool(Bool.random(using: &generator))
    case "integer":
      let bounds = [schema["minimum"], schema["maximum"]].compactMap(\.self)
      return (bounds + [.integer(0), .integer(100)]).randomElement(using: &generator) ?? .null
    case "number": return [.number(1.5), .integer(-2), .number(1e21)].randomElement(using: &generator) ?? .null
    case "string": return .string(texts(of: schema).randomElement(using: &generator) ?? "")
    case "array":
      let items = schema["items"] ?? .bool(true)
      return .array((0..<Int.random(in: 0...3, using: &generator)).map { _ in value(of: items, using: &generator) })
    case "object": return .object(object(of: schema, using: &generator))
    default: return .null
    }
  }

  private static func object(of schema: JSONValue, using generator: inout SeededGenerator) -> JSONObject {
    var object = JSONObject()
    // Of the cases of an enum there is one.
    let chosen = schema["oneOf"]?.elements.randomElement(using: &generator)?["required"]?.names
    let required = chosen ?? schema["required"]?.names ?? []
    for (name, part) in schema["properties"]?.object?.sorted(by: { $0.key < $1.key }) ?? []
    where required.contains(name) || chosen == nil && Bool.random(using: &generator) {
      object[name] = value(of: part, using: &generator)
    }
    switch schema["additionalProperties"] {
    case nil where Int.random(in: 0..<4, using: &generator) == 0: object["unknown"] = .array([.null])
    case .object(let part)? where Bool.random(using: &generator):
      object["k"] = value(of: .object(part), using: &generator)
    default: break
    }
    return object
  }

  private static func texts(of schema: JSONValue) -> [String] {
    switch schema["format"]?.string {
    case "date-time": ["2026-03-29T02:30:00Z", "2026-03-29t02:30:00.5+01:00"]
    case "uri-reference": ["/a", "https://example.org/a?b#c", "a"]
    case "uuid": ["E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "e621e1f8-c36c-495a-93fc-0c247a3e6e5f"]
    default:
      schema["pattern"] != nil
        ? ["1.5", "+1", "007", ".5", "5.", "1E-3"]
        : schema["contentEncoding"] != nil ? ["", "AA==", "AAE="] : ["", "text"]
    }
  }

  // MARK: Neighbours

  /// The value with a change in one place: often another form of the same, often none that is allowed.
  static func neighbour(of value: JSONValue, using generator: inout SeededGenerator) -> JSONValue {
    let isHere = Int.random(in: 0..<3, using: &generator) == 0
    switch value {
    case .object(var members) where !isHere && !members.isEmpty:
      guard let (name, part) = members.sorted(by: { $0.key < $1.key }).randomElement(using: &generator) else { break }
      members[name] = neighbour(of: part, using: &generator)
      return .object(members)
    case .array(var elements) where !isHere && !elements.isEmpty:
      let place = Int.random(in: 0..<elements.count, using: &generator)
      elements[place] = neighbour(of: elements[place], using: &generator)
      return .array(elements)
    default: break
    }
    let others: [JSONValue] = [
      .null, .bool(true), .integer(1), .integer(-1), .integer(300), .number(1.5), .digits("9223372036854775808"),
      .string("x"),
      .string(""), .string("1.5"), .array([]), .object([:]), .array([value]), .object(["_0": value]),
      .object(["x": value]), .object(["x": .object([:])]),
    ]
    return (others + changes(of: value)).randomElement(using: &generator) ?? .null
  }

  /// Changes of an object's members, and the short and the long form of a name.
  private static func changes(of value: JSONValue) -> [JSONValue] {
    if let name = value.string { return [.object([name: .object([:])]), .object([name: .integer(1)])] }
    guard let members = value.object else { return [] }
    var larger = members
    larger["unknown"] = .integer(1)
    let smaller = members.keys.map { name in
      var smaller = members
      smaller.removeValue(forKey: name)
      return JSONValue.object(smaller)
    }
    let parts = members.sorted { $0.key < $1.key }
    return [.object(larger)] + smaller.sorted { $0.text < $1.text } + parts.map(\.value) + parts.map { .string($0.key) }
  }
}

extension JSONValue {
  fileprivate var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
  fileprivate var object: JSONObject? { if case .object(let members) = self { members } else { nil } }
  fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
  /// The elements of an array, or the value alone.
  fileprivate var elements: [JSONValue] { array ?? [self] }
  fileprivate var names: [String] { elements.compactMap(\.string) }
  fileprivate var int: Int { if case .integer(let value) = self { Int(value) } else { 0 } }

  fileprivate var decimal: Decimal? {
    switch self {
    case .integer, .number, .digits: Decimal(string: text)
    default: nil
    }
  }

  fileprivate var typeNames: [String] {
    switch self {
    case .null: ["null"]
    case .bool: ["boolean"]
    case .integer, .digits: ["integer", "number"]
    case .number(let value): value == value.rounded() ? ["integer", "number"] : ["number"]
    case .string: ["string"]
    case .array: ["array"]
    case .object: ["object"]
    }
  }
}
