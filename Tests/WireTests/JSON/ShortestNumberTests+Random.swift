import RibTestSupport
import Testing

@testable import Wire

/// Any double, against an implementation of the rule that shares nothing with the writer but the shortest digits.
extension ShortestNumberTests {
  @Test("10,000 numbers of every kind: ECMAScript's layout, and back to the bit", arguments: TestRun.seeds(1, new: 1))
  func randomNumber_hasECMAScriptsLayout(seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    var counts: [Layout: Int] = [:]
    for _ in 0..<5_000 {
      let number = Self.randomNumber(using: &generator)
      let layout = try Self.requireLayout(of: number, "seed \(seed)")
      counts[layout, default: 0] += 1
    }
    for layout in Layout.allCases { #expect(counts[layout, default: 0] > 10, "seed \(seed): \(layout)") }
  }

  @Test("every exponent, with the least and the greatest fraction and some between", arguments: TestRun.seeds(1))
  func everyExponent_hasECMAScriptsLayout(seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    let greatest = UInt64(1) << 52 - 1
    for exponent in UInt64(0)...2046 {
      for fraction in [0, 1, greatest, UInt64.random(in: 0...greatest, using: &generator)] {
        _ = try Self.requireLayout(of: Double(bitPattern: exponent << 52 | fraction), "seed \(seed)")
      }
    }
  }

  /// The steps of ECMA-262 §6.1.6.1.20, Number::toString, that lay digits out.
  private enum Layout: CaseIterable {
    /// Steps 2 and 3: not a digit but 0.
    case zero
    /// Step 7: digits, and zeros up to the decimal point.
    case whole
    /// Step 8: the decimal point among the digits.
    case point
    /// Step 9: the decimal point and zeros before the digits.
    case small
    /// Step 12, 13: an exponent after one digit, or after several.
    case exponent, longExponent
  }

  /// Checks the text of a number and of its opposite, and what is read from it.
  private static func requireLayout(of number: Double, _ comment: String) throws -> Layout {
    let (layout, text) = text(of: number)
    for (number, expected) in [(number, text), (-number, "-\(text)")] {
      let written = JSONWriter.text { $0.number(number) }
      try #require(written == expected, "\(comment): bits \(number.bitPattern)")
      try #require(try JSONElement(parsing: written).double?.bitPattern == number.bitPattern, "\(comment): \(written)")
      // The canonical text of zero has no sign.
      try #require(JSONValue.number(number).text == (number == 0 ? "0" : expected), "\(comment): \(written)")
    }
    return layout
  }

  /// The text of a finite number that is not negative, and the step that makes it.
  private static func text(of number: Double) -> (Layout, String) {
    guard number != 0 else { return (.zero, "0") }
    let (digits, n) = shortest(number)
    let k = digits.count
    let zeros = { (count: Int) in String(repeating: "0", count: count) }
    if k <= n, n <= 21 { return (.whole, digits + zeros(n - k)) }
    if 0 < n, n <= 21 { return (.point, "\(digits.prefix(n)).\(digits.dropFirst(n))") }
    if -6 < n, n <= 0 { return (.small, "0." + zeros(-n) + digits) }
    let exponent = "e\(n > 0 ? "+" : "-")\(abs(n - 1))"
    return k == 1
      ? (.exponent, digits + exponent) : (.longExponent, "\(digits.prefix(1)).\(digits.dropFirst())\(exponent)")
  }

  /// The digits of which Swift's description consists, without zeros at either end, and the place of the decimal point
  /// after the first of them: the number is `0.DIGITS` times ten to that power.
  private static func shortest(_ number: Double) -> (digits: String, point: Int) {
    let parts = number.description.split(separator: "e")
    let mantissa = parts[0].split(separator: ".")
    let (whole, fraction) = (mantissa[0], mantissa.count > 1 ? mantissa[1] : "")
    let all = whole + fraction
    let leading = all.prefix { $0 == "0" }.count
    var digits = String(all.dropFirst(leading))
    while digits.last == "0" { digits.removeLast() }
    let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    return (digits, whole.count - leading + exponent)
  }

  private static func randomNumber(using generator: inout SeededGenerator) -> Double {
    func nearby(_ number: Double) -> Double {
      let steps = Int64.random(in: -2...2, using: &generator)
      return Double(bitPattern: UInt64(max(0, Int64(bitPattern: number.magnitude.bitPattern) + steps)))
    }
    let number =
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: Double(bitPattern: generator.next()).magnitude
      case 1: Double(bitPattern: generator.next() >> UInt64.random(in: 12...63, using: &generator))
      case 2: Double((1 << 53) + Int.random(in: -1000...1000, using: &generator))
      case 3: nearby(Double("1e\(Int.random(in: -324...308, using: &generator))") ?? 0)
      case 4: nearby(Double("1e\(Int.random(in: -8...23, using: &generator))") ?? 0)
      case 5: Double(Int.random(in: 0...9999, using: &generator)) / 1000
      case 6: Double(UInt64.random(in: 0 ... .max, using: &generator))
      default: Double(Int.random(in: 0...20, using: &generator))
      }
    // Random bits may be those of an infinity or of no number.
    return number.isFinite ? number : .greatestFiniteMagnitude
  }
}
