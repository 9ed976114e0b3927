import Wire

/// A script of web/ as it is served: without comments, indentation and empty lines, which are for who reads the repository.
///
/// The code is the same program, line by line: names and everything between the first and the last character of a line stay. A
/// source map leads a debugger from each line back to the source, which is in the map.
struct ServedScript {
  private(set) var code: [UInt8] = []
  /// A source map (ECMA-426) with one mapping a line.
  let map: [UInt8]

  /// The script of a source.
  ///
  /// - Parameters:
  ///   - name: the file's; its map is served beside it as `name.map`.
  ///   - source: the text, UTF-8. Where a slash may begin a regular expression or divide, the character before it decides: a
  ///     division does not follow `}` or `++`, nor an expression the `)` of a condition.
  init(name: String, source: [UInt8]) {
    var reader = ScriptReader(source: source)
    reader.read()
    code = reader.code
    let file = name.split(separator: "/").last.map(String.init) ?? name
    code += Array("\n//# sourceMappingURL=\(file).map\n".utf8)
    map = Self.map(file, source, reader.origins)
  }

  private static func map(_ file: String, _ source: [UInt8], _ origins: [ScriptReader.Origin]) -> [UInt8] {
    var mappings = ""
    var last = ScriptReader.Origin(line: 0, column: 0)
    for origin in origins {
      // Column 0 here, of the only source, at this line and column: each but the first relative to the mapping before.
      mappings += mappings.isEmpty ? "AA" : ";AA"
      mappings += variableLength(origin.line - last.line) + variableLength(origin.column - last.column)
      last = origin
    }
    var map = JSONObject()
    map["version"] = .integer(3)
    map["file"] = .string(file)
    map["sources"] = .array([.string("source/\(file)")])
    map["sourcesContent"] = .array([.string(String(decoding: source, as: UTF8.self))])
    map["names"] = .array([])
    map["mappings"] = .string(mappings)
    var writer = JSONWriter()
    JSONValue.object(map).write(into: &writer)
    return writer.bytes
  }

  /// A number as source maps have it, in digits of base 64: five bits each, the lowest first, of which one is the sign.
  private static func variableLength(_ number: Int) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var rest = number < 0 ? -number << 1 | 1 : number << 1
    var text = ""
    repeat {
      let digit = rest & 31
      rest >>= 5
      text.append(digits[rest > 0 ? digit | 32 : digit])
    } while rest > 0
    return text
  }
}

/// Reads a script, and keeps what is no comment, indentation or empty line.
private struct ScriptReader {
  /// Where a line of the code begins in the source, from 0.
  struct Origin {
    var line: Int
    var column: Int
  }

  private let source: [UInt8]
  private(set) var code: [UInt8] = []
  private(set) var origins: [Origin] = []
  private var index = 0
  private var line = 0
  /// Where the source's line begins.
  private var lineStart = 0
  /// Whether the next character is the first of a line of the code.
  private var isAtStart = true
  /// How many braces are open in each template's expression that is being read, the innermost last.
  private var templates: [Int] = []

  init(source: [UInt8]) { self.source = source }

  mutating func read() {
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\n"): endLine()
      case UInt8(ascii: " "), UInt8(ascii: "\t"):
        if isAtStart { skip() } else { keep() }
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"):
        while let next = peek(), next != UInt8(ascii: "\n") { skip() }
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): skipBlock()
      case UInt8(ascii: "/") where beginsExpression: keepLiteral(until: byte)
      case UInt8(ascii: "\""), UInt8(ascii: "'"): keepLiteral(until: byte)
      case UInt8(ascii: "`"):
        keep()
        keepTemplate()
      case UInt8(ascii: "{"):
        if !templates.isEmpty { templates[templates.count - 1] += 1 }
        keep()
      case UInt8(ascii: "}"):
        keep()
        guard let open = templates.last else { continue }
        templates[templates.count - 1] = open - 1
        if open == 0 {
          templates.removeLast()
          keepTemplate()
        }
      default: keep()
      }
    }
    trim()
    if isAtStart, code.last == UInt8(ascii: "\n") { code.removeLast() }
  }

  private func peek(_ distance: Int = 0) -> UInt8? {
    index + distance < source.count ? source[index + distance] : nil
  }

  private mutating func skip() {
    if source[index] == UInt8(ascii: "\n") {
      line += 1
      lineStart = index + 1
    }
    index += 1
  }

  private mutating func keep() {
    let byte = source[index]
    if isAtStart { origins.append(Origin(line: line, column: index - lineStart)) }
    isAtStart = byte == UInt8(ascii: "\n")
    code.append(byte)
    skip()
  }

  /// The end of a line outside of literals: nothing if there was nothing on it.
  private mutating func endLine() {
    trim()
    if isAtStart { skip() } else { keep() }
  }

  private mutating func trim() {
    while !isAtStart, code.last == UInt8(ascii: " ") || code.last == UInt8(ascii: "\t") { code.removeLast() }
  }

  /// A comment between two tokens parts them, and one with lines ends the line.
  private mutating func skipBlock() {
    let first = line
    skip()
    skip()
    while peek() != nil, !(peek() == UInt8(ascii: "*") && peek(1) == UInt8(ascii: "/")) { skip() }
    if peek() != nil {
      skip()
      skip()
    }
    guard !isAtStart else { return }
    trim()
    code.append(UInt8(ascii: line > first ? "\n" : " "))
    isAtStart = line > first
  }

  /// Whether a slash begins a regular expression here: where no value ends before it, there is nothing to divide.
  private var beginsExpression: Bool {
    guard let last = code.last(where: { !" \t\n".utf8.contains($0) }) else { return true }
    if "(,=:[!&|?{};+-*%<>~^".utf8.contains(last) { return true }
    let word = code.reversed().drop { " \t\n".utf8.contains($0) }.prefix { isWordPart($0) }
    return Self.operators.contains(String(decoding: word.reversed(), as: UTF8.self))
  }

  private static let operators: Set = [
    "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "await", "yield",
  ]

  private func isWordPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "#"), 0x80...:
      true
    default: false
    }
  }

  /// A string, or a regular expression, in whose classes a slash ends nothing.
  private mutating func keepLiteral(until end: UInt8) {
    var isInClass = false
    keep()
    while let byte = peek(), byte != UInt8(ascii: "\n") {
      keep()
      if byte == UInt8(ascii: "\\"), peek() != nil { keep() }
      guard end == UInt8(ascii: "/") else {
        if byte == end { return }
        continue
      }
      if byte == UInt8(ascii: "[") { isInClass = true }
      if byte == UInt8(ascii: "]") { isInClass = false }
      if byte == end, !isInClass { return }
    }
  }

  /// The text of a template, to its end or to its next expression.
  private mutating func keepTemplate() {
    while let byte = peek() {
      keep()
      if byte == UInt8(ascii: "\\"), peek() != nil { keep() }
      if byte == UInt8(ascii: "`") { return }
      if byte == UInt8(ascii: "$"), peek() == UInt8(ascii: "{") {
        keep()
        return templates.append(0)
      }
    }
  }
}
