extension JSONSchema {
  /// The shape of what a value encodes as.
  ///
  /// Only this value is known: its nil properties, its enums' other cases and the elements of its empty arrays are not,
  /// except that an enum of strings tells all of them. A type says more as ``JSONSchemaProviding``. Nothing is decoded, as
  /// ``init(decoding:)`` does: no client sends what is only shown, so that an `init(from:)` may trust its input.
  ///
  /// - Parameter value: the value.
  public init<Value: Encodable>(encoding value: Value) {
    if let type = Value.self as? any JSONSchemaProviding.Type {
      self = .custom(type.schema)
    } else if let simple = ShapeFinder.simpleSchema(of: Value.self) {
      self = simple
    } else {
      self.init(recording: value)
    }
  }

  private init<Value: Encodable>(recording value: Value) {
    let recorder = Recorder(.wire)
    do throws(RecordingError) {
      try recorder.record(value)
    } catch {
      self = .unknown("\(Value.self) does not encode: \(error)")
      return
    }
    let schema = JSONSchema(recorder)
    self = schema == .string() ? ShapeFinder.strings(of: Value.self) ?? schema : schema
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
