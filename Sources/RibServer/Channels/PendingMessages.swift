import Wire

/// The messages of an array that are still to be handled.
///
/// At first they are where the array was read. Messages that have to wait are kept as their text alone: a text that was read takes several times its memory, and there may be one for each client.
struct PendingMessages {
  private var elements: JSONElements
  /// The texts of messages that have waited, each with a separator behind it.
  private var texts: [UInt8] = []
  /// Where the next of them begins.
  private var position = 0

  /// What no JSON text contains, and texts are separated by (RFC 7464 §2.2).
  private static let recordSeparator: UInt8 = 0x1E

  /// The elements of `array`.
  init(_ array: JSONElement) { elements = array.elements }

  /// One message that has to wait.
  ///
  /// - Parameter message: of any kind.
  init(waiting message: JSONElement) {
    elements = JSONElement.emptyObject.elements
    texts = Array(message.source.utf8) + [Self.recordSeparator]
  }

  /// The next message.
  ///
  /// - Parameter reader: reads the text of a message that has waited.
  /// - Returns: nil after the last one.
  /// - Throws: ``JSONError`` never, for the array was read before.
  mutating func next(_ reader: inout JSONReader) throws(JSONError) -> JSONElement? {
    guard let end = texts[position...].firstIndex(of: Self.recordSeparator) else { return elements.next() }
    defer { position = end + 1 }
    return try reader.read(texts.span.extracting(position..<end)).root
  }

  /// Keeps no more memory than the texts of what is left need, or twice that.
  mutating func wait() {
    if position > texts.count / 2 {
      texts = Array(texts[position...])
      position = 0
    }
    while let element = elements.next() {
      texts.append(contentsOf: element.source.utf8)
      texts.append(Self.recordSeparator)
    }
    elements = JSONElement.emptyObject.elements
  }
}
