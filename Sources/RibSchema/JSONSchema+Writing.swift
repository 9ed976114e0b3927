package import Wire

extension JSONSchema {
  /// Writes it as JSON Schema: the one form in which the value is coded.
  ///
  /// - Parameter json: where to.
  package func write(into json: inout JSONWriter) { text(isTaken: false).write(into: &json) }

  /// The schema of all JSON that a client may send for the value; if not `isTaken`, of the one form in which the value is coded.
  func text(isTaken: Bool) -> SchemaText {
    func text(_ part: JSONSchema) -> SchemaText { part.text(isTaken: isTaken) }
    return switch self {
    case .boolean: ["type": "boolean"]
    case .integer(let minimum, let maximum) where isTaken:
      ["type": "integer", "minimum": .json(minimum), "maximum": .json(maximum)]
    case .integer: ["type": "integer"]
    case .number: ["type": "number"]
    // A relative reference is taken as well, but not the empty one.
    case .string("uri") where isTaken: ["type": "string", "format": "uri-reference", "minLength": 1]
    case .string(let format?): ["type": "string", "format": .string(format)]
    case .string(nil): ["type": "string"]
    case .base64: ["type": "string", "contentEncoding": "base64"]
    case .decimal where isTaken: ["type": ["string", "number"], "pattern": .string(Self.decimalPattern)]
    case .decimal: ["type": "string"]
    case .array(let element): ["type": "array", "items": text(element)]
    case .dictionary(let value): ["type": "object", "additionalProperties": text(value)]
    case .object(let properties, let comment):
      (comment.map { ["$comment": .string($0)] } ?? [:]) + Self.object(properties, isTaken: isTaken)
    // Nothing is asked of the value.
    case .payload where isTaken: [:]
    case .payload(let properties): Self.object(properties, isTaken: false) + ["additionalProperties": false]
    case .cases(let cases) where isTaken: Self.takenCase(of: cases)
    case .cases(let cases): ["oneOf": .array(cases.map { ["title": .string($0.name)] + text(.payload([$0])) })]
    case .constants(let values): ["enum": .json(.array(isTaken ? values + values.compactMap(Self.longName) : values))]
    case .secret(let value) where isTaken: Self.nullable(text(value) + ["writeOnly": true])
    case .secret(let value): text(value) + ["writeOnly": true]
    case .nullable(let schema): Self.nullable(text(schema))
    case .custom(let schema): .json(schema)
    case .unknown(let reason): ["$comment": .string(reason)]
    case .nothing: false
    }
  }

  /// An object that has these members, and may have others.
  static func object(_ properties: [Property], isTaken: Bool) -> SchemaText {
    let members = properties.map { property in
      let text = property.schema.text(isTaken: isTaken)
      // A client may say in two ways that an optional is nil.
      return (property.name, isTaken && !property.isRequired ? nullable(text) : text)
    }
    let required = properties.filter(\.isRequired).map(\.name)
    let object: SchemaText = ["type": "object", "properties": .object(members)]
    return required.isEmpty ? object : object + ["required": .strings(required)]
  }

  static func nullable(_ schema: SchemaText) -> SchemaText { ["anyOf": [schema, ["type": "null"]]] }

  /// `{"x":{}}` for the raw value `"x"` of an enum of strings, which is also the name of a case.
  private static func longName(_ value: JSONValue) -> JSONValue? {
    if case .string(let name) = value { .object([name: .object([:])]) } else { nil }
  }

  private static var decimalPattern: String { #"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"# }
}
