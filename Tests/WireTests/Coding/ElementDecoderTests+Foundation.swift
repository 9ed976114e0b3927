import Foundation
import Testing

@testable import Wire

/// What Foundation's decoder takes and refuses, with which error and where, is what ours does.
@Suite("Decoding, compared with Foundation's")
struct ElementDecoderFoundationTests {
  enum Color: String, Codable, CodingKeyRepresentable { case red, green }
  enum Number: Int, Codable, CodingKeyRepresentable { case one = 1, two }

  struct Widths: Codable, Equatable {
    var ints: [Int8] = [.min, .max]
    var int16: Int16? = .min
    var int32 = Int32.max
    var uint8 = UInt8.max
    var uint16 = [UInt16.max]
    var uint32: UInt32? = .max
    var int64 = Int64.min
    var uint64 = UInt64(Int64.max)
    var floats: [Float?] = [0.1, nil]
    var double = 0.1
  }

  struct Keyed: Codable, Equatable {
    var colors: [Color: Int] = [.red: 1]
    var numbers: [Number: [Color: Bool]] = [.two: [.green: true]]
    var ints: [Int: Int?] = [-1: nil]
    var words = ["": ["a": 1]]
    var pairs = [Level.low: "a"]
  }

  static func comparisons() throws -> [DecodingComparison] {
    [
      try DecodingComparison(Widths()), try DecodingComparison(Keyed()), try DecodingComparison(true),
      try DecodingComparison(7), try DecodingComparison(Int?.some(7)), try DecodingComparison([1, nil] as [Int?]),
      try DecodingComparison([1.5]), try DecodingComparison(["a", ""]), try DecodingComparison([[[1], []], []]),
      try DecodingComparison(["a": 1]), try DecodingComparison(["a": nil, "b": [1]] as [String: [Int]?]),
      try DecodingComparison([1: ["x"], -2: []]), try DecodingComparison([Color.red: [Color.green: 1]]),
      try DecodingComparison(Set(["a"])), try DecodingComparison(1..<5),
      try DecodingComparison(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))),
      try DecodingComparison(Tab.finance), try DecodingComparison([Level.low, .high]),
      try DecodingComparison([Tab.home: 1]), try DecodingComparison(Empty()),
      try DecodingComparison(HoldsEmpty(none: Empty())),
      try DecodingComparison(
        Person(
          name: "Ada", nickname: nil, age: 36, tags: ["x"], address: Address(street: "s", number: 1),
          friends: [Person(name: "B", nickname: "b", age: 0, tags: [], address: nil)])),
      try DecodingComparison(Renamed(first: 1, second: ["~": 2])),
      try DecodingComparison(Pair(first: Pair(first: 1.5, second: "a"), second: [Wrapped("b")])),
      try DecodingComparison(Animal(legs: 4)), try DecodingComparison(Bird(canFly: true)),
      try DecodingComparison(Wrapped("a")), try DecodingComparison([Wrapped("a")]),
      try DecodingComparison(
        ByHand(x: 1, y: 2.5, names: ["a"], address: Address(street: "s", number: 3), maybe: 4)),
    ]
  }

  @Test("a text that differs in one place is decoded alike, or refused for the same reason at the same place")
  func neighbours_areDecodedAlike() throws {
    for comparison in try Self.comparisons() { try expectNoDifference(comparison) }
  }

  /// But for a case with an optional payload, whose object with other keys is the payload itself to us.
  @Test("whatever is an enum to Foundation is the same enum to us")
  func enums_areDecodedAlike() throws {
    let tree = Tree.branch(left: .leaf(0.5), right: .branch(left: .leaf(1), right: .leaf(-2)))
    for comparison in [
      try DecodingComparison(Screen.detail(id: 1, title: "t"), hasShortForms: true),
      try DecodingComparison(Screen.detail(id: 1, title: nil), hasShortForms: true),
      try DecodingComparison([Screen.empty, .pair(1, "a")], hasShortForms: true),
      try DecodingComparison(Screen.nested(.list([1, 2]), level: .low), hasShortForms: true),
      try DecodingComparison(tree, hasShortForms: true),
    ] { try expectNoDifference(comparison) }
  }

  private func expectNoDifference(_ comparison: DecodingComparison) throws {
    let texts = try comparison.neighbours()
    #expect(texts.count > 20)
    for text in [comparison.text] + texts {
      if let difference = comparison.difference(text) {
        Issue.record("\(comparison.name) of \(text): \(difference)")
      }
    }
  }

  /// Numbers as JSON may write them, and beyond what the types hold.
  static let numbers = [
    "0", "-0", "1", "-1", "127", "128", "-128", "-129", "255", "256", "32767", "32768", "-32769", "65535", "65536",
    "2147483647", "2147483648", "-2147483649", "4294967295", "4294967296", "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
    "18446744073709551616", "1.0", "1.5", "-0.0", "1e2", "1E+2", "25e-1", "1e-1", "16777217", "1e38", "1e39", "1e308",
  ]

  @Test("a number is, or is not, one of a type", arguments: numbers)
  func number_isOneOfAType(text: String) throws {
    try expectSameNumber(0, in: text)
    try expectSameNumber(Int8(0), in: text)
    try expectSameNumber(Int16(0), in: text)
    try expectSameNumber(Int32(0), in: text)
    try expectSameNumber(Int64(0), in: text)
    try expectSameNumber(UInt(0), in: text)
    try expectSameNumber(UInt8(0), in: text)
    try expectSameNumber(UInt16(0), in: text)
    try expectSameNumber(UInt32(0), in: text)
    try expectSameNumber(UInt64(0), in: text)
    try expectSameNumber(0.0, in: text)
    try expectSameNumber(Float(0), in: text)
  }

  private func expectSameNumber<Number: Codable & Equatable & SendableMetatype>(_ zero: Number, in text: String) throws
  {
    for comparison in [try DecodingComparison([zero]), try DecodingComparison(["a": zero])] {
      let json = comparison.text.hasPrefix("[") ? "[\(text)]" : "{\"a\":\(text)}"
      if let difference = comparison.difference(json) { Issue.record("\(comparison.name) of \(json): \(difference)") }
    }
  }
}
