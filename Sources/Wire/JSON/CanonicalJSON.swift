/// The JSON Canonicalization Scheme, RFC 8785: all texts with the same meaning have one sequence of bytes, so that two
/// programs with the same document compute the same hash.
extension JSONValue {
  /// The value in its canonical form, in UTF-8.
  ///
  /// Every number is rounded to the nearest double (§3.2.2.3), which may change the last digits of an integer beyond
  /// 2^53.
  package var canonicalBytes: [UInt8] {
    var writer = JSONWriter()
    write(into: &writer, numbers: .canonical)
    return writer.bytes
  }
}
