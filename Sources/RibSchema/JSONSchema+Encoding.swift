import Wire

extension JSONSchema {
  /// The shape of what a value encodes as.
  ///
  /// The value tells how its type encodes itself. What it does not have, such as a property that is nil or the elements of an empty array, is told by
  /// the declaration of its type, unless the type encodes itself under other names; of an enum with payloads the other cases are not known.
  /// A type says more as ``JSONSchemaProviding``. Nothing is decoded, as ``init(decoding:)`` does: no client sends what is only shown,
  /// so that an `init(from:)` may trust its input.
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
      self = schema == .string() ? ShapeFinder.strings(of: Value.self) ?? schema : schema.completed(by: Value.self)
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
      self = .object(members.map { Property($0.key, JSONSchema($0.value), isRequired: false) })
    }
  }
}
