#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The JSON strings of those Foundation types whose own coding is not fit for JSON.
///
/// | type | string |
/// |---|---|
/// | `Date` | RFC 3339 §5.6: ISO 8601 in UTC, with milliseconds if there are any |
/// | `Data` | base64, RFC 4648 §4 |
/// | `URL` | the whole address, RFC 3986 |
/// | `UUID` | RFC 9562 §4 |
/// | `Decimal` | its digits, so that no reader rounds them |
///
/// A string is read only if it is such a value: no part of it is left out, completed or replaced. The raw value names the expected form
/// in an error.
enum StandardForm: String {
  case date = "date of RFC 3339"
  case data = "base64"
  case url = "URL"
  case uuid = "UUID"
  case decimal = "decimal number"

  /// The form of a type; nil if the type's own coding is used.
  init?(_ type: any Any.Type) {
    if type == Date.self {
      self = .date
    } else if type == Data.self {
      self = .data
    } else if type == URL.self {
      self = .url
    } else if type == UUID.self {
      self = .uuid
    } else if type == Decimal.self {
      self = .decimal
    } else {
      return nil
    }
  }

  /// The string for a value; nil if its type has no such form, or codes itself in this form.
  ///
  /// - Throws: ``CaptureError`` for a date whose year does not have four digits, and for a decimal that is not a
  ///   number.
  static func string<Value>(of value: Value) throws(CaptureError) -> String? {
    if let date = identical(value, Date.self) {
      let time = date.timeIntervalSinceReferenceDate
      if let text = InternetDate.text(of: time) { return text }
      throw CaptureError("the date \(time) s from 2001 has no year of four digits")
    }
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
    case .date: InternetDate.time(of: string).map { Date(timeIntervalSinceReferenceDate: $0) }
    case .data: Self.parseData(string)
    case .url: Self.parseURL(string)
    case .uuid: Self.parseUUID(string)
    case .decimal: Self.parseDecimal(string)
    }
  }

  /// RFC 4648 §3: nothing but the alphabet, all of the padding, and no bits besides those of the bytes.
  private static func parseData(_ string: String) -> Data? {
    guard let data = Data(base64Encoded: string), haveSameUTF8(data.base64EncodedString(), string) else { return nil }
    return data
  }

  /// RFC 3986 §4.1: an absolute URI or a relative reference, but for the empty one; the parser would escape other characters.
  private static func parseURL(_ string: String) -> URL? {
    guard string.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      let url = URL(string: string, encodingInvalidCharacters: false),
      haveSameUTF8(url.absoluteString, string)
    else { return nil }
    return url
  }

  /// RFC 9562 §4: hexadecimal digits of either case, in five groups.
  private static func parseUUID(_ string: String) -> UUID? {
    let text = string.utf8
    guard text.count == 36 else { return nil }
    for (place, byte) in text.enumerated() {
      let isHyphen = place == 8 || place == 13 || place == 18 || place == 23
      guard isHyphen ? byte == UInt8(ascii: "-") : hexDigit(byte) != nil else { return nil }
    }
    return UUID(uuidString: string)
  }

  /// Takes what a decimal holds to the last digit: `Decimal(string:)` reads a prefix, and rounds.
  private static func parseDecimal(_ string: String) -> Decimal? {
    guard let digits = ExactDecimal(string), let decimal = Decimal(string: string), decimal.isFinite,
      ExactDecimal(decimal.description) == digits
    else { return nil }
    return decimal
  }
}
