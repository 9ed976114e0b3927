/// The elements of an array, in order.
///
/// The sequence holds the document, so that the remaining elements can be read at any time.
package struct JSONElements: Sequence, IteratorProtocol, Sendable {
  private let document: JSONDocument
  /// Index of the next element's token.
  private var index: Int
  private var remaining: Int

  init(_ array: JSONElement) {
    document = array.document
    index = array.index + 1
    remaining = array.kind == .array ? array.count : 0
  }

  /// The next element; nil after the last one.
  package mutating func next() -> JSONElement? {
    guard remaining > 0 else { return nil }
    remaining -= 1
    let element = JSONElement(document: document, index: index)
    index = element.next
    return element
  }
}
