/// A type that writes the difference between two of its values itself, because it knows more than its coding shows.
///
/// A list that notes its own edits can write them without comparing a thousand rows:
///
///     extension Log: ViewDifferentiable {
///       func writeDifference(
///         from old: Log, into patch: inout PatchWriter, using encoder: ViewEncoder
///       ) throws(CaptureError) {
///         guard lines.count >= old.lines.count, zip(lines, old.lines).allSatisfy({ $0.utf8.elementsEqual($1.utf8) })
///         else { … }
///         for index in old.lines.count..<lines.count {
///           try patch.at(index) { patch throws(CaptureError) in
///             try patch.add { json throws(CaptureError) in try encoder.write(lines[index], into: &json) }
///           }
///         }
///       }
///     }
///
/// The operations must turn the encoding of the old value into that of the new one, to the byte: note that `==` calls
/// some strings equal whose bytes differ. A `TestSession` of RibTesting checks this after each transaction.
public protocol ViewDifferentiable: Encodable {
  /// Writes the operations that turn `old` into this value, none if both encode alike.
  ///
  /// - Parameters:
  ///   - old: the value that the client has.
  ///   - patch: takes the operations; its place is that of the value.
  ///   - encoder: writes and compares parts of the value in the usual way.
  /// - Throws: ``CaptureError`` for a part that JSON cannot express.
  func writeDifference(
    from old: Self, into patch: inout PatchWriter, using encoder: ViewEncoder
  ) throws(CaptureError)
}

extension ViewDifferentiable {
  func writeDifference<Old>(
    fromAny old: Old, into patch: inout PatchWriter, using encoder: ViewEncoder
  ) throws(CaptureError) {
    guard let old = identical(old, Self.self) else { preconditionFailure("\(Old.self) is not \(Self.self)") }
    try writeDifference(from: old, into: &patch, using: encoder)
  }
}
