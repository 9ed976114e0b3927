import Wire

extension JSONSchema {
  /// The shape of what a value encodes as.
  ///
  /// Only this value is known: its nil properties, its enums' other cases and the elements of its empty arrays are not,
  /// except that an enum of strings tells all of them. A type says more as ``JSONSchemaProviding``. Nothing is decoded, as
  /// ``init(decoding:)`` does: no client sends what is only shown, so that an `init(from:)` may trust its input.
  ///
  /// - Parameter value: the value.
  package init<Value: Encodable>(encoding value: Value) {
    if let type = Value.self as? any JSONSchemaProviding.Type {
      self = .custom(type.schema)
    } else if let simple = ShapeFinder.simpleSchema(of: Value.self) {
      self = simple
    } else {
      self.init(shapeOf: value)
    }
  }

  private init<Value: Encodable>(shapeOf value: Value) {
    do throws(CaptureError) {
      let schema = JSONSchema(try EncodedShape(of: value))
      self = schema == .string() ? ShapeFinder.strings(of: Value.self) ?? schema : schema
    } catch {
      self = .unknown("\(Value.self) does not encode: \(error)")
    }
  }

  private init(_ shape: EncodedShape) {
    switch shape {
    case .null: self = .unknown("It was null.")
    case .bool: self = .boolean
    case .integer: self = .integer()
    case .number: self = .number
    case .string: self = .string()
    case .value(let value): self.init(encoding: value)
    case .nothing: self = .payload([])
    case .single(let value): self = value.map { JSONSchema($0) } ?? .unknown("Nothing was encoded.")
    case .array(let element): self = .array(element.map { JSONSchema($0) } ?? .unknown("There was no element."))
    case .object(let members):
      let properties = members.map { Property($0.key, JSONSchema($0.value), isRequired: false) }
      self = .object(properties, comment: "As it was seen first: what was nil then, or another case, is missing.")
    }
  }
}
