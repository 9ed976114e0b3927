// How a difference is found without encoding.
//
// `Codable` serves as reflection: one `encode(to:)` into a `Capturer` captures each property of a value *as a value*,
// and writes no bytes. Two recordings are then compared field by field. A property of a simple type is stored unboxed
// and compared directly. Any other property is boxed; the bits of the two boxed values are compared first (equal bits
// of a value type mean equal values), and only if they differ are the values captured in their turn. So unchanged parts
// are never descended into, and each changed part is written as JSON once.
//
// `==` is not used: it may call two strings equal whose UTF-8 differs, or 0 and −0; and what a client has must equal
// the snapshot to the byte.

/// Writes view states as JSON, and the difference between two of them as the operations of a patch.
///
/// One encoder serves the sessions of a loop in turn. It keeps the memory of its capturers, two for each level of
/// nesting.
///
/// Every recursion into a value goes through `below`, which counts the depth: a value that no reader could read is refused, before it uses up
/// the stack. An `encode(to:)` is not counted that recurses by itself, through nested containers.
public final class ViewEncoder {
  private let ours: Capturer
  private let theirs: Capturer
  /// How many levels are around the values that it writes.
  private let depth: Int
  private var lower: ViewEncoder?
  let form: CodingForm
  /// Whether several operations are replaced by a single `replace` if that is shorter.
  let prefersShorter: Bool

  /// An encoder whose capturers have no memory yet.
  package convenience init() { self.init(prefersShorter: true) }

  init(prefersShorter: Bool, form: CodingForm = .wire, depth: Int = 0) {
    self.prefersShorter = prefersShorter
    self.form = form
    self.depth = depth
    ours = Capturer(form, depth: depth)
    theirs = Capturer(form, depth: depth)
  }

  /// The encoder for values one level deeper.
  ///
  /// A value that encodes as another single value is a level as well.
  ///
  /// - Throws: ``CaptureError`` if no value may be so deep.
  var below: ViewEncoder {
    get throws(CaptureError) {
      if let lower { return lower }
      guard depth < JSONLimits.valueNesting else {
        throw CaptureError("it is nested more than \(JSONLimits.valueNesting) levels deep")
      }
      let lower = ViewEncoder(prefersShorter: prefersShorter, form: form, depth: depth + 1)
      self.lower = lower
      return lower
    }
  }

  /// Writes a whole value.
  ///
  /// - Parameters:
  ///   - value: the view state.
  ///   - json: takes the value; unchanged if this throws.
  /// - Throws: ``CaptureError``, with the path of the property that JSON cannot express.
  public func write<Value: Encodable>(_ value: Value, into json: inout JSONWriter) throws(CaptureError) {
    let start = json.count
    // A captured value left behind would hold a second reference, and its owner's next change would copy it.
    defer { ours.reset() }
    do {
      if !isPlain(Value.self), let array = value as? any TypedArray {
        try array.writeElements(into: &json, using: try below)
      } else {
        try ours.capture(value)
        try ours.write(into: &json, using: try below)
      }
    } catch {
      json.truncate(to: start)
      throw error
    }
  }

  /// Writes the operations that turn `old` into `new` at the patch's current place, none if both encode alike.
  ///
  /// Members that differ are changed one by one, at the depth at which they differ. The elements of an array are
  /// matched by their `id` if they are `Identifiable`, by value if they are simple, and otherwise by index; a moved
  /// element is moved, and of a changed element only what differs is changed. A type that conforms to
  /// ``ViewDifferentiable`` writes its own operations. Several operations are replaced by a single `replace` if that is
  /// shorter.
  ///
  /// - Parameters:
  ///   - old: the value that the client has.
  ///   - new: the value that the client is to have.
  ///   - patch: takes the operations. If this throws, some may have been written: give up the patch.
  /// - Throws: ``CaptureError``, with the path of the property that JSON cannot express.
  public func writeDifference<Value: Encodable>(
    from old: Value, to new: Value, into patch: inout PatchWriter
  ) throws(CaptureError) {
    if haveSameBits(old, new) { return }
    if !isPlain(Value.self), try writeOwnDifference(from: old, to: new, into: &patch) { return }
    defer {
      ours.reset()
      theirs.reset()
    }
    try ours.capture(old)
    try theirs.capture(new)
    try ours.writeDifference(to: theirs, into: &patch, using: try below)
  }

  /// Writes the difference between two arrays, or between two values of a type that writes its own.
  ///
  /// - Returns: false if the type is neither; nothing is written then.
  private func writeOwnDifference<Value: Encodable>(
    from old: Value, to new: Value, into patch: inout PatchWriter
  ) throws(CaptureError) -> Bool {
    // The type is compared as well: the cast would also succeed for an optional array, whose coding lies one level
    // deeper.
    if let array = new as? any TypedArray, type(of: array) == Value.self {
      try writeShorter(of: new, in: &patch) { patch throws(CaptureError) in
        try array.writeDifference(fromAny: old, into: &patch, using: try below)
      }
      return true
    }
    // Not in the form of a saved state: that is kept for good, and must not depend on a type's own idea of its
    // difference.
    guard form == .wire, let value = new as? any ViewDifferentiable, type(of: value) == Value.self else {
      notePlain(Value.self)
      return false
    }
    try value.writeDifference(fromAny: old, into: &patch, using: try below)
    return true
  }

  // MARK: Plain types

  /// Types known to be neither arrays nor ``ViewDifferentiable``, at a slot that depends on the type's address.
  ///
  /// The dynamic casts that would find this out cost as much as a comparison. Two types of one slot displace each
  /// other, which costs time only. No check for exclusivity, as for a ``Capturer``.
  @exclusivity(unchecked) private var plainTypes: [ObjectIdentifier?] = Array(repeating: nil, count: 64)

  private func slot(_ type: any Any.Type) -> Int { (unsafeBitCast(type, to: Int.self) >> 4) & 63 }
  private func isPlain(_ type: any Any.Type) -> Bool { plainTypes[slot(type)] == ObjectIdentifier(type) }
  private func notePlain(_ type: any Any.Type) { plainTypes[slot(type)] = ObjectIdentifier(type) }

  /// Whether both values are written as the same JSON.
  func areSame(_ ours: AnyValueBox, _ theirs: AnyValueBox) throws(CaptureError) -> Bool {
    if ours.hasSameBits(as: theirs) { return true }
    defer {
      self.ours.reset()
      self.theirs.reset()
    }
    try ours.capture(into: self.ours)
    try theirs.capture(into: self.theirs)
    return try self.ours.isSame(as: self.theirs, using: try below)
  }

  /// The simple value that a boxed value encodes as; nil if it encodes as a container.
  func leaf(of box: AnyValueBox) throws(CaptureError) -> Captured? {
    defer { ours.reset() }
    try box.capture(into: ours)
    guard ours.shape == .single, ours.fields.count == 1, let leaf = ours.fields.first?.value else { return nil }
    switch leaf {
    case .value(let box): return try below.leaf(of: box)
    case .nested: return nil
    default: return leaf
    }
  }

  /// Writes operations or, if that is shorter, a single `replace` with the whole value.
  private func writeShorter<Value: Encodable>(
    of value: Value, in patch: inout PatchWriter, _ operations: (inout PatchWriter) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    guard prefersShorter else { return try operations(&patch) }
    try patch.shorter(operations) { json throws(CaptureError) in try write(value, into: &json) }
  }
}
