extension JSONSchema {
  /// The shape of what a value encodes as.
  ///
  /// A type that is `Decodable` as well is asked as ``init(decoding:)`` does, and tells all that it can be. Of another one
  /// only this value is known: its nil properties, its enums' other cases and the elements of its empty arrays are not.
  ///
  /// - Parameter value: the value.
  public init<Value: Encodable>(encoding value: Value) {
    self = Self.known(value) ?? Self.recorded(value)
  }

  /// The same, to be found out later: a value of which only the type is needed is not kept.
  ///
  /// - Parameter value: the value.
  /// - Returns: finds it out.
  package static func finder<Value: Encodable>(of value: Value) -> @Sendable () -> JSONSchema {
    if let type = Value.self as? any (Decodable & SendableMetatype).Type { return finder(decoding: type) }
    // There is no better time than now: another value may say less.
    let schema = recorded(value)
    return { schema }
  }

  private static func finder<Value: Decodable & SendableMetatype>(
    decoding type: Value.Type
  ) -> @Sendable () -> JSONSchema {
    { JSONSchema(decoding: Value.self) }
  }

  private static func known<Value>(_ value: Value) -> JSONSchema? {
    (Value.self as? any Decodable.Type).map { ShapeFinder().schema(of: $0) }
  }

  private static func recorded<Value: Encodable>(_ value: Value) -> JSONSchema {
    if let type = Value.self as? any JSONSchemaProviding.Type { return .custom(type.schema) }
    let recorder = Recorder(.wire)
    do throws(RecordingError) {
      try recorder.record(value)
    } catch {
      return .unknown("\(Value.self) does not encode: \(error)")
    }
    return JSONSchema(recorder)
  }

  private init(_ recorder: Recorder) {
    switch recorder.shape {
    case .nothing: self = .payload([])
    case .single: self = recorder.fields.first.map { JSONSchema($0.value) } ?? .unknown("Nothing was encoded.")
    case .unkeyed:
      self = .array(recorder.fields.first.map { JSONSchema($0.value) } ?? .unknown("There was no element."))
    case .keyed:
      let properties = recorder.fields.map { Property($0.key, JSONSchema($0.value), isRequired: false) }
      self = .object(properties, comment: "As it was seen first: what was nil then, or another case, is missing.")
    }
  }

  private init(_ recorded: Recorded) {
    switch recorded {
    case .null: self = .unknown("It was null.")
    case .bool: self = .boolean
    case .signed, .unsigned, .wide: self = .integer
    case .double, .float: self = .number
    case .string: self = .string()
    case .value(let box): self = box.schema
    case .nested(let recorder): self = JSONSchema(recorder)
    }
  }
}

extension ShapeFinder {
  fileprivate func schema<Value: Decodable>(of type: Value.Type) -> JSONSchema { shape(of: type).schema }
}
