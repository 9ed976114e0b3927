// How a difference is found without encoding.
//
// `Codable` serves as reflection: one `encode(to:)` into a `Recorder` notes each property of a value *as a value*, no
// byte is written. Two recordings are compared field by field. A property of a simple type stays unboxed and is compared
// as it is; any other is kept as it came, compared as memory first (two values of a value type with the same bits are
// the same), and recorded in its turn only if the bits differ. So what did not change is never descended into, and what
// changed is written as JSON once.
//
// `==` is not asked: it may call two strings equal whose UTF-8 differs, and 0 and −0, and what a client holds must equal
// the snapshot to the byte.

/// Writes view states as JSON, and the difference between two of them as the operations of a patch.
///
/// One encoder serves one session after the other on a loop; it keeps its recorders' memory, a pair for each level of
/// nesting.
public final class ViewEncoder {
  private let ours: Recorder
  private let theirs: Recorder
  /// For what lies one level deeper.
  private(set) lazy var below = ViewEncoder(prefersShorter: prefersShorter, form: form)
  let form: CodingForm
  /// Whether operations give way to a shorter one that replaces all of what they change.
  let prefersShorter: Bool

  /// An encoder without memory of any value.
  package convenience init() { self.init(prefersShorter: true) }

  init(prefersShorter: Bool, form: CodingForm = .wire) {
    self.prefersShorter = prefersShorter
    self.form = form
    ours = Recorder(form)
    theirs = Recorder(form)
  }

  /// Writes a whole value.
  ///
  /// - Parameters:
  ///   - value: the view state.
  ///   - json: where to.
  /// - Throws: ``RecordingError``, with the property that JSON cannot express; `json` is as it was then.
  public func write<Value: Encodable>(_ value: Value, into json: inout JSONWriter) throws(RecordingError) {
    let start = json.count
    // What is still recorded would make its owner's next change a copy.
    defer { ours.reset() }
    do {
      if !isPlain(Value.self), let array = value as? any TypedArray {
        try array.writeElements(into: &json, using: below)
      } else {
        try ours.record(value)
        try ours.write(into: &json, using: below)
      }
    } catch {
      json.truncate(to: start)
      throw error
    }
  }

  /// Writes the operations that make `new` of `old` at the patch's current place, none if they encode alike.
  ///
  /// Members that differ are changed one by one, at the depth at which they differ. An array's elements are matched by
  /// their `id` if they are `Identifiable`, simple ones by value, others by place; what moved is moved, and only what
  /// changed in an element is changed. A type that conforms to ``ViewDifferentiable`` writes its own. Two or more
  /// operations give way to one that replaces what they change if it is shorter.
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
    if haveSameBits(old, new) { return }
    if !isPlain(Value.self), try writeOwnDifference(from: old, to: new, into: &patch) { return }
    defer {
      ours.reset()
      theirs.reset()
    }
    try ours.record(old)
    try theirs.record(new)
    try ours.writeDifference(to: theirs, into: &patch, using: below)
  }

  /// Writes the difference between two values whose type knows how.
  ///
  /// - Returns: false if it does not.
  private func writeOwnDifference<Value: Encodable>(
    from old: Value, to new: Value, into patch: inout PatchWriter
  ) throws(RecordingError) -> Bool {
    // A cast looks into an optional, whose value's coding is another one level deeper.
    if let array = new as? any TypedArray, type(of: array) == Value.self {
      try writeShorter(of: new, in: &patch) { patch throws(RecordingError) in
        try array.writeDifference(fromAny: old, into: &patch, using: below)
      }
      return true
    }
    // A state is kept for good: what a type says of its own difference is not taken for it.
    guard form == .wire, let value = new as? any ViewDifferentiable, type(of: value) == Value.self else {
      notePlain(Value.self)
      return false
    }
    try value.writeDifference(fromAny: old, into: &patch, using: below)
    return true
  }

  // MARK: Plain types

  /// Types that are known to be neither arrays nor ``ViewDifferentiable``: asking the runtime costs as much as comparing.
  @exclusivity(unchecked) private var plainTypes: [ObjectIdentifier?] = Array(repeating: nil, count: 64)

  private func slot(_ type: any Any.Type) -> Int { (unsafeBitCast(type, to: Int.self) >> 4) & 63 }
  private func isPlain(_ type: any Any.Type) -> Bool { plainTypes[slot(type)] == ObjectIdentifier(type) }
  private func notePlain(_ type: any Any.Type) { plainTypes[slot(type)] = ObjectIdentifier(type) }

  /// Whether both values encode alike.
  func areSame(_ ours: AnyValueBox, _ theirs: AnyValueBox) throws(RecordingError) -> Bool {
    if ours.hasSameBits(as: theirs) { return true }
    defer {
      self.ours.reset()
      self.theirs.reset()
    }
    try ours.record(into: self.ours)
    try theirs.record(into: self.theirs)
    return try self.ours.isSame(as: self.theirs, using: below)
  }

  /// The simple value as which a boxed one is written, if it is.
  func leaf(of box: AnyValueBox) throws(RecordingError) -> Recorded? {
    defer { ours.reset() }
    try box.record(into: ours)
    guard ours.shape == .single, ours.fields.count == 1, let leaf = ours.fields.first?.value else { return nil }
    switch leaf {
    case .value(let box): return try below.leaf(of: box)
    case .nested: return nil
    default: return leaf
    }
  }

  /// Writes operations or, if it is shorter, the whole value in place of them.
  private func writeShorter<Value: Encodable>(
    of value: Value, in patch: inout PatchWriter, _ operations: (inout PatchWriter) throws(RecordingError) -> Void
  ) throws(RecordingError) {
    guard prefersShorter else { return try operations(&patch) }
    try patch.shorter(operations) { json throws(RecordingError) in try write(value, into: &json) }
  }
}
