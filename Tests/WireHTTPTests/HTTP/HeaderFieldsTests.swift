import Testing

@testable import WireHTTP

@Suite("RFC 9110 §5 Fields")
struct HeaderFieldsTests {
  static let fields: HeaderFields = [
    "Connection": "keep-alive,\tUpgrade ", "X-Key": "one", "x-kEY": "two", "CONNECTION": ",, close", "Empty": "",
  ]

  @Test("§5.1: a name's case is of no matter", arguments: ["X-Key", "x-key", "X-KEY"])
  func lookup_ignoresCase(name: String) {
    #expect(Self.fields[name] == "one")
    #expect(Self.fields.values(for: name) == ["one", "two"])
  }

  @Test(
    "only the case of ASCII letters is of no matter",
    arguments: ["X-Ke", "X-Keys", "X_Key", "X\rKey", "X-\u{212A}ey", ""])
  func lookup_findsNoOtherName(name: String) {
    #expect(Self.fields[name] == nil)
    #expect(Self.fields.values(for: name).isEmpty)
  }

  @Test("what is punctuation apart by the letters' bit is not equal")
  func lookup_keepsPunctuationApart() {
    let fields: HeaderFields = ["a^b": "1"]
    #expect(fields["a~b"] == nil)
    #expect(fields["A^B"] == "1")
  }

  @Test("the order and the spelling stay")
  func append_keepsOrderAndSpelling() {
    #expect(Self.fields.fields.map(\.name) == ["Connection", "X-Key", "x-kEY", "CONNECTION", "Empty"])
    #expect(Self.fields.count == 5)
  }

  @Test("§5.6.1: a token is found in every line and place", arguments: ["keep-alive", "UPGRADE", "close"])
  func contains_findsTokens(token: String) {
    #expect(Self.fields.contains(token: token, in: "connection"))
  }

  @Test("a part of an element is no token", arguments: ["keep", "alive", "Upgrad", "keep-alive,\tUpgrade", "one"])
  func contains_findsNoParts(token: String) {
    #expect(!Self.fields.contains(token: token, in: "connection"))
  }

  @Test("a comma with a combining mark after it is still a comma")
  func contains_separatesBytesNotCharacters() {
    let fields: HeaderFields = ["A": "x,\u{301}, y"]
    #expect(fields.contains(token: "x", in: "A"))
  }

  @Test("an empty value has no tokens")
  func contains_findsNothingInAnEmptyValue() {
    #expect(!Self.fields.contains(token: "x", in: "Empty"))
    #expect(Self.fields["Empty"] == "")
  }

  @Test("a name that is none is the program's mistake")
  func append_trapsOnBadName() async {
    await #expect(processExitsWith: .failure) {
      var fields = HeaderFields()
      fields.append(name: "A: b\r\nC", value: "d")
    }
  }
}

@Suite("RFC 9112 §5 Field syntax")
struct HeaderFieldsParsingTests {
  static let accepted: [(line: String, name: String, value: String)] = [
    ("A: b", "A", "b"),
    ("A:b", "A", "b"),
    ("A:  \t b c\td \t", "A", "b c\td"),
    ("A:", "A", ""),
    ("A: \t", "A", ""),
    ("A: b:c", "A", "b:c"),
    ("A: \"b\"", "A", "\"b\""),
    ("!#$%&'*+-.^_`|~09azAZ: b", "!#$%&'*+-.^_`|~09azAZ", "b"),
    ("A: !~", "A", "!~"),
    // Of another character than ASCII's only that it was there is kept.
    ("A: \u{C3}\u{A9}", "A", "\u{FFFD}"), ("A: b\u{CD}\u{84}\u{CC}\u{B4}", "A", "b\u{FFFD}\u{FFFD}"),
    ("A: \u{F0}\u{9F}\u{87}\u{A6}", "A", "\u{FFFD}"),
    ("A: \u{80}\u{FF}", "A", "\u{FFFD}\u{FFFD}"),
  ]

  @Test("name and value are read", arguments: accepted)
  func fieldLine_isRead(line: String, name: String, value: String) throws {
    let head = try RequestReader.accept(wireBytes("GET / HTTP/1.1\r\nHost: h\r\n\(line)\r\n\r\n"))
    #expect(head.headers.fields.map(\.name) == ["Host", name])
    #expect(head.headers.fields.map(\.value) == ["h", value])
  }

  @Test(
    "what is malformed is refused",
    arguments: [
      "A", ": b", "A : b", "A\t: b", " A: b", "\tA: b", "A: b\r\n c", "A: b\r\n\tc", "A: b\r\n \r\nC: d", "A B: c",
      "A(: b", "A\u{E9}: b", "A\u{0}: b", "A: b\u{0}", "A: b\u{1}", "A: \u{1B}[0m", "A: b\u{7F}", "A: b\u{B}c",
      "A: b\rC: d", "A: b\r\rC: d", "A: b\nC: d", "A: b\n\r\nC: d", "\r",
    ])
  func malformedFieldLine_isRefused(lines: String) throws {
    let input = wireBytes("GET / HTTP/1.1\r\nHost: h\r\n\(lines)\r\n\r\n")
    #expect(try RequestReader.refuse(input).status == .badRequest)
  }

  @Test("§5.2: the first line cannot be folded either")
  func foldedFirstLine_isRefused() throws {
    #expect(try RequestReader.refuse(wireBytes("GET / HTTP/1.1\r\n Host: h\r\n\r\n")).status == .badRequest)
  }

  @Test func elements_areFoundFromEitherEnd() {
    let fields: HeaderFields = ["X-List": "a,\t b b ,,", "Other": "x", "x-list": "", "X-LIST": " c"]
    let elements = ["a", "b b", "", "", "", "c"]
    #expect(fields.elements(of: "X-List").map(String.init) == elements)
    #expect(fields.reversedElements(of: "X-List").map(String.init) == elements.reversed())
    #expect(Array(fields.elements(of: "Missing")).isEmpty && Array(fields.reversedElements(of: "Missing")).isEmpty)
  }

  /// What is behind them cannot be taken for a list of those alone.
  @Test func elements_areLimited() {
    let all = (1...100).map(String.init)
    let fields: HeaderFields = ["A": all.joined(separator: ","), "A": "x,y"]
    let forward = fields.elements(of: "A").map(String.init)
    #expect(forward == Array(all[..<64]) + [all[64...].joined(separator: ","), "x,y"])
    let backward = fields.reversedElements(of: "A").map(String.init)
    #expect(backward == ["y", "x"] + all[38...].reversed() + [all[..<38].joined(separator: ",")])
    #expect(!fields.contains(token: "80", in: "A") && fields.contains(token: "64", in: "A"))
  }
}
