/// A value kept with its type, which is captured only when its parts are needed.
class AnyValueBox {
  /// The value's JSON, if the order of the elements around it has asked for that already.
  final var text: [UInt8]?

  /// Whether the other value has the same type and the same bits, and so is equal; false may be wrong, as for
  /// ``haveSameBits(_:_:)``.
  func hasSameBits(as other: AnyValueBox) -> Bool { preconditionFailure("abstract") }

  /// The `id` by which the value is recognised in another array; nil if its type is not `Identifiable`.
  var identity: AnyHashable? { preconditionFailure("abstract") }

  /// The value itself.
  var encodable: any Encodable { preconditionFailure("abstract") }

  func capture(into capturer: Capturer) throws(CaptureError) { preconditionFailure("abstract") }

  func write(into json: inout JSONWriter, using encoder: ViewEncoder) throws(CaptureError) {
    preconditionFailure("abstract")
  }

  func writeDifference(
    to new: AnyValueBox, into patch: inout PatchWriter, using encoder: ViewEncoder
  ) throws(CaptureError) { preconditionFailure("abstract") }
}

final class ValueBox<Value: Encodable>: AnyValueBox {
  private let value: Value

  init(_ value: Value) { self.value = value }

  override func hasSameBits(as other: AnyValueBox) -> Bool {
    guard let other = Self.same(other) else { return false }
    return haveSameBits(value, other.value)
  }

  override var identity: AnyHashable? {
    (value as? any Identifiable).map { AnyHashable($0.erasedID) }
  }

  override var encodable: any Encodable { value }

  override func capture(into capturer: Capturer) throws(CaptureError) { try capturer.capture(value) }

  override func write(into json: inout JSONWriter, using encoder: ViewEncoder) throws(CaptureError) {
    try encoder.write(value, into: &json)
  }

  override func writeDifference(
    to new: AnyValueBox, into patch: inout PatchWriter, using encoder: ViewEncoder
  ) throws(CaptureError) {
    if let new = Self.same(new) {
      try encoder.writeDifference(from: value, to: new.value, into: &patch)
    } else {
      try patch.replace { json throws(CaptureError) in try new.write(into: &json, using: encoder) }
    }
  }

  private static func same(_ other: AnyValueBox) -> Self? {
    type(of: other) == Self.self ? unsafeDowncast(other, to: Self.self) : nil
  }
}

extension Identifiable {
  fileprivate var erasedID: any Hashable { id }
}
