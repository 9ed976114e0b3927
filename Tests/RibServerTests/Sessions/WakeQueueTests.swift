import Testing

@testable import RibServer

@Suite struct WakeQueueTests {
  @Test func sessions_areWokenInWaves_andEachOnce() {
    var queue = WakeQueue()
    let ids = (0..<1000).map { "\($0)" }
    var woken = ids.filter { queue.ring($0) }
    #expect(woken == Array(ids.prefix(WakeQueue.limit)))
    for id in ids { #expect(!queue.ring(id), "it has its turn") }
    var next = 0
    while next < woken.count {
      if let following = queue.end(woken[next]) { woken.append(following) }
      next += 1
      #expect(woken.count - next <= WakeQueue.limit)
    }
    #expect(woken == ids)
    #expect(queue.ring("0"), "it may ring again")
  }

  @Test func sessionThatWakesMeanwhile_needsNoTurn() {
    var queue = WakeQueue()
    let first = (0..<WakeQueue.limit).map { "first \($0)" }
    for id in first { #expect(queue.ring(id)) }
    for id in ["a", "b", "c"] { #expect(!queue.ring(id)) }
    #expect(queue.end("b") == nil)
    #expect(queue.end(first[0]) == "a")
    #expect(queue.end(first[1]) == "c")
    #expect(queue.end(first[2]) == nil)
    #expect(queue.end("unknown") == nil)
  }
}
