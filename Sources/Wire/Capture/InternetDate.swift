/// Dates and times of RFC 3339, as seconds from the beginning of 2001 in UTC.
///
/// Days are those of the Gregorian calendar also before it was in use, as ISO 8601 has it.
enum InternetDate {
  private static let secondsOfDay: Int64 = 86_400
  /// The days from 1 March of the year 0 to 1 January 2001.
  private static let daysTo2001: Int64 = 730_791
  /// The years 0000 to 9999, in seconds.
  private static let years = -63_145_526_400.0..<252_423_993_600.0

  // MARK: Writing

  /// The text for a time, rounded to milliseconds.
  ///
  /// - Parameter time: seconds from the beginning of 2001.
  /// - Returns: the date and time in UTC; nil if the year does not have four digits.
  static func text(of time: Double) -> String? {
    // Rounded first, so that 0.9996 s becomes the next second and not 1,000 ms.
    let milliseconds = (time * 1000).rounded()
    guard years.contains(milliseconds / 1000) else { return nil }
    let (seconds, thousandths) = quotient(Int64(milliseconds), 1000)
    let (days, second) = quotient(seconds, secondsOfDay)
    let (year, month, day) = civil(days + daysTo2001)
    var text: [UInt8] = []
    text.reserveCapacity(24)
    append(year, 4, to: &text)
    text.append(UInt8(ascii: "-"))
    append(month, 2, to: &text)
    text.append(UInt8(ascii: "-"))
    append(day, 2, to: &text)
    text.append(UInt8(ascii: "T"))
    append(second / 3600, 2, to: &text)
    text.append(UInt8(ascii: ":"))
    append(second / 60 % 60, 2, to: &text)
    text.append(UInt8(ascii: ":"))
    append(second % 60, 2, to: &text)
    if thousandths > 0 {
      text.append(UInt8(ascii: "."))
      append(thousandths, 3, to: &text)
    }
    text.append(UInt8(ascii: "Z"))
    return String(decoding: text, as: UTF8.self)
  }

  private static func append(_ value: Int64, _ digits: Int, to text: inout [UInt8]) {
    var unit: Int64 = 1
    for _ in 1..<digits { unit *= 10 }
    while unit > 0 {
      text.append(UInt8(ascii: "0") + UInt8(value / unit % 10))
      unit /= 10
    }
  }

  /// The quotient rounded down, and what is left.
  private static func quotient(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
    let rest = value % divisor
    return rest < 0 ? (value / divisor - 1, rest + divisor) : (value / divisor, rest)
  }

  /// The date of a day, counted from 1 March of the year 0: years that begin in March have their leap day at the end.
  private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, ofEra) = quotient(day, 146_097)
    let year = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * year + year / 4 - year / 100)
    let month = (5 * ofYear + 2) / 153
    let number = month < 10 ? month + 3 : month - 9
    return (era * 400 + year + (number <= 2 ? 1 : 0), number, ofYear - (153 * month + 2) / 5 + 1)
  }

  // MARK: Reading

  /// The time that a text means.
  ///
  /// - Parameter text: the whole of it.
  /// - Returns: seconds from the beginning of 2001, to the nanosecond; nil if the text is no `date-time` of RFC 3339 §5.6, or one that
  ///   cannot be written in UTC.
  static func time(of text: String) -> Double? {
    var text = text
    return text.withUTF8 { bytes in
      var reader = Reader(bytes)
      // An offset, a fraction or a leap second may lead out of the years that have four digits.
      guard let time = reader.dateTime(), years.contains((time * 1000).rounded() / 1000) else { return nil }
      return time
    }
  }

  /// The number of a day, counted from 1 March of the year 0.
  private static func day(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let (era, ofEra) = quotient(year, 400)
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear
  }

  private static func daysOf(month: Int64, _ year: Int64) -> Int64 {
    let next = month == 12 ? day(year + 1, 1, 1) : day(year, month + 1, 1)
    return next - day(year, month, 1)
  }

  private struct Reader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    private mutating func digits(_ count: Int) -> Int64? {
      guard position + count <= bytes.count else { return nil }
      var value: Int64 = 0
      for index in position..<position + count {
        guard 48...57 ~= bytes[index] else { return nil }
        value = value * 10 + Int64(bytes[index] - 48)
      }
      position += count
      return value
    }

    private mutating func take(_ characters: StaticString) -> UInt8? {
      guard position < bytes.count else { return nil }
      let byte = bytes[position]
      guard characters.withUTF8Buffer({ $0.contains(byte) }) else { return nil }
      position += 1
      return byte
    }

    mutating func dateTime() -> Double? {
      guard let year = digits(4), take("-") != nil, let month = digits(2), 1...12 ~= month, take("-") != nil,
        let day = digits(2), day >= 1, day <= InternetDate.daysOf(month: month, year), take("Tt") != nil,
        let hour = digits(2), hour <= 23, take(":") != nil, let minute = digits(2), minute <= 59, take(":") != nil,
        let second = digits(2), second <= 60
      else { return nil }
      let (nanoseconds, isFractional) = fraction()
      guard nanoseconds >= 0, let offset = offset(), position == bytes.count else { return nil }
      let days = InternetDate.day(year, month, day) - daysTo2001
      let seconds = days * secondsOfDay + hour * 3600 + minute * 60 + second - offset
      // §5.7: a leap second is the last one of a month, in UTC. It has the time of the second after it.
      if second == 60 {
        let (next, ofDay) = InternetDate.quotient(seconds, secondsOfDay)
        guard ofDay == 0, InternetDate.civil(next + daysTo2001).day == 1 else { return nil }
      }
      guard isFractional else { return Double(seconds) }
      return InternetDate.seconds(seconds, nanoseconds)
    }

    /// The fraction of the second, if there is one, in nanoseconds; negative if it has no digits.
    private mutating func fraction() -> (nanoseconds: Int64, isThere: Bool) {
      guard take(".") != nil else { return (0, false) }
      let start = position
      var value: Int64 = 0
      while let digit = digits(1) {
        if position - start <= 9 { value = value * 10 + digit }
      }
      let count = position - start
      guard count > 0 else { return (-1, true) }
      for _ in min(count, 9)..<9 { value *= 10 }
      return (value, true)
    }

    /// The offset from UTC in seconds; nil if there is none.
    private mutating func offset() -> Int64? {
      guard let sign = take("Zz+-") else { return nil }
      guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return 0 }
      guard let hours = digits(2), hours <= 23, take(":") != nil, let minutes = digits(2), minutes <= 59 else {
        return nil
      }
      let offset = hours * 3600 + minutes * 60
      return sign == UInt8(ascii: "-") ? -offset : offset
    }
  }

  /// The double that is nearest to a time.
  private static func seconds(_ seconds: Int64, _ nanoseconds: Int64) -> Double? {
    let total = Int128(seconds) * 1_000_000_000 + Int128(nanoseconds)
    let (whole, rest) = total.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    // The digits are read, as a sum of two doubles would be rounded twice.
    let digits = "\(1_000_000_000 + rest)".dropFirst()
    return Double("\(total < 0 ? "-" : "")\(whole).\(digits)")
  }
}
