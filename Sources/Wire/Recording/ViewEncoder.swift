/// Writes view states as JSON, and the difference between two of them as the operations of a patch.
///
/// One encoder serves one session after the other on a loop; it keeps its two recorders' memory.
public final class ViewEncoder {
  private let ours = Recorder()
  private let theirs = Recorder()

  /// An encoder without memory of any value.
  public init() {}

  /// Writes a whole value.
  ///
  /// - Parameters:
  ///   - value: the view state.
  ///   - json: where to.
  /// - Throws: ``RecordingError``, with the property that JSON cannot express; `json` is as it was then.
  public func write(_ value: some Encodable, into json: inout JSONWriter) throws(RecordingError) {
    let start = json.count
    // What is still recorded would make its owner's next change a copy.
    defer { ours.reset() }
    do {
      try ours.record(value)
      try ours.write(into: &json)
    } catch {
      json.truncate(to: start)
      throw error
    }
  }

  /// Writes the operations that make `new` of `old` at the patch's current place, none if they encode alike.
  ///
  /// Members that differ are replaced one by one, at the depth at which they differ; an array loses, gets or changes
  /// only the elements between its common start and its common end.
  ///
  /// - Parameters:
  ///   - old: what the client has.
  ///   - new: what it shall have.
  ///   - patch: where to.
  /// - Throws: ``RecordingError``, with the property that JSON cannot express. The operations before it stay: the
  ///   caller gives up the patch.
  public func writeDifference<Value: Encodable>(
    from old: Value, to new: Value, into patch: inout PatchWriter
  ) throws(RecordingError) {
    defer {
      ours.reset()
      theirs.reset()
    }
    try ours.record(old)
    try theirs.record(new)
    try ours.writeDifference(to: theirs, into: &patch)
  }
}

extension Recorder {
  // MARK: Whole values

  /// Writes what was recorded.
  func write(into json: inout JSONWriter) throws(RecordingError) {
    switch shape {
    case .single where fields.count == 1:
      try fields[0].value.write(into: &json)
    case .unkeyed:
      json.beginArray()
      for (index, field) in fields.enumerated() {
        try locating("\(index)") { () throws(RecordingError) in try field.value.write(into: &json) }
      }
      json.endArray()
    default:
      json.beginObject()
      for field in fields {
        json.key(field.key)
        try locating(field.key) { () throws(RecordingError) in try field.value.write(into: &json) }
      }
      json.endObject()
    }
  }

  // MARK: Differences

  func writeDifference(to new: Recorder, into patch: inout PatchWriter) throws(RecordingError) {
    switch (shape, new.shape) {
    case (.keyed, .keyed), (.nothing, .nothing):
      try writeMembers(to: new, into: &patch)
    case (.unkeyed, .unkeyed):
      try writeElements(to: new, into: &patch)
    case (.single, .single) where fields.count == 1 && new.fields.count == 1:
      try fields[0].value.writeDifference(to: new.fields[0].value, into: &patch)
    default:
      try patch.replace { json throws(RecordingError) in try new.write(into: &json) }
    }
  }

  private func writeMembers(to new: Recorder, into patch: inout PatchWriter) throws(RecordingError) {
    // Two values of one type nearly always have the same keys in the same order.
    if fields.count == new.fields.count, zip(fields, new.fields).allSatisfy({ $0.hasSameKey(as: $1) }) {
      for index in fields.indices { try fields[index].writeDifference(to: new.fields[index], into: &patch) }
      return
    }
    let before = membersByKey
    let after = new.membersByKey
    let gone = fields.filter { field in !(after[field.key].map(field.hasSameKey) ?? false) }
    // Nothing in common, as between two cases of an enum.
    if !gone.isEmpty, !new.fields.isEmpty, gone.count == fields.count {
      return try patch.replace { json throws(RecordingError) in try new.write(into: &json) }
    }
    // Members go before others come: a document whose keys are compared by `==` may take one for the other.
    for field in gone { patch.at(field.key) { $0.remove() } }
    for field in new.fields {
      if let old = before[field.key], old.hasSameKey(as: field) {
        try old.writeDifference(to: field, into: &patch)
      } else {
        try patch.at(field.key) { patch throws(RecordingError) in
          try patch.add { json throws(RecordingError) in
            try locating(field.key) { () throws(RecordingError) in try field.value.write(into: &json) }
          }
        }
      }
    }
  }

