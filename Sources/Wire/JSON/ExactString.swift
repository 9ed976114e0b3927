/// A string that is compared by its bytes.
///
/// Swift's `==` calls two strings equal that differ only in how characters are composed, such as `é` as one scalar and
/// as two. JSON and its readers tell them apart (RFC 8259 §8.3, RFC 6901 §4).
struct ExactString: Hashable, Sendable {
  let string: String

  init(_ string: String) { self.string = string }

  static func == (ours: ExactString, theirs: ExactString) -> Bool { haveSameUTF8(ours.string, theirs.string) }

  func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // A terminator, so that in a sequence of strings it matters where one ends and the next begins.
    hasher.combine(0xFF as UInt8)
  }
}

/// Whether two strings have the same UTF-8; the bits are compared first, as mostly both are the same value.
func haveSameUTF8(_ ours: String, _ theirs: String) -> Bool {
  haveSameBits(ours, theirs) || ours.utf8.elementsEqual(theirs.utf8)
}
