/// A parsed JSON text: its bytes, and a tape with one token for each value and each key, in the order of the text.
///
/// Parsing decodes nothing: a number stays digits and a string stays bytes until it is read. The token of a value says
/// where its subtree ends on the tape, so a value is skipped in one step. A reader uses the two arrays again for the
/// next document, so that reading a message normally allocates nothing.
///
/// `@unchecked Sendable`: only its reader changes a document, and only while no other reference to the document exists.
/// To all other code a document is a constant; a document with a ``trace`` stays on the thread that has made it.
package final class JSONDocument: @unchecked Sendable {
  /// One value or key.
  struct Token {
    enum Kind: UInt8 {
      case null, `true`, `false`, integer, number, string, escapedString, array, object
    }
    let kind: Kind
    /// First byte of the value in the text; for a string, the byte after the quote.
    let offset: UInt32
    /// Bytes of a scalar; elements of an array; members of an object.
    var length: UInt32
    /// The index of the token behind this value; while the parser is within the value, the index of the enclosing
    /// container.
    var next: UInt32
  }

  // The arrays need no check for exclusivity: only a reader that holds the sole reference writes to them, and it calls
  // nothing meanwhile that reads them. The checks were an eighth of the time from the bytes to an action.
  @exclusivity(unchecked) var bytes: [UInt8] = []
  @exclusivity(unchecked) var tape: [Token] = []
  /// Whether all strings are ASCII, and none has an escape.
  @exclusivity(unchecked) var isPlain = true
  /// The most arrays and objects within each other.
  @exclusivity(unchecked) var depth = 0
  /// Notes what is decoded; nil unless the document is a ``TracedAction``'s own copy, which one thread decodes.
  @exclusivity(unchecked) var trace: DecodingTrace?

  init() {}

  /// The value that the text holds.
  package var root: JSONElement { JSONElement(document: self, index: 0) }

  /// `{}`.
  fileprivate static let emptyObject: JSONDocument = {
    let document = JSONDocument()
    document.bytes = [UInt8(ascii: "{"), UInt8(ascii: "}")]
    document.tape = [Token(kind: .object, offset: 0, length: 0, next: 1)]
    document.depth = 1
    return document
  }()
}

extension JSONElement {
  /// `{}`, for an object that was not sent.
  package static var emptyObject: JSONElement { JSONDocument.emptyObject.root }
}

/// Parses one JSON text after the other (RFC 8259, strictly), using the same memory again.
package struct JSONReader {
  private let limits: JSONLimits
  private var spare: JSONDocument?

  /// A reader that refuses texts beyond `limits`.
  package init(limits: JSONLimits = JSONLimits()) {
    self.limits = limits
  }

  /// Parses a text in UTF-8, which must be one JSON value.
  ///
  /// The document is valid as long as a reference to it exists; afterwards the next call uses its memory again.
  ///
  /// - Throws: ``JSONError`` if the text is not one JSON value within the limits.
  package mutating func read(_ text: Span<UInt8>) throws(JSONError) -> JSONDocument {
    guard text.count <= limits.bytes else { throw JSONError(reason: .tooLong, offset: limits.bytes) }
    let document = reusable()
    document.bytes.removeAll(keepingCapacity: true)
    text.withUnsafeBufferPointer { document.bytes.append(contentsOf: $0) }
    document.tape.removeAll(keepingCapacity: true)
    var parser = JSONParser(bytes: document.bytes, tape: document.tape, limits: limits)
    document.tape = []
    defer { document.tape = parser.releaseTape() }
    try parser.parse()
    document.isPlain = parser.isPlain
    document.depth = parser.deepest
    return document
  }

  /// Parses a text, which must be one JSON value.
  ///
  /// - Throws: ``JSONError`` if the text is not one JSON value within the limits.
  package mutating func read(_ text: String) throws(JSONError) -> JSONDocument {
    try read(Array(text.utf8).span)
  }

  private mutating func reusable() -> JSONDocument {
    if spare != nil, isKnownUniquelyReferenced(&spare), let document = spare { return document }
    let document = JSONDocument()
    spare = document
    return document
  }
}
