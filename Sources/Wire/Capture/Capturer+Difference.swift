extension Capturer {
  /// Writes the operations that turn what this capturer has captured into what `new` has.
  func writeDifference(
    to new: Capturer, into patch: inout PatchWriter, using encoder: ViewEncoder
  ) throws(CaptureError) {
    switch (shape, new.shape) {
    case (.keyed, .keyed), (.nothing, .nothing):
      try writeShorter(of: new, in: &patch, using: encoder) { patch throws(CaptureError) in
        try writeMembers(to: new, into: &patch, using: encoder)
      }
    case (.unkeyed, .unkeyed):
      try writeShorter(of: new, in: &patch, using: encoder) { patch throws(CaptureError) in
        let elements = ElementDifference(old: fields.map(\.value), new: new.fields.map(\.value))
        try elements.write(into: &patch, using: encoder)
      }
    case (.single, .single) where fields.count == 1 && new.fields.count == 1:
      try fields[0].value.writeDifference(to: new.fields[0].value, into: &patch, using: encoder)
    default:
      try patch.replace { json throws(CaptureError) in try new.write(into: &json, using: encoder) }
    }
  }

  private func writeShorter(
    of new: Capturer, in patch: inout PatchWriter, using encoder: ViewEncoder,
    _ operations: (inout PatchWriter) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    guard encoder.prefersShorter else { return try operations(&patch) }
    try patch.shorter(operations) { json throws(CaptureError) in try new.write(into: &json, using: encoder) }
  }

  private func writeMembers(
    to new: Capturer, into patch: inout PatchWriter, using encoder: ViewEncoder
  ) throws(CaptureError) {
    // Two values of one type nearly always have the same keys in the same order.
    let (ours, theirs) = (fields, new.fields)
    if ours.count == theirs.count, ours.indices.allSatisfy({ ours[$0].hasSameKey(as: theirs[$0]) }) {
      for index in ours.indices {
        try ours[index].writeDifference(to: theirs[index], into: &patch, using: encoder)
      }
      return
    }
    let before = membersByKey
    let after = new.membersByKey
    let gone = fields.filter { after[ExactString($0.key)] == nil }
    // The two have no member in common, as two cases of an enum have none: one `replace` is shorter.
    if !gone.isEmpty, !new.fields.isEmpty, gone.count == fields.count {
      return try patch.replace { json throws(CaptureError) in try new.write(into: &json, using: encoder) }
    }
    // Removals come before additions: a client that compares keys by their characters, not their bytes, may take a new
    // key for an old one.
    for field in gone { patch.at(field.key) { $0.remove() } }
    for field in new.fields {
      if let old = before[ExactString(field.key)] {
        try old.writeDifference(to: field, into: &patch, using: encoder)
      } else {
        try patch.at(field.key) { patch throws(CaptureError) in
          try patch.add { json throws(CaptureError) in
            try locating(field.key) { () throws(CaptureError) in try field.value.write(into: &json, using: encoder) }
          }
        }
      }
    }
  }

  private var membersByKey: [ExactString: Field] {
    Dictionary(fields.map { (ExactString($0.key), $0) }, uniquingKeysWith: { $1 })
  }
}

extension Field {
  fileprivate func writeDifference(
    to new: Field, into patch: inout PatchWriter, using encoder: ViewEncoder
  ) throws(CaptureError) {
    if value.isSameLeaf(as: new.value) { return }
    try patch.at(key) { patch throws(CaptureError) in
      try locating(key) { () throws(CaptureError) in
        try value.writeDifference(to: new.value, into: &patch, using: encoder)
      }
    }
  }
}

extension Captured {
  func writeDifference(
    to new: Captured, into patch: inout PatchWriter, using encoder: ViewEncoder
  ) throws(CaptureError) {
    switch (self, new) {
    case (.value(let old), .value(let new)):
      try old.writeDifference(to: new, into: &patch, using: encoder)
    case (.nested(let old), .nested(let new)):
      try old.writeDifference(to: new, into: &patch, using: try encoder.below)
    default:
      if isSameLeaf(as: new) { return }
      try patch.replace { json throws(CaptureError) in try new.write(into: &json, using: encoder) }
    }
  }
}
