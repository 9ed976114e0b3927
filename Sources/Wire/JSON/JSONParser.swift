/// Checks a text against RFC 8259 and writes its tape.
///
/// It makes one pass without recursion, and needs no memory besides the tape: the token of an open array or object
/// holds, as its `next`, the index of the enclosing one.
struct JSONParser {
  private typealias Token = JSONDocument.Token

  private let bytes: [UInt8]
  private var tape: [JSONDocument.Token]
  private let depthLimit: Int
  private let takesHalfPairs: Bool
  private var position = 0
  /// The tape index of the innermost open array or object; valid unless `depth` is 0.
  private var container = 0
  /// How many arrays and objects are open.
  private var depth = 0
  /// Whether all strings so far are ASCII, and none has an escape.
  private(set) var isPlain = true
  /// The most that were open at a time.
  private(set) var deepest = 0

  init(bytes: [UInt8], tape: consuming [JSONDocument.Token], limits: JSONLimits) {
    self.bytes = bytes
    self.tape = tape
    depthLimit = limits.depth
    takesHalfPairs = limits.takesHalfPairs
  }

  mutating func releaseTape() -> [JSONDocument.Token] {
    var result: [JSONDocument.Token] = []
    swap(&result, &tape)
    return result
  }

  mutating func parse() throws(JSONError) {
    try value()
    while depth > 0 {
      skipWhitespace()
      let byte = try peek()
      let isObject = tape[container].kind == .object
      switch byte {
      case UInt8(ascii: ","):
        position += 1
        skipWhitespace()
        if isObject { try key() }
        try value()
      case UInt8(ascii: "}") where isObject, UInt8(ascii: "]") where !isObject:
        position += 1
        close()
      default:
        throw failure(.unexpectedByte)
      }
    }
    skipWhitespace()
    if position < bytes.count { throw failure(.trailingBytes) }
  }

  // MARK: Values

  /// Reads a scalar; or opens a container, and goes on with its first element until a scalar or an empty container is
  /// read.
  private mutating func value() throws(JSONError) {
    while true {
      skipWhitespace()
      if depth > 0 { tape[container].length += 1 }
      switch try peek() {
      case UInt8(ascii: "\""):
        return try string()
      case UInt8(ascii: "{"):
        try push(.object)
        if try closesAtOnce(UInt8(ascii: "}")) { return }
        try key()
      case UInt8(ascii: "["):
        try push(.array)
        if try closesAtOnce(UInt8(ascii: "]")) { return }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        return try number()
      case UInt8(ascii: "t"):
        return try literal("true", .true)
      case UInt8(ascii: "f"):
        return try literal("false", .false)
      case UInt8(ascii: "n"):
        return try literal("null", .null)
      default:
        throw failure(.unexpectedByte)
      }
    }
  }

  private mutating func key() throws(JSONError) {
    guard try peek() == UInt8(ascii: "\"") else { throw failure(.unexpectedByte) }
    try string()
    skipWhitespace()
    guard try peek() == UInt8(ascii: ":") else { throw failure(.unexpectedByte) }
    position += 1
  }

  private mutating func push(_ kind: JSONDocument.Token.Kind) throws(JSONError) {
    guard depth < depthLimit else { throw failure(.tooDeep) }
    tape.append(Token(kind: kind, offset: UInt32(position), length: 0, next: UInt32(container)))
    container = tape.count - 1
    depth += 1
    if depth > deepest { deepest = depth }
    position += 1
  }

  private mutating func closesAtOnce(_ closing: UInt8) throws(JSONError) -> Bool {
    skipWhitespace()
    guard try peek() == closing else { return false }
    position += 1
    close()
    return true
  }

  private mutating func close() {
    let outer = Int(tape[container].next)
    tape[container].next = UInt32(tape.count)
    container = outer
    depth -= 1
  }

  private mutating func literal(_ text: StaticString, _ kind: JSONDocument.Token.Kind) throws(JSONError) {
    let start = position
    for index in 0..<text.utf8CodeUnitCount {
      guard try peek() == text.utf8Start[index] else { throw failure(.unexpectedByte) }
      position += 1
    }
    append(kind, from: start)
  }

  // MARK: Numbers: RFC 8259 §6

  private mutating func number() throws(JSONError) {
    let start = position
    var kind = Token.Kind.integer
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    if byte == UInt8(ascii: "0") { position += 1 } else { try digits() }
    if byte == UInt8(ascii: ".") {
      kind = .number
      position += 1
      try digits()
    }
    if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
      kind = .number
      position += 1
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { position += 1 }
      try digits()
    }
    if let byte, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { throw failure(.invalidNumber) }
    append(kind, from: start)
  }

  private mutating func digits() throws(JSONError) {
    let start = position
    while let byte, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { position += 1 }
    if position == start { throw failure(byte == nil ? .unexpectedEnd : .invalidNumber) }
  }

  // MARK: Strings: RFC 8259 §7

  private mutating func string() throws(JSONError) {
    position += 1
    let start = position
    var kind = Token.Kind.string
    var highBits: UInt8 = 0
    while true {
      let byte = try peek()
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        kind = .escapedString
        isPlain = false
        try escape()
        continue
      }
      guard byte >= 0x20 else { throw failure(.controlCharacter) }
      highBits |= byte
      position += 1
    }
    if highBits >= 0x80 {
      isPlain = false
      try checkUTF8(start..<position)
    }
    append(kind, from: start)
    position += 1
  }

  private mutating func escape() throws(JSONError) {
    position += 1
    switch try peek() {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 1
    case UInt8(ascii: "u"):
      position += 1
      let unit = try hexUnit()
      guard unit & 0xF800 == 0xD800 else { return }
      if unit & 0xFC00 == 0xD800, bytes.span.lowHalf(at: position) != nil {
        position += 6
      } else if !takesHalfPairs {
        throw failure(.loneSurrogate)
      }
    default:
      throw failure(.invalidEscape)
    }
  }

  private mutating func hexUnit() throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = hexDigit(try peek()) else { throw failure(.invalidEscape) }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  private func checkUTF8(_ range: Range<Int>) throws(JSONError) {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span.extracting(range))
    } catch {
      throw JSONError(reason: .invalidUTF8, offset: range.lowerBound + error.byteOffsets.lowerBound)
    }
  }

  // MARK: Bytes

  private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  private func peek() throws(JSONError) -> UInt8 {
    guard position < bytes.count else { throw failure(.unexpectedEnd) }
    return bytes[position]
  }

  private mutating func skipWhitespace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  private mutating func append(_ kind: JSONDocument.Token.Kind, from start: Int) {
    let next = UInt32(tape.count + 1)
    tape.append(Token(kind: kind, offset: UInt32(start), length: UInt32(position - start), next: next))
  }

  private func failure(_ reason: JSONError.Reason) -> JSONError { JSONError(reason: reason, offset: position) }
}

/// The value of a hexadecimal digit.
func hexDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}

extension Span<UInt8> {
  /// The second half of a surrogate pair whose escape begins at a position; nil if something else is there.
  func lowHalf(at position: Int) -> UInt16? {
    guard position <= count - 6, self[position] == UInt8(ascii: "\\"), self[position + 1] == UInt8(ascii: "u") else {
      return nil
    }
    var unit: UInt16 = 0
    for index in position + 2..<position + 6 {
      guard let digit = hexDigit(self[index]) else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    return unit & 0xFC00 == 0xDC00 ? unit : nil
  }
}
