/// The elements of comma-separated lists in header fields (RFC 9110 §5.6.1).
///
/// They are without the whitespace around them; empty ones are among them. A comma within quotation marks separates as well: a client
/// that opens a quotation must not swallow what a proxy adds behind it.
///
/// Each is looked for when it is asked for. A field may hold many thousands: what is behind the 64th of a list, or before the 64th last, is one
/// element, commas and all, so that nobody takes the list for one of the others alone.
package struct ListElements: Sequence, IteratorProtocol, Sendable {
  private static let limit = 64

  private var values: ArraySlice<String>
  private let isReversed: Bool
  /// The rest of the field's value that is being read; nil between two fields.
  private var rest: Substring.UTF8View?
  private var count = 0

  /// The elements of some fields.
  ///
  /// - Parameters:
  ///   - values: the fields' values, in order.
  ///   - isReversed: whether the last element comes first.
  init(_ values: [String], isReversed: Bool) { (self.values, self.isReversed) = (values[...], isReversed) }

  /// The next element; nil behind the last one.
  package mutating func next() -> Substring? {
    if rest == nil { rest = (isReversed ? values.popLast() : values.popFirst()).map { $0.utf8[...] } }
    guard let text = rest else { return nil }
    count += 1
    guard count <= Self.limit else {
      rest = nil
      return Self.trimmed(text)
    }
    let comma = UInt8(ascii: ",")
    if isReversed {
      let end = text.lastIndex(of: comma)
      rest = end.map { text[..<$0] }
      return Self.trimmed(end.map { text[$0...].dropFirst() } ?? text)
    }
    let end = text.firstIndex(of: comma)
    rest = end.map { text[$0...].dropFirst() }
    return Self.trimmed(end.map { text[..<$0] } ?? text)
  }

  private static func trimmed(_ text: Substring.UTF8View) -> Substring {
    let start = text.drop { HTTPGrammar.isWhitespace($0) }
    let end = start.lastIndex { !HTTPGrammar.isWhitespace($0) }
    return Substring(end.map { start[...$0] } ?? start)
  }
}
