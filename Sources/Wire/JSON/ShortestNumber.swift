/// The layout of a number's digits in RFC 8785 §3.2.2.3, which takes it from ECMAScript's `Number::toString`.
enum ShortestNumber {
  /// Appends a number.
  ///
  /// - Parameters:
  ///   - description: the `description` of a finite `Double` or `Float`: its shortest digits, in Swift's layout.
  ///   - bytes: takes the digits.
  static func append(_ description: String, to bytes: inout [UInt8]) {
    var description = description
    description.withUTF8 { text in
      guard let mark = text.lastIndex(of: UInt8(ascii: "e")) else {
        // Swift's layout differs only in the `.0` of a whole number.
        let isWhole = text.count > 2 && text[text.count - 2] == UInt8(ascii: ".") && text.last == UInt8(ascii: "0")
        return bytes.append(contentsOf: isWhole ? text.dropLast(2) : text[...])
      }
      var mantissa = text[..<mark]
      if mantissa.first == UInt8(ascii: "-") { bytes.append(mantissa.removeFirst()) }
      append(mantissa.filter { $0 != UInt8(ascii: ".") }, times10To: exponent(text[(mark + 1)...]), to: &bytes)
    }
  }

  /// The value of an exponent, such as `-05`.
  private static func exponent(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    let magnitude = text.dropFirst().reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    return text.first == UInt8(ascii: "-") ? -magnitude : magnitude
  }

  /// Appends digits as a number: the first digit counts `10 ** exponent`.
  private static func append(_ digits: [UInt8], times10To exponent: Int, to bytes: inout [UInt8]) {
    let zero = UInt8(ascii: "0")
    switch exponent {
    case digits.count - 1..<21:
      bytes += digits
      bytes += repeatElement(zero, count: exponent - (digits.count - 1))
    case 0..<21:
      bytes += digits[...exponent]
      bytes.append(UInt8(ascii: "."))
      bytes += digits[(exponent + 1)...]
    case -6..<0:
      bytes += [zero, UInt8(ascii: ".")]
      bytes += repeatElement(zero, count: -exponent - 1)
      bytes += digits
    default:
      bytes.append(digits[0])
      if digits.count > 1 { bytes.append(UInt8(ascii: ".")) }
      bytes += digits[1...]
      bytes += [UInt8(ascii: "e"), exponent < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+")]
      JSONWriter.append(exponent.magnitude, to: &bytes)
    }
  }
}
