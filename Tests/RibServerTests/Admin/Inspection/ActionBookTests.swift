import Testing

@testable import RibServer

struct ActionBookTests {
  private let tapped = ActionBook.Key(riblet: "Cart", action: "addTapped")

  @Test(arguments: [1000, 50_000, 1_234_567, 900_000_000, 30_000_000_000] as [UInt64])
  func percentile_isRight_toAFifth(_ nanoseconds: UInt64) {
    var figures = ActionBook.Figures()
    for _ in 0..<9 { figures.add(nanoseconds) }
    figures.add(nanoseconds * 50)
    let median = Double(figures.percentile(50))
    #expect(median >= Double(nanoseconds) && median <= max(Double(nanoseconds) * 1.25, 1280))
    #expect(figures.percentile(100) == figures.longest)
    #expect(figures.longest == nanoseconds * 50)
  }

  @Test func books_areAdded() {
    var (one, other) = (ActionBook(), ActionBook())
    one.note(tapped, 1_000_000, isRefused: false)
    other.note(tapped, 3_000_000, isRefused: true)
    other.note(.init(riblet: "Bar", action: "x"), 1000, isRefused: false)
    one.add(other)
    #expect(one.report.map(\.id) == ["Bar.x", "Cart.addTapped"])
    #expect(one.report.last?.count == 2)
    #expect(one.report.last?.refused == 1)
    #expect(one.report.last?.max == 3000)
  }

  /// An action's name comes from a client: whoever makes names up fills no memory.
  @Test func book_isBounded() {
    var book = ActionBook()
    for number in 0..<(ActionBook.limit * 2) { book.note(.init(riblet: "R", action: "\(number)"), 1, isRefused: true) }
    #expect(book.figures.count == ActionBook.limit + 1)
    #expect(book.figures[.init(riblet: "other", action: "other")]?.count == ActionBook.limit)
  }

  @Test func slowLog_keepsTheNewest() {
    var log = SlowLog()
    let session = SessionIdentity(id: "s", app: "counter", parameters: nil)
    for number in 0..<(SlowLog.limit + 10) { log.note(session, riblet: "R", UInt64(number), at: 0) }
    #expect(log.entries.count == SlowLog.limit)
    #expect(log.entries.first?.duration == 10)
    #expect(log.entries.last?.number == SlowLog.limit + 10)
  }
}
