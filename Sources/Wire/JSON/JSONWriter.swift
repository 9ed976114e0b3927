/// Writes JSON as bytes.
///
/// Commas come by themselves: a value that does not follow an opening bracket, a colon or a comma is preceded by one.
/// The writer does not check that brackets match; its callers are written so that they do.
public struct JSONWriter: Sendable {
  /// What was written.
  public private(set) var bytes: [UInt8] = []

  /// A writer that has written nothing.
  public init() {}

  /// The number of bytes after which ``isFull`` holds.
  ///
  /// More can be written; whoever writes much asks between two values.
  package var limit = Int.max

  /// Whether more was written than ``limit`` says, so that the rest may as well be left out.
  package var isFull: Bool { bytes.count > limit }

  /// The number of bytes written.
  public var count: Int { bytes.count }

  /// Forgets what was written and keeps the memory.
  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Takes back what was written after the first `count` bytes, as when a value turns out not to be encodable.
  ///
  /// - Parameter count: how many bytes to keep.
  package mutating func truncate(to count: Int) {
    bytes.removeSubrange(count...)
  }

  /// Takes out bytes, which the caller knows to be one or more values with their commas.
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

  /// Writes a member's key and the colon.
  ///
  /// - Parameter key: the key, escaped as needed.
  public mutating func key(_ key: String) {
    string(key)
    bytes.append(UInt8(ascii: ":"))
  }

  // MARK: Values

  /// Writes `null`.
  public mutating func null() { raw("null") }

  /// Writes a boolean.
  ///
  /// - Parameter value: the boolean.
  public mutating func bool(_ value: Bool) { if value { raw("true") } else { raw("false") } }

  /// Writes an integer.
  ///
  /// - Parameter value: the integer.
  public mutating func integer(_ value: some FixedWidthInteger) {
    separate()
    Self.append(value, to: &bytes)
  }

  /// Writes a double as the shortest number that reads back as the same value, laid out as RFC 8785 §3.2.2.3 has it.
  ///
  /// Negative zero is written as `-0`, so that it comes back; the RFC has it as `0`, and so has ``JSONValue/text``.
  ///
  /// - Parameter value: a finite number; JSON has no others.
  public mutating func number(_ value: Double) {
    precondition(value.isFinite, "JSON has no number for \(value)")
    separate()
    ShortestNumber.append(value.description, to: &bytes)
  }

  /// Writes a single-precision number in its own shortest form, laid out as a double is.
  ///
  /// - Parameter value: a finite number; JSON has no others.
  public mutating func number(_ value: Float) {
    precondition(value.isFinite, "JSON has no number for \(value)")
    separate()
    ShortestNumber.append(value.description, to: &bytes)
  }

  /// Writes a string.
  ///
  /// - Parameter value: the string, escaped as needed.
  public mutating func string(_ value: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    Self.escape(value, into: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes text that is JSON already.
  ///
  /// - Parameter text: one value, or its beginning or a member's, up to its colon.
  public mutating func raw(_ text: StaticString) {
    separate()
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Writes a string that needs no escaping, and what follows it.
  mutating func raw(quoted text: StaticString, then byte: UInt8?) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    if let byte { bytes.append(byte) }
  }

  /// Writes bytes that are JSON already.
  ///
  /// - Parameter json: one value.
  public mutating func raw(_ json: borrowing [UInt8]) {
    separate()
    bytes.append(contentsOf: copy json)
  }

  /// Writes bytes that are values already, with commas between them.
  ///
  /// - Parameter values: one value or more.
  public mutating func raw(_ values: Span<UInt8>) {
    separate()
    values.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
  }

  /// Writes a string whose content is escaped already.
  ///
  /// - Parameter content: what stands between the quotes.
  mutating func escapedString(_ content: borrowing [UInt8]) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: copy content)
    bytes.append(UInt8(ascii: "\""))
  }

  // MARK: Bytes

  private mutating func separate() {
    switch bytes.last {
    case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: ","): break
    default: bytes.append(UInt8(ascii: ","))
    }
  }

  /// Appends the decimal digits of `value`; for other modules, which would call a generic function without its type.
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
    // In place: reversing a slice would copy it.
    var (low, high) = (start, bytes.count - 1)
    while low < high {
      bytes.swapAt(low, high)
      low += 1
      high -= 1
    }
  }

  /// Appends the content of a JSON string for `value`: RFC 8259 §7, with the short escapes and lower-case hex digits that
  /// RFC 8785 §3.2.2.2 asks for.
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
