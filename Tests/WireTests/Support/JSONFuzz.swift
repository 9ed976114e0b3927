import Foundation
import RibTestSupport

@testable import Wire

/// Texts near JSON, and the opinion of another parser of them.
enum JSONFuzz {
  static let seeds = [
    #"{"t":"act","n":1,"to":"tabs[0]/detail","a":{"increment":{}}}"#,
    #"[0,-0,1.5,-2.25e-3,1E+2,123456789012345678,9007199254740993,18446744073709551615,0.1]"#,
    #"{"a":{"b":{"c":[[],{},[{}],null,true,false]}},"":"","a b":[1,2,3]}"#,
    #"["\"\\\/\b\f\n\r\t","\u0041\u00e9\u20ac","\ud83d\ude00","é€😀","plain"]"#,
    " { \"spaced\" : [ 1 , 2 ] ,\n\t\"out\" : \"x\" }\r\n",
    #""a string alone""#, "-12.5e1", "true", "null",
    #"[[[[[[[[1]]]]]]]]"#,
  ]

  static let pieces = [
    ",", ":", "[", "]", "{", "}", "\"", "\\", "\\u", "\\ud83d", "\\ude00", "\\n", "0", "1", "9", "-", "+", ".", "e",
    "E",
    "e5", "null", "true", "false", " ", "\n", "\"a\"", "\"a\":1", "[]", "{}", "é", "\u{1F600}", "/", "\u{1F}", "\u{7F}",
  ]

  /// One of the seeds with some bytes changed, removed, put in or moved.
  static func text(using generator: inout SeededGenerator) -> [UInt8] {
    var text = Array((seeds.randomElement(using: &generator) ?? "").utf8)
    for _ in 0..<Int.random(in: 0...3, using: &generator) where !text.isEmpty {
      let start = Int.random(in: 0..<text.count, using: &generator)
      let end = Int.random(in: start...min(text.count, start + 4), using: &generator)
      let piece = Array((pieces.randomElement(using: &generator) ?? "").utf8)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: text[start] = UInt8.random(in: 1...255, using: &generator)
      case 1: text.removeSubrange(start..<end)
      case 2: text.replaceSubrange(start..<end, with: piece)
      case 3: text.insert(contentsOf: text[start..<end], at: Int.random(in: 0...text.count, using: &generator))
      case 4: text.insert(contentsOf: piece, at: start)
      default: text.removeSubrange(end...)
      }
    }
    return text
  }

  /// What Foundation makes of a text; nil if it refuses it.
  static func foundation(_ text: [UInt8]) -> Any? {
    try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
  }

  /// Whether Foundation is known to take such a text though RFC 8259 does not.
  ///
  /// It reads a comma before a closing bracket, UTF-16, UTF-32 and a byte order mark.
  static func isLenient(about text: [UInt8]) -> Bool {
    let tokens = text.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let hasTrailingComma = zip(tokens, tokens.dropFirst()).contains { $0 == 0x2C && ($1 == 0x5D || $1 == 0x7D) }
    return hasTrailingComma || text.contains(0) || [0xEF, 0xFE, 0xFF].contains(text.first)
  }

  /// Whether every number in a value is one for a double too.
  static func isFinite(_ element: JSONElement) -> Bool {
    switch element.kind {
    case .number: element.double != nil
    case .array: elements(of: element).allSatisfy(isFinite)
    case .object: members(of: element).values.allSatisfy(isFinite)
    default: true
    }
  }

  /// Whether a value means the same as Foundation's.
  static func isSame(_ element: JSONElement, as theirs: Any) -> Bool {
    switch theirs {
    case is NSNull: element.isNull
    case let string as String: element.string.map { haveSameUTF8($0, string) } ?? false
    case let array as [Any]:
      element.kind == .array && elements(of: element).elementsEqual(array, by: isSame)
    case let object as [String: Any]:
      element.kind == .object && isSame(members(of: element), as: object)
    // "c", a C boolean: the one way to tell true from 1.
    case let number as NSNumber where String(cString: number.objCType) == "c": element.bool == number.boolValue
    case let number as NSNumber: element.double.map { isSame($0, element, as: number) } ?? false
    default: false
    }
  }

  private static func isSame(_ ours: [String: JSONElement], as theirs: [String: Any]) -> Bool {
    ours.count == theirs.count && ours.allSatisfy { key, value in theirs[key].map { isSame(value, as: $0) } ?? false }
  }

  private static func isSame(_ ours: Double, _ element: JSONElement, as theirs: NSNumber) -> Bool {
    // Its decimals are rounded more than once.
    if theirs is NSDecimalNumber { return abs(ours - theirs.doubleValue) <= 8 * ours.ulp }
    if let integer = element.integer(Int64.self), integer != theirs.int64Value { return false }
    if let integer = element.integer(UInt64.self), integer != theirs.uint64Value { return false }
    return ours == theirs.doubleValue
  }

  private static func elements(of array: JSONElement) -> [JSONElement] {
    var elements: [JSONElement] = []
    elements += array.elements
    return elements
  }

  private static func members(of object: JSONElement) -> [String: JSONElement] {
    var members: [String: JSONElement] = [:]
    object.forEachMember { key, value in members[key.string ?? ""] = value }
    return members
  }
}
