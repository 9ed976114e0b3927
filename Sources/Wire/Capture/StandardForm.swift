#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The JSON strings of those Foundation types whose own coding is not fit for JSON.
///
/// | type | string |
/// |---|---|
/// | `Date` | ISO 8601 in UTC, as RFC 3339 §5.6 profiles it, with milliseconds if there are any |
/// | `Data` | base64, RFC 4648 §4 |
/// | `URL` | the whole address |
/// | `Decimal` | its digits, so that no reader rounds them |
///
/// The raw value names the expected form in an error.
enum StandardForm: String {
  case date = "date of ISO 8601"
  case data = "base64"
  case url = "URL"
  case decimal = "decimal number"

  /// The form of a type; nil if the type's own coding is used.
  init?(_ type: any Any.Type) {
    if type == Date.self {
      self = .date
    } else if type == Data.self {
      self = .data
    } else if type == URL.self {
      self = .url
    } else if type == Decimal.self {
      self = .decimal
    } else {
      return nil
    }
  }

  /// The string for a value; nil if its type has no such form.
  ///
  /// - Throws: ``CaptureError`` for a date whose year does not have four digits, and for a decimal that is not a
  ///   number.
  static func string<Value>(of value: Value) throws(CaptureError) -> String? {
    if let date = identical(value, Date.self) { return try text(of: date) }
    if let data = identical(value, Data.self) { return data.base64EncodedString() }
    if let url = identical(value, URL.self) { return url.absoluteString }
    if let decimal = identical(value, Decimal.self) {
      guard decimal.isFinite else { throw CaptureError("\(decimal) is no number") }
      return decimal.description
    }
    return nil
  }

  /// The value that a string stands for; nil if the string does not have this form.
  func value(of string: String) -> Any? {
    switch self {
    case .date: Self.parseDate(string)
    case .data: Data(base64Encoded: string)
    case .url: URL(string: string)
    case .decimal: Self.parseDecimal(string)
    }
  }

  // MARK: Dates

  private static let seconds = Date.ISO8601FormatStyle()
  private static let milliseconds = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  /// Years 0001 to 9999, in seconds since 1 January 2001.
  private static let years = -63_114_076_800.0..<252_423_993_600.0

  private static func text(of date: Date) throws(CaptureError) -> String {
    // Rounded first, so that 0.9996 s becomes the next second and not 1,000 ms.
    let time = (date.timeIntervalSinceReferenceDate * 1000).rounded() / 1000
    guard years.contains(time) else { throw CaptureError("the date \(time) s from 2001 has no year of four digits") }
    // The style truncates to milliseconds, and the double for 0.999 may lie slightly below it.
    let date = Date(timeIntervalSinceReferenceDate: time + 0.0001)
    return date.formatted(time == time.rounded(.down) ? seconds : milliseconds)
  }

  /// Used for whole seconds as well, which this style reads; the other style would drop milliseconds silently.
  private static func parseDate(_ string: String) -> Date? { try? milliseconds.parse(string) }

  // MARK: Decimals

  /// Checks every character: `Decimal(string:)` reads a prefix and ignores the rest.
  private static func parseDecimal(_ string: String) -> Decimal? {
    let digits = string.utf8
    guard digits.contains(where: { 48...57 ~= $0 }),
      digits.allSatisfy({ 48...57 ~= $0 || [UInt8](".+-eE".utf8).contains($0) })
    else { return nil }
    return Decimal(string: string)
  }
}
