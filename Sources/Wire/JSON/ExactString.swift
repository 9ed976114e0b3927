/// A string that is told from others by its bytes alone.
///
/// Swift calls two strings equal that are written with different characters and mean the same, such as `é` in one
/// character and in two. JSON, and whoever else reads it, tells them apart (RFC 8259 §8.3, RFC 6901 §4).
struct ExactString: Hashable, Sendable {
  let string: String

  init(_ string: String) { self.string = string }

  static func == (ours: ExactString, theirs: ExactString) -> Bool { haveSameUTF8(ours.string, theirs.string) }

  func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // So that the strings of a row do not run into each other.
    hasher.combine(0xFF as UInt8)
  }
}

/// Whether two strings are the same to the byte; mostly they are the same value.
func haveSameUTF8(_ ours: String, _ theirs: String) -> Bool {
  haveSameBits(ours, theirs) || ours.utf8.elementsEqual(theirs.utf8)
}
