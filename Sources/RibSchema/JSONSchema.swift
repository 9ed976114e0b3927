public import Wire

/// The shape of a value's JSON, to be written as JSON Schema (draft 2020-12).
///
/// What a riblet shows and what it takes are Swift types; ``init(decoding:)`` and ``init(encoding:)`` tell the shape of
/// their synthesized coding. That is for people and programs that look at an app from outside, never for deciding what
/// an action is.
package indirect enum JSONSchema: Equatable, Sendable {
  /// A member of an object.
  package struct Property: Equatable, Sendable {
    /// Its key.
    package let name: String
    /// Its value.
    package let schema: JSONSchema
    /// Whether it is always there.
    package let isRequired: Bool

    /// A member.
    ///
    /// - Parameters:
    ///   - name: its key.
    ///   - schema: its value.
    ///   - isRequired: whether it is always there.
    package init(_ name: String, _ schema: JSONSchema, isRequired: Bool = true) {
      self.name = name
      self.schema = schema
      self.isRequired = isRequired
    }
  }

  /// `true` or `false`.
  case boolean
  /// A whole number.
  case integer
  /// Any number.
  case number
  /// A string, of a format that JSON Schema has a name for if that is not nil.
  case string(format: String? = nil)
  /// Bytes, as base64.
  case base64
  /// An array.
  case array(JSONSchema)
  /// An object with members of any names.
  case dictionary(JSONSchema)
  /// An object. A comment says what may be missing here.
  case object([Property], comment: String? = nil)
  /// The payload of an enum's case: an object with these members and no others.
  case payload([Property])
  /// An enum: an object with one member, which is the case, and has its payload.
  case cases([Property])
  /// One of these values.
  case constants([JSONValue])
  /// A secret: this, `writeOnly`, as a client sends it and the server never shows it.
  case secret(JSONSchema)
  /// This, or `null`.
  case nullable(JSONSchema)
  /// What the type says of itself.
  case custom(JSONValue)
  /// Anything, as far as is known; and why no more is known.
  case unknown(String)
  /// Nothing at all: there is no such value.
  case nothing

  /// Writes it as JSON Schema.
  ///
  /// - Parameter json: where to.
  package func write(into json: inout JSONWriter) {
    switch self {
    case .nothing: return json.bool(false)
    case .custom(let schema): return schema.write(into: &json)
    default: break
    }
    json.beginObject()
    writeMembers(into: &json)
    json.endObject()
  }

  /// Writes the keywords of a schema that is an object, without its braces.
  private func writeMembers(into json: inout JSONWriter) {
    switch self {
    case .boolean: Self.write("type", "boolean", into: &json)
    case .integer: Self.write("type", "integer", into: &json)
    case .number: Self.write("type", "number", into: &json)
    case .string(let format):
      Self.write("type", "string", into: &json)
      if let format { Self.write("format", format, into: &json) }
    case .base64:
      Self.write("type", "string", into: &json)
      Self.write("contentEncoding", "base64", into: &json)
    case .array(let element):
      Self.write("type", "array", into: &json)
      json.key("items")
      element.write(into: &json)
    case .dictionary(let value):
      Self.write("type", "object", into: &json)
      json.key("additionalProperties")
      value.write(into: &json)
    case .object(let properties, let comment):
      if let comment { Self.write("$comment", comment, into: &json) }
      Self.write(properties, isOpen: true, into: &json)
    case .payload(let properties): Self.write(properties, isOpen: false, into: &json)
    case .cases(let cases):
      json.key("oneOf")
      json.beginArray()
      for property in cases {
        json.beginObject()
        Self.write("title", property.name, into: &json)
        Self.write([property], isOpen: false, into: &json)
        json.endObject()
      }
      json.endArray()
    case .constants(let values):
      json.key("enum")
      JSONValue.array(values).write(into: &json)
    case .nullable(let schema):
      json.key("anyOf")
      json.beginArray()
      schema.write(into: &json)
      json.beginObject()
      Self.write("type", "null", into: &json)
      json.endObject()
      json.endArray()
    case .secret(let value):
      value.writeMembers(into: &json)
      json.key("writeOnly")
      json.bool(true)
    case .unknown(let reason): Self.write("$comment", reason, into: &json)
    case .custom(.object(let members)):
      for (key, value) in members.sorted(by: { $0.key < $1.key }) {
        json.key(key)
        value.write(into: &json)
      }
    case .nothing, .custom: break
    }
  }

  private static func write(_ key: String, _ string: String, into json: inout JSONWriter) {
    json.key(key)
    json.string(string)
  }

  private static func write(_ properties: [Property], isOpen: Bool, into json: inout JSONWriter) {
    write("type", "object", into: &json)
    json.key("properties")
    json.beginObject()
    for property in properties {
      json.key(property.name)
      property.schema.write(into: &json)
    }
    json.endObject()
    let required = properties.filter(\.isRequired)
    if !required.isEmpty {
      json.key("required")
      json.beginArray()
      for property in required { json.string(property.name) }
      json.endArray()
    }
    if !isOpen {
      json.key("additionalProperties")
      json.bool(false)
    }
  }
}

/// A type that says itself what its JSON looks like, instead of having it found out.
///
///     extension Color: JSONSchemaProviding {
///       static var schema: JSONValue { .object(["type": .string("string"), "pattern": .string("^#[0-9a-f]{6}$")]) }
///     }
public protocol JSONSchemaProviding {
  /// The type's schema, JSON Schema of draft 2020-12.
  static var schema: JSONValue { get }
}
