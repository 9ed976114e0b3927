/// A type that finds the difference between two of its values itself, because it knows more than its coding tells.
///
/// A list that records its own edits can write them without comparing a thousand rows:
///
///     extension Log: ViewDifferentiable {
///       func writeDifference(
///         from old: Log, into patch: inout PatchWriter, using encoder: ViewEncoder
///       ) throws(RecordingError) {
///         guard lines.count >= old.lines.count, zip(lines, old.lines).allSatisfy({ $0.utf8.elementsEqual($1.utf8) })
///         else { … }
///         for index in old.lines.count..<lines.count {
///           try patch.at(index) { patch throws(RecordingError) in
///             try patch.add { json throws(RecordingError) in try encoder.write(lines[index], into: &json) }
///           }
///         }
///       }
///     }
///
/// What is written must make the encoding of the new value out of the encoding of the old one, to the byte: `==` calls some
/// strings equal that are not the same bytes. A `TestSession` of RibTesting checks it after each transaction.
public protocol ViewDifferentiable: Encodable {
  /// Writes the operations that make this value of `old`, none if they encode alike.
  ///
  /// - Parameters:
  ///   - old: what the client has.
  ///   - patch: where to; it stands at the value's place.
  ///   - encoder: for parts that are written, or compared, as usual.
  /// - Throws: ``RecordingError`` if there is a value that JSON cannot express.
  func writeDifference(
    from old: Self, into patch: inout PatchWriter, using encoder: ViewEncoder
  ) throws(RecordingError)
}

extension ViewDifferentiable {
  func writeDifference<Old>(
    fromAny old: Old, into patch: inout PatchWriter, using encoder: ViewEncoder
  ) throws(RecordingError) {
    guard let old = identical(old, Self.self) else { preconditionFailure("\(Old.self) is not \(Self.self)") }
    try writeDifference(from: old, into: &patch, using: encoder)
  }
}
