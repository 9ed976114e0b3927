/// Writes JSON as bytes.
///
/// The writer puts commas by itself: before each value that does not follow an opening bracket, a colon or a comma. It
/// does not check that brackets match; its callers see to that.
public struct JSONWriter: Sendable {
  /// What was written.
  public private(set) var bytes: [UInt8] = []

  /// A writer that has written nothing.
  public init() {}

  /// The number of bytes beyond which ``isFull`` is true.
  ///
  /// Nothing stops a caller from writing more; a caller that writes much asks between two values.
  package var limit = Int.max

  /// Whether more bytes were written than ``limit``, so that the rest may be left out.
  package var isFull: Bool { bytes.count > limit }

  /// The number of bytes written.
  public var count: Int { bytes.count }

  /// Forgets what was written, and keeps the memory.
  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Keeps the first `count` bytes and removes the rest, as when a value turns out not to be encodable.
  package mutating func truncate(to count: Int) {
    bytes.removeSubrange(count...)
  }

  /// Removes bytes, which must be one or more whole values with their commas.
  mutating func removeSubrange(_ range: Range<Int>) { bytes.removeSubrange(range) }

  // MARK: Structure

  /// Writes `{`.
  public mutating func beginObject() {
    separate()
    bytes.append(UInt8(ascii: "{"))
  }

  /// Writes `}`.
  public mutating func endObject() { bytes.append(UInt8(ascii: "}")) }

  /// Writes `[`.
  public mutating func beginArray() {
    separate()
    bytes.append(UInt8(ascii: "["))
  }

  /// Writes `]`.
  public mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

  /// Writes a member's key, escaped as needed, and the colon.
  public mutating func key(_ key: String) {
    string(key)
    bytes.append(UInt8(ascii: ":"))
  }

  // MARK: Values

  /// Writes `null`.
  public mutating func null() { raw("null") }

  /// Writes a boolean.
  public mutating func bool(_ value: Bool) { if value { raw("true") } else { raw("false") } }

  /// Writes an integer.
  public mutating func integer(_ value: some FixedWidthInteger) {
    separate()
    Self.append(value, to: &bytes)
  }

  /// Writes a double as the shortest number that reads back as the same value, in the layout of RFC 8785 §3.2.2.3.
  ///
  /// Negative zero is written as `-0`, so that it reads back; RFC 8785 and ``JSONValue/text`` have `0`.
  ///
  /// - Parameter value: must be finite, as JSON has no other numbers.
  public mutating func number(_ value: Double) {
    precondition(value.isFinite, "JSON has no number for \(value)")
    separate()
    ShortestNumber.append(value.description, to: &bytes)
  }

  /// Writes a single-precision number as the shortest number that reads back as the same `Float`, in the same layout as
  /// a double.
  ///
  /// - Parameter value: must be finite, as JSON has no other numbers.
  public mutating func number(_ value: Float) {
    precondition(value.isFinite, "JSON has no number for \(value)")
    separate()
    ShortestNumber.append(value.description, to: &bytes)
  }

  /// Writes a string, escaped as needed.
  public mutating func string(_ value: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    Self.escape(value, into: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes text that is JSON already: a value, or the beginning of one, or that of a member up to its colon.
  public mutating func raw(_ text: StaticString) {
    separate()
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Writes a string that needs no escaping, and the byte that follows it, if any.
  mutating func raw(quoted text: StaticString, then byte: UInt8?) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    if let byte { bytes.append(byte) }
  }

  /// Writes the bytes of one JSON value.
  public mutating func raw(_ json: borrowing [UInt8]) { raw(json.span) }

  /// Writes the bytes of one or more JSON values, with commas between them.
  public mutating func raw(_ values: Span<UInt8>) {
    separate()
    values.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
  }

  /// Writes a string whose content, without the quotes, is escaped already.
  mutating func escapedString(_ content: borrowing [UInt8]) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    content.span.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
  }

  // MARK: Bytes

  private mutating func separate() {
    switch bytes.last {
    case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: ","): break
    default: bytes.append(UInt8(ascii: ","))
    }
  }

  /// Appends the decimal digits of `value`; not generic, so that other modules call it specialised.
  package static func append(decimal value: Int, to bytes: inout [UInt8]) { append(value, to: &bytes) }

  /// Appends the decimal digits of `value`.
  static func append<T: FixedWidthInteger>(_ value: T, to bytes: inout [UInt8]) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = value.magnitude
    let start = bytes.count
    repeat {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit))
      rest = quotient
    } while rest != 0
    // Reversed by swaps: reversing a slice would copy it.
    var (low, high) = (start, bytes.count - 1)
    while low < high {
      bytes.swapAt(low, high)
      low += 1
      high -= 1
    }
  }

  /// Appends `value` as the content of a JSON string (RFC 8259 §7), with the short escapes and the lower-case
  /// hexadecimal digits that RFC 8785 §3.2.2.2 asks for.
  static func escape(_ value: String, into bytes: inout [UInt8]) {
    var value = value
    value.withUTF8 { text in
      var clean = 0
      for index in 0..<text.count {
        let byte = text[index]
        guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
        bytes.append(contentsOf: text[clean..<index])
        clean = index + 1
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        default:
          bytes.append(contentsOf: [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0")])
          bytes.append(lowerHexDigit(byte >> 4))
          bytes.append(lowerHexDigit(byte & 0xF))
        }
      }
      bytes.append(contentsOf: clean == 0 ? text : UnsafeBufferPointer(rebasing: text[clean...]))
    }
  }
}

/// The lower-case hexadecimal digit for a value below 16.
func lowerHexDigit(_ value: UInt8) -> UInt8 {
  value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}
