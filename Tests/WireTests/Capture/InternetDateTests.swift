import Testing

@testable import Wire

@Suite("RFC 3339: dates and times")
struct InternetDateTests {
  @Test("every day of four centuries follows the one before")
  func everyDay_isTheNext() throws {
    let leap = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    var day = -13_880.0  // 1 January 1963
    for year in 1963..<2403 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      for month in 1...12 {
        for number in 1...(month == 2 && !isLeap ? 28 : leap[month - 1]) {
          let text = try #require(InternetDate.text(of: day * 86_400))
          let (month, number) = (month < 10 ? "0\(month)" : "\(month)", number < 10 ? "0\(number)" : "\(number)")
          guard text == "\(year)-\(month)-\(number)T00:00:00Z", InternetDate.time(of: text) == day * 86_400 else {
            Issue.record("\(text) is \(year)-\(month)-\(number)")
            return
          }
          day += 1
        }
      }
    }
  }

  @Test("a fraction is read as the double that is nearest to it")
  func fraction_isExact() {
    #expect(InternetDate.time(of: "2001-01-01T00:00:00.1Z") == 0.1)
    #expect(InternetDate.time(of: "2000-12-31T23:59:59.9Z") == -0.1)
    #expect(InternetDate.time(of: "2000-12-31T23:59:58.9Z") == -1.1)
    #expect(InternetDate.time(of: "2023-11-14T22:13:20.123456789Z") == 721_692_800.123456789)
  }
}