  private var membersByKey: [String: Field] {
    Dictionary(fields.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
  }

  /// Elements are compared by place, after what both arrays begin and end with is left out.
  ///
  /// Of the rest, elements that exist on both sides are changed, those beyond are added or removed.
  private func writeElements(to new: Recorder, into patch: inout PatchWriter) throws(RecordingError) {
    let shorter = min(fields.count, new.fields.count)
    var start = 0
    while start < shorter, try fields[start].value.isSame(as: new.fields[start].value) { start += 1 }
    var end = 0
    while end < shorter - start,
      try fields[fields.count - 1 - end].value.isSame(as: new.fields[new.fields.count - 1 - end].value)
    { end += 1 }
    for index in start..<(shorter - end) {
      try patch.at(index) { patch throws(RecordingError) in
        try locating("\(index)") { () throws(RecordingError) in
          try fields[index].value.writeDifference(to: new.fields[index].value, into: &patch)
        }
      }
    }
    for index in stride(from: fields.count - 1 - end, through: shorter - end, by: -1) {
      patch.at(index) { $0.remove() }
    }
    guard shorter < new.fields.count else { return }
    for index in (shorter - end)..<(new.fields.count - end) {
      try patch.at(index) { patch throws(RecordingError) in
        try patch.add { json throws(RecordingError) in
          try locating("\(index)") { () throws(RecordingError) in try new.fields[index].value.write(into: &json) }
        }
      }
    }
  }
}

extension Field {
  /// Whether both keys are the same to a client: `==` would overlook different UTF-8.
  fileprivate func hasSameKey(as other: Field) -> Bool { key.utf8.elementsEqual(other.key.utf8) }

  fileprivate func writeDifference(to new: Field, into patch: inout PatchWriter) throws(RecordingError) {
    if value.isSameLeaf(as: new.value) { return }
    try patch.at(key) { patch throws(RecordingError) in
      try locating(key) { () throws(RecordingError) in try value.writeDifference(to: new.value, into: &patch) }
    }
  }
}

extension Recorded {
  fileprivate func write(into json: inout JSONWriter) throws(RecordingError) {
    switch self {
    case .null: json.null()
    case .bool(let value): json.bool(value)
    case .signed(let value): json.integer(value)
    case .unsigned(let value): json.integer(value)
    case .wide(let digits): json.raw(Array(digits.utf8))
    case .double(let value):
      guard value.isFinite else { throw RecordingError("\(value) is no JSON number") }
      json.number(value)
    case .float(let value):
      guard value.isFinite else { throw RecordingError("\(value) is no JSON number") }
      json.number(value)
    case .string(let value): json.string(value)
    case .value(let box): try Self.recording(box).write(into: &json)
    case .nested(let recorder): try recorder.write(into: &json)
    }
  }

  fileprivate func writeDifference(to new: Recorded, into patch: inout PatchWriter) throws(RecordingError) {
    switch (self, new) {
    case (.value(let old), .value(let new)):
      if old.hasSameBits(as: new) { return }
      try Self.recording(old).writeDifference(to: try Self.recording(new), into: &patch)
    case (.nested(let old), .nested(let new)):
      try old.writeDifference(to: new, into: &patch)
    default:
      if isSameLeaf(as: new) { return }
      try patch.replace { json throws(RecordingError) in try new.write(into: &json) }
    }
  }

  /// Whether both are simple values, or the same bits, and encode alike.
  ///
  /// False says nothing about containers.
  fileprivate func isSameLeaf(as other: Recorded) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.bool(let ours), .bool(let theirs)): ours == theirs
    case (.signed(let ours), .signed(let theirs)): ours == theirs
    case (.unsigned(let ours), .unsigned(let theirs)): ours == theirs
    case (.double(let ours), .double(let theirs)): ours.bitPattern == theirs.bitPattern
    case (.float(let ours), .float(let theirs)): ours.bitPattern == theirs.bitPattern
    case (.wide(let ours), .wide(let theirs)), (.string(let ours), .string(let theirs)):
      ours.utf8.elementsEqual(theirs.utf8)
    case (.value(let ours), .value(let theirs)): ours.hasSameBits(as: theirs)
    default: false
    }
  }

  /// Whether both encode alike, however deep they are.
  fileprivate func isSame(as other: Recorded) throws(RecordingError) -> Bool {
    if isSameLeaf(as: other) { return true }
    return switch (self, other) {
    case (.value(let ours), .value(let theirs)): try Self.recording(ours).isSame(as: try Self.recording(theirs))
    case (.nested(let ours), .nested(let theirs)): try ours.isSame(as: theirs)
    default: false
    }
  }

  private static func recording(_ box: AnyEncodableBox) throws(RecordingError) -> Recorder {
    let recorder = Recorder()
    try recorder.record(box)
    return recorder
  }
}

extension Recorder {
  fileprivate func isSame(as other: Recorder) throws(RecordingError) -> Bool {
    guard shape == other.shape, fields.count == other.fields.count else { return false }
    for (ours, theirs) in zip(fields, other.fields) {
      guard ours.hasSameKey(as: theirs), try ours.value.isSame(as: theirs.value) else { return false }
    }
    return true
  }
}

/// Puts `key` before the path of an error that `body` throws.
private func locating(
  _ key: @autoclosure () -> String, _ body: () throws(RecordingError) -> Void
) throws(RecordingError) {
  do throws(RecordingError) {
    try body()
  } catch {
    throw error.below(key())
  }
}
