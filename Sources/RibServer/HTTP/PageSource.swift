import Crypto
import Wire
import WireHTTP

/// The source of a page as far as it is served: its inline import maps, and the files that it names.
///
/// Tags with their attributes, comments, and elements whose content is text are read by the rules of HTML's tokenizer.
/// Character references (`&amp;`), CDATA sections, and comments inside a script are not read.
struct PageSource {
  /// An element that begins, and what its text is up to its end, if it is a script.
  struct Element {
    let name: String
    /// Values by names, and where they are in the source.
    let attributes: [(name: String, value: Range<Int>)]
    let text: Range<Int>
  }

  let bytes: [UInt8]
  private(set) var elements: [Element] = []

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var reader = Reader(bytes: bytes)
    while let element = reader.next() { elements.append(element) }
  }

  /// The sources of a `Content-Security-Policy` by which the page's inline import maps are allowed.
  ///
  /// A hash allows a text, whatever the script's type is. So an import map is allowed only if it is an object of JSON with members: as a
  /// program that is a syntax error.
  var importMapSources: [String] {
    elements.filter { $0.name == "script" && value(of: "type", in: $0)?.lowercased() == "importmap" }.compactMap {
      // The parser makes one line feed of both forms of a line's end.
      let source = String(decoding: bytes[$0.text], as: UTF8.self)
      let text = source.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
      guard case .object(let map)? = try? JSONValue(parsing: text), !map.isEmpty else { return nil }
      return "'sha256-\(Base64.encode(Array(SHA256.hash(data: Array(text.utf8))).span))'"
    }
  }

  /// A policy that allows the page's inline import maps too.
  func policy(_ policy: String) -> String {
    let sources = importMapSources
    guard !sources.isEmpty else { return policy }
    var directives = policy.split(separator: ";").map { $0.split(separator: " ").map(String.init) }
    directives.removeAll(where: \.isEmpty)
    func index(_ name: String) -> Int? { directives.firstIndex { $0[0].lowercased() == name } }
    // The directive that decides on inline scripts. Without one, all scripts are allowed.
    guard let decisive = index("script-src-elem") ?? index("script-src") ?? index("default-src") else { return policy }
    var allowed = directives[decisive].dropFirst().map { $0 }
    if Self.allowsInlineScripts(allowed) { return policy }
    allowed.removeAll { $0.lowercased() == "'none'" }
    if directives[decisive][0].lowercased() == "default-src" {
      directives.append(["script-src"] + allowed + sources)
    } else {
      directives[decisive] = [directives[decisive][0]] + allowed + sources
    }
    return directives.map { $0.joined(separator: " ") }.joined(separator: "; ")
  }

  /// Whether a directive's sources allow all inline scripts.
  ///
  /// Adding a hash to such sources would block the scripts.
  private static func allowsInlineScripts(_ sources: [String]) -> Bool {
    // CSP Level 3, "Does a source list allow all inline behavior for type?": 'unsafe-inline' is ignored beside these.
    let sources = sources.map { $0.lowercased() }
    let strict = ["'sha256-", "'sha384-", "'sha512-", "'nonce-", "'strict-dynamic'"]
    return sources.contains("'unsafe-inline'") && !sources.contains { strict.contains(where: $0.hasPrefix) }
  }

  /// The source with other addresses for the scripts, style sheets and icons that it names.
  ///
  /// - Parameter address: returns the address for one in the page; nil if it stays.
  /// - Returns: the source.
  func replacingAddresses(_ address: (String) -> String?) -> [UInt8] {
    var replaced: [UInt8] = []
    var index = 0
    for element in elements {
      guard let name = ["script": "src", "link": "href"][element.name], isResource(element),
        let range = element.attributes.first(where: { $0.name == name })?.value,
        let other = address(String(decoding: bytes[range], as: UTF8.self))
      else { continue }
      replaced += bytes[index..<range.lowerBound] + Array(other.utf8)
      index = range.upperBound
    }
    return replaced + bytes[index...]
  }

  /// Whether the address of an element is replaced: scripts, style sheets, fonts and icons have other addresses.
  ///
  /// Other pages may name the targets of other links. A preload has the address by which its file is asked for later: images and
  /// fetched data keep theirs.
  private func isResource(_ element: Element) -> Bool {
    guard element.name == "link" else { return true }
    let kinds = (value(of: "rel", in: element) ?? "").lowercased().split { " \t\n\r\u{c}".contains($0) }
    let isVersioned = ["script", "style", "font"].contains(value(of: "as", in: element)?.lowercased())
    return kinds.contains { ["stylesheet", "modulepreload", "icon"].contains($0) || ($0 == "preload" && isVersioned) }
  }

  private func value(of name: String, in element: Element) -> String? {
    element.attributes.first { $0.name == name }.map { String(decoding: bytes[$0.value], as: UTF8.self) }
  }

  private struct Reader {
    let bytes: [UInt8]
    var index = 0

    mutating func next() -> Element? {
      while let byte = peek() {
        guard byte == UInt8(ascii: "<") else {
          index += 1
          continue
        }
        if skip("<!--") {
          skipComment()
        } else if let first = peek(1), Self.isLetter(first) {
          return element()
        } else if peek(1) == UInt8(ascii: "/"), let first = peek(2), Self.isLetter(first) {
          index += 2
          // An end tag may have attributes, which are ignored.
          while attribute() != nil {}
        } else if let mark = peek(1), "!?/".utf8.contains(mark) {
          // A document type, or what HTML reads as a comment.
          while let byte = peek(), byte != UInt8(ascii: ">") { index += 1 }
        } else {
          index += 1
        }
      }
      return nil
    }

    private mutating func element() -> Element {
      index += 1
      let name = word { !Reader.isSpace($0) && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }.lowercased()
      var attributes: [(String, Range<Int>)] = []
      while let attribute = attribute() { attributes.append(attribute) }
      let start = index
      // The content of these elements is text.
      if ["script", "style", "textarea", "title", "iframe", "noembed", "noframes", "xmp"].contains(name) {
        while index < bytes.count, !isAtEnd(of: name) { index += 1 }
      }
      return Element(name: name, attributes: attributes, text: start..<index)
    }

    /// The next attribute of the tag that is being read; nil at the tag's end, which is skipped.
    private mutating func attribute() -> (String, Range<Int>)? {
      while let byte = peek(), Self.isSpace(byte) || byte == UInt8(ascii: "/") { index += 1 }
      guard let byte = peek() else { return nil }
      if byte == UInt8(ascii: ">") {
        index += 1
        return nil
      }
      let name = word { !Reader.isSpace($0) && !"=>/".utf8.contains($0) }.lowercased()
      while let byte = peek(), Self.isSpace(byte) { index += 1 }
      guard peek() == UInt8(ascii: "=") else {
        return (name, index..<index)
      }
      index += 1
      while let byte = peek(), Self.isSpace(byte) { index += 1 }
      let start: Int
      if let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
        index += 1
        start = index
        while let byte = peek(), byte != quote { index += 1 }
        defer { index = min(index + 1, bytes.count) }
        return (name, start..<index)
      }
      start = index
      while let byte = peek(), !Self.isSpace(byte), byte != UInt8(ascii: ">") { index += 1 }
      return (name, start..<index)
    }

    private mutating func word(_ isPart: (UInt8) -> Bool) -> String {
      let start = index
      while let byte = peek(), isPart(byte) { index += 1 }
      return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private func peek(_ distance: Int = 0) -> UInt8? { index + distance < bytes.count ? bytes[index + distance] : nil }
    private static func isSpace(_ byte: UInt8) -> Bool { " \t\n\r\u{c}".utf8.contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5a).contains(byte & 0xdf) }

    private mutating func skip(_ text: StaticString) -> Bool {
      let text = Array("\(text)".utf8)
      guard bytes[index...].starts(with: text) else { return false }
      index += text.count
      return true
    }

    /// Skips a comment's text and its end.
    private mutating func skipComment() {
      // HTML §13.2.5, "comment start state" and "comment end bang state"
      if skip(">") || skip("->") { return }
      while index < bytes.count, !skip("-->"), !skip("--!>") { index += 1 }
    }

    private func isAtEnd(of name: String) -> Bool {
      guard peek() == UInt8(ascii: "<"), peek(1) == UInt8(ascii: "/") else { return false }
      let end = bytes[(index + 2)...].prefix(name.utf8.count)
      guard end.count == name.utf8.count, zip(end, name.utf8).allSatisfy({ $0 | 0x20 == $1 }) else { return false }
      return peek(2 + end.count).map { Self.isSpace($0) || "/>".utf8.contains($0) } ?? false
    }
  }
}
