import RibClient
import Testing
import Wire

@testable import ribctl

@Suite struct LoadFiguresTests {
  @Test func times_areToldByTheNearestRank() {
    var figures = LoadFigures()
    for number in (1...200).shuffled() { figures.answered(after: .microseconds(number * 10)) }
    #expect(
      figures.text(over: .milliseconds(2500))
        == "2.5 s: 200 actions, 80/s; p50 1.00 ms, p99 1.98 ms, longest 2.00 ms; 0 refused, 0 lost, 0 unknown, 0 returns"
    )
  }

  @Test func noTimes_areNone() {
    #expect(
      LoadFigures().text(over: .zero)
        == "0.0 s: 0 actions, 0/s; p50 - ms, p99 - ms, longest - ms; 0 refused, 0 lost, 0 unknown, 0 returns")
  }

  @Test func figuresOfSeveral_areAddedUp() {
    var one = LoadFigures()
    one.answered(after: .milliseconds(1))
    one.note([.lost(3), .notice(.none)])
    one.returns = 2
    var two = LoadFigures()
    two.answered(after: .microseconds(3055))
    two.note([.lost(1), .draining(within: 1)])
    two.returns = 1
    two.add(one)
    #expect(two.lost == 4 && two.returns == 3 && two.unknown == 0 && two.refused == 0)
    #expect(
      two.text(over: .seconds(1))
        == "1.0 s: 2 actions, 2/s; p50 1.00 ms, p99 3.06 ms, longest 3.06 ms; 0 refused, 4 lost, 0 unknown, 3 returns")
  }
}
