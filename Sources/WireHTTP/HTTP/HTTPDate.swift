/// A time as the Date field has it: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
package enum HTTPDate {
  /// The text of a time.
  ///
  /// - Parameter seconds: since 1970 began, in UTC; in the years 0000 to 9999.
  /// - Returns: the time in IMF-fixdate.
  package static func text(secondsSince1970 seconds: Int) -> String {
    let day = floorDivide(seconds, by: 86_400)
    let second = seconds - day * 86_400
    let (year, month, dayOfMonth) = civil(day)
    // 1970 began on a Thursday.
    let weekday = weekdays[day + 4 - floorDivide(day + 4, by: 7) * 7]
    let time = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }.joined(separator: ":")
    return "\(weekday), \(padded(dayOfMonth, 2)) \(months[month]) \(padded(year, 4)) \(time) GMT"
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// The date of a day, counted from 1970-01-01, in the Gregorian calendar; months are counted from 0.
  private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
    // Years are counted from March on, so that the day that not every year has is the last one.
    let shifted = day + 719_468
    let era = floorDivide(shifted, by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = (monthFromMarch + 2) % 12
    let year = era * 400 + yearOfEra + (month < 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  private static func floorDivide(_ number: Int, by divisor: Int) -> Int {
    (number >= 0 ? number : number - divisor + 1) / divisor
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
