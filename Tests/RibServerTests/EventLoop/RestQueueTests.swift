import RibTestSupport
import Testing

@testable import RibServer

@Suite struct RestQueueTests {
  /// Only so many leave at a time; each that waits has its turn once, however often it has asked.
  @Test func sessions_leaveInTurn() throws {
    var queue = RestQueue()
    let sessions = Array(1...RestQueue.limit + 3)
    var leaving = sessions.filter { queue.begin($0) }
    #expect(leaving == Array(1...RestQueue.limit))
    // Each asks twice.
    let early = (sessions + sessions).dropFirst(RestQueue.limit).filter { $0 > RestQueue.limit && queue.begin($0) }
    let tooEarly = queue.next()
    #expect(early.isEmpty && tooEarly == nil && queue.isAnyWaiting)
    while leaving.count < sessions.count {
      queue.end()
      let turn = queue.next()
      let next = try #require(turn, "no session has a turn though there is a place")
      let mayLeave = queue.begin(next)
      leaving.append(next)
      let another = queue.next()
      #expect(mayLeave && another == nil)
    }
    #expect(Set(leaving) == Set(sessions) && leaving.count == sessions.count && !queue.isAnyWaiting)
  }

  /// Many are equal, as sessions are that a restart has brought back.
  @Test(arguments: TestRun.seeds(1, 2)) func leastElements_areMovedToTheFront(seed: UInt64) {
    var random = SeededGenerator(seed: seed, stream: 0)
    for size in [0, 1, 2, 3, 10, 100, 1000] {
      let values = (0..<size).map { _ in Int.random(in: 0...max(size / 3, 1), using: &random) }
      for count in Set([0, 1, size / 10, size / 2, size - 1, size]) where 0...size ~= count {
        var moved = values
        moved.moveLeast(count)
        #expect(moved.prefix(count).sorted() == values.sorted().prefix(count).map(\.self))
        #expect(moved.sorted() == values.sorted())
      }
    }
  }
}
