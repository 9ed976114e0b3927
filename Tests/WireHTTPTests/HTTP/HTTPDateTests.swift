import Foundation
import Testing

@testable import WireHTTP

@Suite("RFC 9110 §5.6.7 Dates")
struct HTTPDateTests {
  @Test(
    "the RFC's own example, and days that calendars get wrong",
    arguments: [
      (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
      (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
      (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
      (-62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT"),
    ])
  func date_isWritten(seconds: Int, text: String) {
    #expect(HTTPDate.text(secondsSince1970: seconds) == text)
  }

  @Test("a date of every fortnight of eight centuries is Foundation's")
  func dates_areFoundations() {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    for number in 0..<20_000 {
      let seconds = -2_000_000_000 + number * 1_250_003
      #expect(
        HTTPDate.text(secondsSince1970: seconds) == formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
      )
    }
  }
}
