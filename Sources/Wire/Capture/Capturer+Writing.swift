extension Capturer {
  /// Writes what was captured, or its beginning if `json` is full.
  func write(into json: inout JSONWriter, using encoder: ViewEncoder) throws(CaptureError) {
    switch shape {
    case .single where fields.count == 1:
      try fields[0].value.write(into: &json, using: encoder)
    case .unkeyed:
      json.beginArray()
      for (index, field) in fields.enumerated() where !json.isFull {
        try locating("\(index)") { () throws(CaptureError) in try field.value.write(into: &json, using: encoder) }
      }
      json.endArray()
    default:
      json.beginObject()
      for field in fields where !json.isFull {
        json.key(field.key)
        try locating(field.key) { () throws(CaptureError) in try field.value.write(into: &json, using: encoder) }
      }
      json.endObject()
    }
  }

  /// Whether both recordings are written as the same JSON, at any depth.
  func isSame(as other: Capturer, using encoder: ViewEncoder) throws(CaptureError) -> Bool {
    guard shape == other.shape, fields.count == other.fields.count else { return false }
    for (ours, theirs) in zip(fields, other.fields) {
      guard ours.hasSameKey(as: theirs), try ours.value.isSame(as: theirs.value, using: encoder) else { return false }
    }
    return true
  }
}

extension ViewEncoder {
  fileprivate func writeNonFinite(_ text: String, into json: inout JSONWriter) throws(CaptureError) {
    guard form == .state else { throw CaptureError("\(text) is no JSON number") }
    json.string(text)
  }
}

extension Captured {
  func write(into json: inout JSONWriter, using encoder: ViewEncoder) throws(CaptureError) {
    switch self {
    case .null: json.null()
    case .bool(let value): json.bool(value)
    case .signed(let value): json.integer(value)
    case .unsigned(let value): json.integer(value)
    case .wide(let digits): json.raw(Array(digits.utf8))
    case .double(let value):
      if value.isFinite { json.number(value) } else { try encoder.writeNonFinite("\(value)", into: &json) }
    case .float(let value):
      if value.isFinite { json.number(value) } else { try encoder.writeNonFinite("\(value)", into: &json) }
    case .string(let value): json.string(value)
    case .value(let box):
      if let text = box.text { json.raw(text) } else { try box.write(into: &json, using: encoder) }
    case .nested(let capturer): try capturer.write(into: &json, using: try encoder.below)
    }
  }

  /// Whether both are written as the same JSON, at any depth.
  func isSame(as other: Captured, using encoder: ViewEncoder) throws(CaptureError) -> Bool {
    switch (self, other) {
    case (.value(let ours), .value(let theirs)): try encoder.areSame(ours, theirs)
    case (.nested(let ours), .nested(let theirs)): try ours.isSame(as: theirs, using: try encoder.below)
    default: isSameLeaf(as: other)
    }
  }
}
