import Wire

/// The messages of an array that are still to be handled.
///
/// At first they are where the array was read. Those that have to wait are kept as their text alone: what was made of a
/// text takes several times its memory, and there may be one for each client.
struct PendingMessages {
  private var elements: JSONElements
  /// The texts of messages that have waited, one after the other, and where each ends; empty until one had to.
  private var texts: [UInt8] = []
  private var ends: [Int] = []
  private var index = 0

  /// The elements of `array`.
  init(_ array: JSONElement) { elements = array.elements }

  /// The next message.
  ///
  /// - Parameter reader: for those that have waited.
  /// - Returns: nil after the last one.
  /// - Throws: ``JSONError`` never, for the array was read before.
  mutating func next(_ reader: inout JSONReader) throws(JSONError) -> JSONElement? {
    guard index < ends.count else { return elements.next() }
    let start = index > 0 ? ends[index - 1] : 0
    defer { index += 1 }
    return try reader.read(texts.span.extracting(start..<ends[index])).root
  }

  /// Keeps no more memory than the texts of what is left need.
  mutating func wait() {
    while let element = elements.next() {
      texts.append(contentsOf: element.source.utf8)
      ends.append(texts.count)
    }
    elements = JSONElement.emptyObject.elements
  }
}
