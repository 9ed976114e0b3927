/// A text that is compared, hashed and sorted by its bytes: the one way to do so with what comes from a peer.
///
/// Swift's `==` calls two strings equal that differ only in how characters are composed, such as `é` as one scalar and
/// as two. JSON and its readers tell them apart (RFC 8259 §8.3, RFC 6901 §4). To compare and to hash, a `String` also
/// sorts the combining marks of each character, in a time that is quadratic in their number: 64 KiB of marks take
/// seconds. Bytes take a time that is linear, whatever they are.
package struct ExactString: Hashable, Sendable {
  /// The text.
  package let string: String

  /// A text.
  package init(_ string: String) { self.string = string }

  package static func == (ours: ExactString, theirs: ExactString) -> Bool { haveSameUTF8(ours.string, theirs.string) }

  package func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // A terminator, so that in a sequence of strings it matters where one ends and the next begins.
    hasher.combine(0xFF as UInt8)
  }
}

extension ExactString: Comparable {
  package static func < (ours: ExactString, theirs: ExactString) -> Bool {
    ours.string.utf8.lexicographicallyPrecedes(theirs.string.utf8)
  }
}

extension ExactString: ExpressibleByStringLiteral, CustomStringConvertible {
  package init(stringLiteral string: String) { self.init(string) }

  package var description: String { string }
}

extension Dictionary where Key == ExactString {
  /// The value of a text.
  package subscript(_ text: String) -> Value? {
    get { self[ExactString(text)] }
    _modify { yield &self[ExactString(text)] }
  }
}

/// Whether two strings have the same UTF-8; the bits are compared first, as mostly both are the same value.
package func haveSameUTF8(_ ours: String, _ theirs: String) -> Bool {
  haveSameBits(ours, theirs) || ours.utf8.elementsEqual(theirs.utf8)
}
