/// What a value encodes as, one container deep and without its text: what a description of the value is made from.
package indirect enum EncodedShape {
  case null
  case bool
  case integer
  case number
  case string
  /// A value of any other type, which has not been encoded.
  case value(any Encodable)
  /// `encode(to:)` has not asked for a container.
  case nothing
  /// One value; nil if none was encoded.
  case single(EncodedShape?)
  /// An array, with its first element.
  case array(EncodedShape?)
  case object([(key: String, value: EncodedShape)])

  /// The shape of a value.
  ///
  /// - Parameter value: the value.
  /// - Throws: ``CaptureError``, whatever `encode(to:)` throws.
  package init(of value: some Encodable) throws(CaptureError) {
    let capturer = Capturer(.wire)
    try capturer.capture(value)
    self.init(capturer)
  }

  private init(_ capturer: Capturer) {
    let first = capturer.fields.first.map { EncodedShape($0.value) }
    switch capturer.shape {
    case .nothing: self = .nothing
    case .single: self = .single(first)
    case .unkeyed: self = .array(first)
    case .keyed: self = .object(capturer.fields.map { ($0.key, EncodedShape($0.value)) })
    }
  }

  private init(_ captured: Captured) {
    switch captured {
    case .null: self = .null
    case .bool: self = .bool
    case .signed, .unsigned, .wide: self = .integer
    case .double, .float: self = .number
    case .string: self = .string
    case .value(let box): self = .value(box.encodable)
    case .nested(let capturer): self.init(capturer)
    }
  }
}
