/// A JSON value in memory of its own, for values that are kept and changed: a client's view, the operand of a patch.
///
/// Reading an action and writing a view do without.
public enum JSONValue: Sendable {
  /// The literal `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A whole number that fits 64 bits.
  case integer(Int64)
  /// Any other number, as the nearest double.
  case number(Double)
  /// The digits of a whole number that fits neither: one of more than 64 bits, or an unsigned one of 64, that a double
  /// would round.
  case digits(String)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object. Its order means nothing (RFC 8259 §4); of two members with one key, the last counts.
  case object(JSONObject)

  /// Copies a value out of a document; a number too large for a double becomes `null`, as I-JSON does not allow such a
  /// number.
  package init(_ element: JSONElement) {
    switch element.kind {
    case .null: self = .null
    case .bool: self = .bool(element.bool == true)
    case .string: self = .string(element.string ?? "")
    case .number:
      self.init(number: element)
    case .array:
      var elements: [JSONValue] = []
      elements.reserveCapacity(element.count)
      for element in element.elements { elements.append(JSONValue(element)) }
      self = .array(elements)
    case .object:
      var members = JSONObject()
      element.forEachMember { key, value in members[key.string ?? ""] = JSONValue(value) }
      self = .object(members)
    }
  }

  private init(number element: JSONElement) {
    if let integer = element.integer(Int64.self) {
      self = integer == 0 && element.double?.sign == .minus ? .number(-0.0) : .integer(integer)
    } else if let double = element.double {
      self = .number(double)
      // A whole number whose digits a double would change.
      let digits = element.source
      if digits.utf8.allSatisfy({ $0 != UInt8(ascii: ".") && $0 | 0x20 != UInt8(ascii: "e") }), digits != text {
        self = .digits(digits)
      }
    } else {
      self = .null
    }
  }

  /// Parses a text, which must be one JSON value.
  ///
  /// - Throws: ``JSONError`` if it is not.
  public init(parsing text: String) throws(JSONError) {
    var reader = JSONReader()
    self.init(try reader.read(text).root)
  }

  /// The member `key` of an object; nil if there is none or this is not an object.
  public subscript(_ key: String) -> JSONValue? {
    if case .object(let members) = self { members[key] } else { nil }
  }

  /// The value as compact JSON, with the members of every object sorted by the UTF-16 code units of their keys, as RFC
  /// 8785 does it.
  ///
  /// Unlike in `canonicalBytes`, integers of more than 53 bits keep all their digits.
  public var text: String {
    var writer = JSONWriter()
    write(into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Writes the value as ``text`` does.
  public func write(into writer: inout JSONWriter) { write(into: &writer, numbers: .whole) }

  /// How numbers are written.
  enum NumberForm {
    /// As the double that other readers make of the number (RFC 8785 §3.2.2.3).
    case canonical
    /// Integers with all their digits, and zero without a sign.
    case whole
    /// As the numbers were read: with all digits, and −0 with its sign.
    case exact
    /// As ``whole``, and with words for the infinities and NaN, which are no JSON.
    case printed
  }

  /// Writes the value, with numbers in one of the forms.
  func write(into writer: inout JSONWriter, numbers: NumberForm) {
    switch self {
    case .null: writer.null()
    case .bool(let value): writer.bool(value)
    case .integer(let value) where numbers == .canonical && value.magnitude > 1 << 53: writer.number(Double(value))
    case .integer(let value): writer.integer(value)
    case .number(let value) where numbers == .printed && !value.isFinite: writer.raw(Array("\(value)".utf8))
    case .number(let value): writer.number(value == 0 && numbers != .exact ? 0 : value)
    case .digits(let digits):
      if numbers == .canonical, let double = Double(digits) {
        writer.number(double)
      } else {
        writer.raw(Array(digits.utf8))
      }
    case .string(let value): writer.string(value)
    case .array(let elements):
      writer.beginArray()
      for element in elements { element.write(into: &writer, numbers: numbers) }
      writer.endArray()
    case .object(let members):
      writer.beginObject()
      for (key, value) in members.sorted(by: { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }) {
        writer.key(key)
        value.write(into: &writer, numbers: numbers)
      }
      writer.endObject()
    }
  }
}

extension JSONValue: CustomStringConvertible, CustomReflectable {
  /// The value as compact JSON, as in ``text``; also a value that has no JSON, such as `nan`.
  public var description: String {
    var writer = JSONWriter()
    write(into: &writer, numbers: .printed)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
  /// No parts: whoever prints the value prints it as JSON.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension JSONValue: Equatable {
  /// Whether two values are the same.
  ///
  /// Strings are compared byte by byte (RFC 8259 §8.3), which Swift's `==` does not do. An ``integer(_:)`` is not equal
  /// to a ``number(_:)`` of the same value: parsing always makes the former of a whole number.
  public static func == (ours: JSONValue, theirs: JSONValue) -> Bool {
    switch (ours, theirs) {
    case (.null, .null): true
    case (.bool(let ours), .bool(let theirs)): ours == theirs
    case (.integer(let ours), .integer(let theirs)): ours == theirs
    case (.number(let ours), .number(let theirs)): ours == theirs
    case (.digits(let ours), .digits(let theirs)): ours == theirs
    case (.string(let ours), .string(let theirs)): haveSameUTF8(ours, theirs)
    case (.array(let ours), .array(let theirs)): ours == theirs
    case (.object(let ours), .object(let theirs)): ours == theirs
    default: false
    }
  }
}
