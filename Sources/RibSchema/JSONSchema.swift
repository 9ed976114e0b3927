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
  /// A whole number of a type that has those from `minimum` to `maximum`; by default of type `Int`.
  case integer(minimum: JSONValue = .integer(.min), maximum: JSONValue = .integer(.max))
  /// Any number.
  case number
  /// A string, of a format that JSON Schema has a name for if that is not nil.
  case string(format: String? = nil)
  /// Bytes, as base64.
  case base64
  /// A decimal number, as a string of its digits.
  case decimal
  /// An array.
  case array(JSONSchema)
  /// An object with members of any names.
  case dictionary(JSONSchema)
  /// An object. A comment says what may be missing here.
  case object([Property], comment: String? = nil)
  /// The payload of an enum's case: an object with these members and no others. A type that asks for nothing has it too, without members.
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
