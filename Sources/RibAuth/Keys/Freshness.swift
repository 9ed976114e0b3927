import CCurl

/// How long a response is fresh, as its header fields say (RFC 9111 §4.2.1).
struct Freshness: Equatable, Sendable {
  private var maxAge: Int?
  private var expires: Int?
  private var date: Int?

  /// Takes a line of the response's head.
  ///
  /// - Parameter line: a header field; any other line is ignored.
  mutating func take(_ line: some StringProtocol) {
    guard let colon = line.firstIndex(of: ":") else { return }
    let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
    switch line[..<colon].lowercased() {
    case "cache-control": takeCacheControl(String(value))
    case "expires":
      // RFC 9111 §5.3: an invalid date, such as 0, counts as one in the past.
      expires = Self.time(String(value)) ?? 0
    case "date": date = Self.time(String(value))
    default: break
    }
  }

  private mutating func takeCacheControl(_ value: String) {
    for directive in value.lowercased().split(separator: ",") {
      let parts = directive.split(separator: "=", maxSplits: 1).map { $0.filter { !" \t\r\n\"".contains($0) } }
      switch parts.first {
      case "no-cache", "no-store": maxAge = 0
      case "max-age" where parts.count == 2: maxAge = min(maxAge ?? .max, Int(parts[1]).map { max($0, 0) } ?? 0)
      default: break
      }
    }
  }

  /// Seconds for which the response is fresh.
  ///
  /// - Parameter now: seconds since 1970, in place of a missing `Date`.
  /// - Returns: nil if no field says so.
  func seconds(at now: Int) -> Int? {
    // RFC 9111 §5.3: max-age takes precedence over Expires.
    if let maxAge { return maxAge }
    guard let expires else { return nil }
    return max(expires.subtractingReportingOverflow(date ?? now).partialValue, 0)
  }

  /// A date in any of the forms of RFC 9110 §5.6.7.
  private static func time(_ text: String) -> Int? {
    let time = curl_getdate(text, nil)
    return time < 0 ? nil : Int(time)
  }
}
