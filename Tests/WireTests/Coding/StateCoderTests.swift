import Foundation
import Testing

@testable import Wire

/// Values that only the program itself reads again come back exactly as they were.
struct StateCoderTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let isSame: @Sendable () throws -> Bool

    init<Value: Codable & Sendable>(
      _ value: Value, _ name: String? = nil, by areSame: @escaping @Sendable (Value, Value) -> Bool
    ) {
      testDescription = name ?? "\(value)"
      isSame = { areSame(try StateCoderTests.roundTrip(value), value) }
    }

    init<Value: Codable & Equatable & Sendable>(_ value: Value, _ name: String? = nil) {
      self.init(value, name) { $0 == $1 }
    }
  }

  enum Tab: String, Codable { case home, finance }
  enum Level: Int, Codable { case low = -1, high = 7 }
  struct Place: Codable, Hashable { var x, y: Int }

  struct Everything: Codable, Equatable {
    var date = Date(timeIntervalSinceReferenceDate: 0.1 + 0.2)
    var never = Double.infinity
    var tabs = [Tab.home: 1, .finance: 2]
    var levels = [Level.high: [Tab.finance: Date(timeIntervalSinceReferenceDate: 1e-7)]]
    var places = [Place(x: 1, y: 2): "a", Place(x: 2, y: 1): "b"]
    var price = Decimal(string: "0.1")
    var data: Data? = Data([0, 255])
    var maybe: Int??
    var set: Set<Place> = [Place(x: 0, y: 0), Place(x: 0, y: 1)]
  }

  // MARK: Dates

  @Test(arguments: [
    0, 0.1 + 0.2, 1e-9, -1e-9, 721_000_000.123_456_7, 721_000_000.123_456_8, -63_114_076_800, 64_092_211_200.999_999,
    1.7e15, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
  ])
  func date_keepsAllItsDigits(seconds: Double) throws {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    #expect(try Self.roundTrip(date).timeIntervalSinceReferenceDate.bitPattern == seconds.bitPattern)
    #expect(try Self.roundTrip([date, nil]) == [date, nil])
    #expect(try Self.roundTrip(["a": date]) == ["a": date])
  }

  // MARK: Numbers

  @Test(arguments: [
    0, -0.0, .infinity, -.infinity, .nan, -.nan, .signalingNaN, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
    .leastNormalMagnitude, 0.1, 1 / 3,
  ])
  func double_comesBackAsItWas(number: Double) throws {
    let inDictionary = try #require(try Self.roundTrip(["a": number])["a"])
    for value in [try Self.roundTrip(number), try Self.roundTrip([number])[0], inDictionary] {
      if number.isNaN { #expect(value.isNaN) } else { #expect(value.bitPattern == number.bitPattern) }
    }
  }

  @Test(arguments: [0, -0.0, .infinity, -.infinity, .nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1])
  func float_comesBackAsItWas(number: Float) throws {
    for value in [try Self.roundTrip(number), try Self.roundTrip([number])[0]] {
      if number.isNaN { #expect(value.isNaN) } else { #expect(value.bitPattern == number.bitPattern) }
    }
  }

  @Test func integers_comeBackAsTheyWere() throws {
    for value in [Int.min, .max, 0, -1] { #expect(try Self.roundTrip(value) == value) }
    #expect(try Self.roundTrip([UInt64.max, 0]) == [.max, 0])
    #expect(try Self.roundTrip([Int128.min, .max]) == [.min, .max])
    #expect(try Self.roundTrip([Int8.min, .max]) == [.min, .max])
  }

  // MARK: Other types

  static let rows: [Row] = [
    Row([Tab.home: 1, .finance: 2]), Row([Level.low: "a", .high: "b"]), Row([Tab: Int]()),
    Row([Tab.home: [Level.low: Tab.finance]]), Row([Place(x: 1, y: 2): Place(x: 3, y: 4)]),
    Row([1.5: "a", .infinity: "b", -0.5: "c"] as [Double: String]), Row([Date(timeIntervalSinceReferenceDate: 0.1): 1]),
    Row(["": 1, "a/b": 2, "\u{E9}": 3]), Row([-1: "a", .max: "b"]), Row(Set([Tab.home, .finance])),
    Row(Decimal(string: "0.1")), Row(Decimal(string: "-12345678901234567890123456789.012345678")),
    Row(Decimal.greatestFiniteMagnitude), Row([Decimal(1) / Decimal(3): [Decimal(0)]]),
    Row(Data()), Row(Data((0...255).map { UInt8($0) })), Row([Data([1]), nil]),
    Row(URL(string: "https://example.org/a?b=%C3%A9#c")),
    Row(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))),
    Row(Int?.none), Row(Int?.some(3)), Row([1, nil, 3] as [Int?]), Row(["a": nil, "b": 1] as [String: Int?]),
    Row("a\u{0}\u{1F}\"\\/\u{7F}\u{2028}\u{E9}e\u{301}\u{1F600}"), Row(true), Row([[[Int]]]()), Row([[], [[1], []]]),
    Row(Everything(), "everything"), Row(Everything(price: nil, data: nil, maybe: 3), "everything else"),
    Row([Everything(never: -.infinity)], "a list of everything"),
  ]

  @Test(arguments: rows)
  func value_comesBackAsItWas(row: Row) throws {
    #expect(try row.isSame())
  }

  @Test func strings_comeBackWithTheSameUnicode() throws {
    let composed = "\u{E9}"
    let decomposed = "e\u{301}"
    #expect(try Array(Self.roundTrip(composed).utf8) == Array(composed.utf8))
    #expect(try Array(Self.roundTrip(decomposed).utf8) == Array(decomposed.utf8))
  }

  /// Every copy of a dictionary has an order of its own.
  @Test func dictionaryWithOddKeys_isWrittenInOneOrder() throws {
    let dates = (0..<50).map { (Double($0) * 1.5, Date(timeIntervalSinceReferenceDate: Double($0))) }
    let text = try StateCoder.encode(Dictionary(uniqueKeysWithValues: dates))
    for _ in 0..<10 {
      #expect(try StateCoder.encode(Dictionary(uniqueKeysWithValues: dates.shuffled())) == text)
      #expect(
        try StateCoder.encode(
          StateCoder.decode([Double: Date].self, from: StateCoder.read(String(decoding: text, as: UTF8.self)))) == text)
    }
  }

  // MARK: Nested optionals

  struct Nested: Codable, Equatable {
    var value: Int??
    var list: [Int??]
  }

  @Test func nestedOptional_thatIsThere_comesBack() throws {
    #expect(try Self.roundTrip(Nested(value: 3, list: [3])) == Nested(value: 3, list: [3]))
    #expect(try Self.roundTrip(Nested(value: nil, list: [])) == Nested(value: nil, list: []))
  }

  // MARK: Damage

  @Test(arguments: ["", "{", "[1,]", "nul"])
  func damagedText_isRefused(text: String) {
    #expect(throws: JSONError.self) { try StateCoder.read(text) }
  }

  @Test func otherValue_isRefused() throws {
    let text = try StateCoder.read(#"{"x":1,"y":"two"}"#)
    #expect(throws: DecodingError.self) { try StateCoder.decode(Place.self, from: text) }
  }

  private static func roundTrip<Value: Codable>(_ value: Value) throws -> Value {
    let text = String(decoding: try StateCoder.encode(value), as: UTF8.self)
    return try StateCoder.decode(from: try StateCoder.read(text))
  }
}
