/// A parsed JSON text: its bytes, and a tape with one token a value and a key, in the order of the text.
///
/// Nothing is decoded while parsing: a number stays digits and a string stays bytes until someone asks. A value's
/// token knows where its subtree ends on the tape, so whole values are skipped in one step. A reader hands the two
/// arrays from document to document: in a steady state reading a message allocates nothing.
///
/// `@unchecked Sendable`: nobody but its reader changes a document, and the reader does so only while it is the only one
/// that holds it. Whoever else holds one sees a constant.
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
    /// Index of the token after this value's last one; while the parser is inside the value, of the one around it.
    var next: UInt32
  }

  // Only a reader that is alone with the document writes to them, and calls nothing meanwhile that could read.
  @exclusivity(unchecked) var bytes: [UInt8] = []
  @exclusivity(unchecked) var tape: [Token] = []

  init() {}

  /// The value that the text holds.
  package var root: JSONElement { JSONElement(document: self, index: 0) }

  /// `{}`.
  fileprivate static let emptyObject: JSONDocument = {
    let document = JSONDocument()
    document.bytes = [UInt8(ascii: "{"), UInt8(ascii: "}")]
    document.tape = [Token(kind: .object, offset: 0, length: 0, next: 1)]
    return document
  }()
}

extension JSONElement {
  /// `{}`: what stands for an object that was not sent.
  package static var emptyObject: JSONElement { JSONDocument.emptyObject.root }
}

/// Reads one JSON text after the other (RFC 8259, strictly), reusing memory.
package struct JSONReader {
  private let limits: JSONLimits
  private var spare: JSONDocument?

  /// A reader that holds its texts to `limits`.
  ///
  /// - Parameter limits: depth and length allowed.
  package init(limits: JSONLimits = JSONLimits()) {
    self.limits = limits
  }

  /// Reads the one value that `text` holds.
  ///
  /// The document is valid as long as someone holds it; once nobody does, the next call uses its memory again.
  ///
  /// - Parameter text: the whole text, in UTF-8.
  /// - Returns: the parsed text.
  /// - Throws: ``JSONError`` if it is not one JSON value within the limits.
  package mutating func read(_ text: Span<UInt8>) throws(JSONError) -> JSONDocument {
    guard text.count <= limits.bytes else { throw JSONError(reason: .tooLong, offset: limits.bytes) }
    let document = reusable()
    document.bytes.removeAll(keepingCapacity: true)
    text.withUnsafeBufferPointer { document.bytes.append(contentsOf: $0) }
    document.tape.removeAll(keepingCapacity: true)
    var parser = JSONParser(bytes: document.bytes, tape: document.tape, depthLimit: limits.depth)
    document.tape = []
    defer { document.tape = parser.releaseTape() }
    try parser.parse()
    return document
  }

  /// Reads the one value that `text` holds.
  ///
  /// - Parameter text: the whole text.
  /// - Returns: the parsed text.
  /// - Throws: ``JSONError`` if it is not one JSON value within the limits.
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
