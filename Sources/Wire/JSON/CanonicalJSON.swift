/// The JSON Canonicalization Scheme, RFC 8785: one sequence of bytes for whatever texts mean the same, so that two who
/// have the same document have the same hash.
extension JSONValue {
  /// The value in its canonical form, in UTF-8.
  ///
  /// Every number is that of its nearest double (§3.2.2.3): of an integer beyond 2^53 the last digits may be others than
  /// those that were read.
  package var canonicalBytes: [UInt8] {
    var writer = JSONWriter()
    write(into: &writer, numbers: .canonical)
    return writer.bytes
  }
}
