import Testing

@testable import RibServer

@Suite struct ResyncLimitTests {
  private static func taken(at seconds: [UInt64]) -> [Bool] {
    var limit = ResyncLimit()
    var taken: [Bool] = []
    for second in seconds { taken.append(limit.take(at: second * 1_000_000_000)) }
    return taken
  }

  @Test func sixAMinute_areAllowed() {
    #expect(Self.taken(at: Array(0..<6)).allSatisfy { $0 })
    #expect(Self.taken(at: Array(repeating: 7, count: 7)) == [true, true, true, true, true, true, false])
    #expect(Self.taken(at: [0, 1, 2, 3, 4, 5, 59]).last == false)
    #expect(Self.taken(at: [0, 1, 2, 3, 4, 5, 60]).last == true)
    // One at a time falls out of the minute.
    #expect(Self.taken(at: [0, 1, 2, 3, 4, 5, 60, 61, 61]).suffix(3) == [true, true, false])
  }
}
