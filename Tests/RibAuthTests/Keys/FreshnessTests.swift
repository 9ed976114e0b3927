import Testing

@testable import RibAuth

@Suite struct FreshnessTests {
  private static let date = "Date: Sun, 06 Nov 1994 08:49:37 GMT"

  @Test(
    arguments: [
      ([], nil), (["Content-Type: text/html", "X-Max-Age: 5", "Age", ""], nil), (["Cache-Control: max-age=300"], 300),
      (["cache-control:MAX-AGE=300\r\n"], 300), (["Cache-Control: public, max-age=\"300\", must-revalidate"], 300),
      (["Cache-Control: no-store"], 0), (["Cache-Control: no-cache, max-age=300"], 0),
      (["Cache-Control: max-age=-5"], 0),
      (["Cache-Control: max-age=abc"], 0), (["Cache-Control: max-age=99999999999999999999"], 0),
      (["Cache-Control: max-age=300", "Cache-Control: max-age=60"], 60), (["Cache-Control: s-maxage=5, public"], nil),
      ([date, "Expires: Sun, 06 Nov 1994 09:49:37 GMT"], 3600),
      ([date, "Expires: Sunday, 06-Nov-94 08:50:37 GMT"], 60),
      ([date, "Expires: Sun, 06 Nov 1994 08:00:00 GMT"], 0), ([date, "Expires: 0"], 0), (["Expires: soon"], 0),
      ([date, "Expires: Sun, 06 Nov 1994 09:49:37 GMT", "Cache-Control: max-age=5"], 5),
      (["Expires: Fri, 15 Jan 2027 08:10:00 GMT"], 600),
    ] as [([String], Int?)])
  func seconds_areWhatTheServerSays(lines: [String], seconds: Int?) {
    var freshness = Freshness()
    for line in lines { freshness.take(line) }
    #expect(freshness.seconds(at: 1_800_000_000) == seconds)
  }
}
