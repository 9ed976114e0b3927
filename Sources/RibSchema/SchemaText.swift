import Wire

/// The text of a schema: JSON whose members stay in their order, which is that of a type's properties.
indirect enum SchemaText {
  case json(JSONValue)
  case array([SchemaText])
  case object([(key: String, value: SchemaText)])

  static func string(_ string: String) -> SchemaText { .json(.string(string)) }
  static func strings(_ strings: [String]) -> SchemaText { .json(.array(strings.map { .string($0) })) }

  /// The members of an object; none of any other value.
  private var members: [(key: String, value: SchemaText)] {
    switch self {
    case .object(let members): members
    case .json(.object(let members)): members.sorted { $0.key < $1.key }.map { ($0.key, .json($0.value)) }
    case .json, .array: []
    }
  }

  /// An object with the members of both.
  static func + (first: SchemaText, second: SchemaText) -> SchemaText { .object(first.members + second.members) }

  func write(into json: inout JSONWriter) {
    switch self {
    case .json(let value): value.write(into: &json)
    case .array(let elements):
      json.beginArray()
      for element in elements { element.write(into: &json) }
      json.endArray()
    case .object(let members):
      json.beginObject()
      for (key, value) in members {
        json.key(key)
        value.write(into: &json)
      }
      json.endObject()
    }
  }
}

extension SchemaText: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral
{
  init(dictionaryLiteral members: (String, SchemaText)...) { self = .object(members.map { ($0, $1) }) }
  init(arrayLiteral elements: SchemaText...) { self = .array(elements) }
  init(stringLiteral text: String) { self = .string(text) }
  init(booleanLiteral value: Bool) { self = .json(.bool(value)) }
  init(integerLiteral value: Int64) { self = .json(.integer(value)) }
}
