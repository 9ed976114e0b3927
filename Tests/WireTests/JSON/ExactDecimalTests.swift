import Testing

@testable import Wire

@Suite("Decimal numbers with all their digits")
struct ExactDecimalTests {
  @Test(
    "texts of one number are the same",
    arguments: [
      ["0", "-0", "0.000", "0e7", "0e99999999999"], ["1", "1.0", "10e-1", "0.1e1", "+1", "01", "1."],
      ["-1200", "-1.2e3", "-12E2", "-0.0012e+006"], ["0.001", "1e-3", ".001"],
    ])
  func texts_areOneNumber(texts: [String]) {
    let numbers = texts.map { ExactDecimal($0) }
    #expect(numbers.allSatisfy { $0 != nil && $0 == numbers.first })
  }

  @Test("other numbers are others", arguments: [("1", "-1"), ("1", "10"), ("1.00000000000000000000000001", "1")])
  func numbers_differ(ours: String, theirs: String) {
    #expect(ExactDecimal(ours) != ExactDecimal(theirs))
  }

  @Test(
    "what is no number is none",
    arguments: ["", "-", ".", "e1", "1e", "1e-", "--1", "1.2.3", "1e1e1", "1 ", "é", "1e1234567890"])
  func otherText_isNoNumber(text: String) { #expect(ExactDecimal(text) == nil) }

  @Test("an integer is held to its type")
  func integer_isHeldToItsType() {
    #expect(ExactDecimal("-1.28e2")?.integer() == Int8.min)
    #expect(ExactDecimal("128")?.integer(Int8.self) == nil)
    #expect(ExactDecimal("340282366920938463463374607431768211455")?.integer() == UInt128.max)
    #expect(ExactDecimal("340282366920938463463374607431768211456")?.integer(UInt128.self) == nil)
    #expect(ExactDecimal("1e999999999")?.integer(Int.self) == nil)
    #expect(ExactDecimal("1.5")?.integer(Int.self) == nil)
  }
}
