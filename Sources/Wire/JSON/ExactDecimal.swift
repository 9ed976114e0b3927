/// The digits and the exponent of a decimal number, of which no digit is lost.
struct ExactDecimal: Equatable {
  /// Whether the number is below zero; false for −0.
  private(set) var isNegative = false
  /// The digits from the first to the last that is not 0; empty for 0.
  private(set) var digits: [UInt8] = []
  /// The power of ten that the last digit counts; 0 for 0.
  private(set) var exponent = 0

  /// Reads a number: digits with a sign, a point and an exponent as RFC 8259 §6 has them, and also `+1`, `01`, `.5` and `1.`.
  ///
  /// - Parameter text: the whole of it; nil if it is something else, or its exponent has more than nine digits.
  init?(_ text: String) {
    var rest = text.utf8[...]
    isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    var hasDigits = false
    var isFraction = false
    loop: while let byte = rest.first {
      switch byte {
      case 48...57:
        hasDigits = true
        if isFraction { exponent -= 1 }
        if byte != 48 || !digits.isEmpty { digits.append(byte) }
      case UInt8(ascii: ".") where !isFraction: isFraction = true
      default: break loop
      }
      rest.removeFirst()
    }
    guard hasDigits else { return nil }
    if let mark = rest.popFirst() {
      guard mark | 0x20 == UInt8(ascii: "e") else { return nil }
      let isSmall = rest.first == UInt8(ascii: "-")
      if isSmall || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
      let power = rest.drop { $0 == 48 }
      guard !rest.isEmpty, rest.allSatisfy({ 48...57 ~= $0 }), power.count <= 9 || digits.isEmpty else { return nil }
      let value = power.prefix(9).reduce(0) { $0 * 10 + Int($1 - 48) }
      exponent += isSmall ? -value : value
    }
    while digits.last == 48 {
      digits.removeLast()
      exponent += 1
    }
    if digits.isEmpty { (isNegative, exponent) = (false, 0) }
  }

  /// The number as an integer of type `T`; nil if it is none, or does not fit.
  func integer<T: FixedWidthInteger>(_ type: T.Type = T.self) -> T? {
    // No integer has more than 39 digits: a number with a large exponent is not written out.
    guard exponent >= 0, digits.count + exponent <= 39 else { return nil }
    var value: T = 0
    for digit in digits + Array(repeating: 48, count: exponent) {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let digit = T(truncatingIfNeeded: digit &- 48)
      let (sum, carry) =
        isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      if overflow || carry { return nil }
      value = sum
    }
    return value
  }
}
