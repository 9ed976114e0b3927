/// One value in a ``JSONDocument``, decoded when asked.
///
/// An element is a position, not a copy: it costs a reference, which keeps its document's memory from being used again.
package struct JSONElement: Sendable {
  /// The kind of a value.
  package enum Kind: String, Sendable {
    /// The literal `null`.
    case null
    /// `true` or `false`.
    case bool = "a boolean"
    /// A number, whole or not.
    case number = "a number"
    /// A string.
    case string = "a string"
    /// An array.
    case array = "an array"
    /// An object.
    case object = "an object"
  }

  let document: JSONDocument
  let index: Int

  private var token: JSONDocument.Token { document.tape[index] }

  /// The kind of the value.
  package var kind: Kind {
    switch token.kind {
    case .null: .null
    case .true, .false: .bool
    case .integer, .number: .number
    case .string, .escapedString: .string
    case .array: .array
    case .object: .object
    }
  }

  /// Whether the value is `null`.
  package var isNull: Bool { token.kind == .null }

  /// The boolean, or nil if the value is something else.
  package var bool: Bool? {
    switch token.kind {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// The number of elements of an array or members of an object; 0 for anything else.
  package var count: Int {
    switch token.kind {
    case .array, .object: Int(token.length)
    default: 0
    }
  }

  /// The string, its escapes resolved, or nil if the value is something else.
  package var string: String? {
    switch token.kind {
    case .string: String(decoding: document.bytes[text], as: UTF8.self)
    case .escapedString: unescaped()
    default: nil
    }
  }

  /// Whether this is no string with an escape or beyond ASCII.
  var isPlain: Bool {
    switch token.kind {
    case .escapedString: false
    case .string: !document.bytes[text].contains { $0 >= 0x80 }
    default: true
    }
  }

  /// Whether this is a string that is longer than a name; asked of each action, so without decoding a short one.
  var isNoName: Bool { token.length > longestName && kind == .string && name == nil }

  /// Whether the value is a string that has, with its escapes resolved, exactly the UTF-8 of `text`.
  package func isString(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { isString($0) }
  }

  func isString(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let token = token
    switch token.kind {
    case .string:
      guard text.count == Int(token.length) else { return false }
      let start = Int(token.offset)
      for index in text.indices where document.bytes[start + index] != text[index] { return false }
      return true
    case .escapedString:
      // An escape is longer than the character that it stands for, and at most six times as long. So mostly the length
      // decides, and a long key with escapes costs nothing when another key is looked for.
      guard text.count < token.length, token.length <= 6 * text.count else { return false }
      return unescaped().utf8.elementsEqual(text)
    default:
      return false
    }
  }

  /// The number as an integer of type `T`; nil if it is not an integer or does not fit.
  ///
  /// Integers are read digit by digit, and exact. `1.0` and `1e2` are integers as well; `1.00000000000000000001` is none.
  package func integer<T: FixedWidthInteger>(_ type: T.Type = T.self) -> T? {
    switch token.kind {
    case .integer: digits()
    case .number:
      // Most numbers with a point are no integers, as their nearest double shows without more memory: that of an integer is an integer.
      if let double, double != double.rounded() { nil } else { ExactDecimal(source)?.integer() }
    default: nil
    }
  }

  /// The number as the nearest double, or nil if the value is no number or too large for one.
  package var double: Double? {
    switch token.kind {
    case .integer, .number:
      Double(String(decoding: document.bytes[text], as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    default: nil
    }
  }

  /// The number as the nearest single-precision value, or nil if the value is no number or too large for one.
  package var float: Float? {
    switch token.kind {
    case .integer, .number:
      Float(String(decoding: document.bytes[text], as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    default: nil
    }
  }

  /// The text of the value as it was received.
  package var source: String {
    let start: Int
    switch token.kind {
    case .string, .escapedString: start = text.lowerBound - 1
    default: start = text.lowerBound
    }
    return String(decoding: document.bytes[start..<sourceEnd], as: UTF8.self)
  }

  // MARK: Parts

  /// The value of the member `key`, the last one if there are several; nil if there is none or this is not an object.
  package subscript(_ key: String) -> JSONElement? {
    var found: JSONElement?
    forEachMember { name, value in
      if name.isString(key) { found = value }
    }
    return found
  }

  /// The key of an object's first member.
  var firstKey: String? {
    guard token.kind == .object, token.length > 0 else { return nil }
    return JSONElement(document: document, index: index + 1).string
  }

  /// Calls `body` with the key, a string, and the value of each member of an object, in the order of the text; not at
  /// all for anything else.
  ///
  /// - Throws: what `body` throws, at once.
  package func forEachMember<Failure: Error>(
    _ body: (_ key: JSONElement, _ value: JSONElement) throws(Failure) -> Void
  ) throws(Failure) {
    guard token.kind == .object else { return }
    var key = index + 1
    for _ in 0..<token.length {
      try body(JSONElement(document: document, index: key), JSONElement(document: document, index: key + 1))
      key = Int(document.tape[key + 1].next)
    }
  }

  /// The elements of an array, in order; none for anything else.
  package var elements: JSONElements { JSONElements(self) }

  /// The index of the token behind this value.
  var next: Int { Int(token.next) }

  /// The value's bytes; for a string, those between the quotes.
  private var text: Range<Int> {
    Int(token.offset)..<Int(token.offset + token.length)
  }

  /// One past the value's last byte.
  private var sourceEnd: Int {
    // Without recursion: how deep the text is, its author decides.
    var last = self
    var closings = 0
    while last.kind == .array || last.kind == .object {
      closings += 1
      guard last.next > last.index + 1 else { break }
      last = JSONElement(document: document, index: last.lastPart)
    }
    var end: Int
    switch last.token.kind {
    case .string, .escapedString: end = last.text.upperBound + 1
    case .null, .true, .false, .integer, .number: end = last.text.upperBound
    case .array, .object: end = Int(last.token.offset) + 1
    }
    // Nothing but white space is between brackets that close.
    while closings > 0, end < document.bytes.count {
      if document.bytes[end] == UInt8(ascii: "]") || document.bytes[end] == UInt8(ascii: "}") { closings -= 1 }
      end += 1
    }
    return end
  }

  /// Whether more arrays and objects are nested in the value than in any that this program writes.
  ///
  /// Code that recurses into a client's value checks this first: the reader of clients' messages has no limit of depth.
  package var isTooDeep: Bool {
    guard document.depth > JSONLimits.valueNesting else { return false }
    var ends: [UInt32] = []
    for token in document.tape[index..<next].indices {
      while let end = ends.last, end <= token { ends.removeLast() }
      guard document.tape[token].kind == .array || document.tape[token].kind == .object else { continue }
      ends.append(document.tape[token].next)
      if ends.count > JSONLimits.valueNesting { return true }
    }
    return false
  }

  /// The tape index of the last element, or of the last member's value.
  private var lastPart: Int {
    var part = token.kind == .object ? index + 2 : index + 1
    while document.tape[part].next < token.next {
      part = Int(document.tape[part].next) + (token.kind == .object ? 1 : 0)
    }
    return part
  }

  private func digits<T: FixedWidthInteger>() -> T? {
    var value: T = 0
    var text = text
    let negative = document.bytes[text.lowerBound] == UInt8(ascii: "-")
    if negative { text = text.dropFirst() }
    for index in text {
      let digit = T(truncatingIfNeeded: document.bytes[index] &- UInt8(ascii: "0"))
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) =
        negative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      if overflow || carry { return nil }
      value = sum
    }
    return value
  }

  /// The string with its escapes resolved, whose form the parser has checked.
  private func unescaped() -> String {
    var result: [UInt8] = []
    result.reserveCapacity(Int(token.length))
    var rest = document.bytes[text]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
        result.append(byte)
        continue
      }
      switch escape {
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "u"): result.append(contentsOf: String(Self.scalar(&rest)).utf8)
      default: result.append(escape)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The character of a `\u` escape; U+FFFD for half a surrogate pair, which is none (RFC 8259 §8.2).
  private static func scalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar {
    let unit = hexUnit(&rest)
    guard unit & 0xFC00 == 0xD800, let low = rest.span.lowHalf(at: 0) else { return Unicode.Scalar(unit) ?? "\u{FFFD}" }
    rest = rest.dropFirst(6)
    return Unicode.Scalar(0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(low & 0x3FF))) ?? "\u{FFFD}"
  }

  private static func hexUnit(_ rest: inout ArraySlice<UInt8>) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 { unit = unit << 4 | UInt16(rest.popFirst().flatMap(hexDigit) ?? 0) }
    return unit
  }
}
