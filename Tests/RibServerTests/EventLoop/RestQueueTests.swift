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
}
