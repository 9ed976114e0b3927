import Testing

@testable import RibServer

@Suite struct WakeQueueTests {
  @Test func sessions_areWokenInWaves_andEachOnce() {
    var queue = WakeQueue()
    let ids = (0..<1000).map { "\($0)" }
    var woken = ids.filter { queue.ring($0) }
    #expect(woken == Array(ids.prefix(WakeQueue.limit)))
    let again = ids.filter { queue.ring($0) }
    #expect(again.isEmpty, "each has its turn")
    var next = 0
    while next < woken.count {
      if let following = queue.end(woken[next]) { woken.append(following) }
      next += 1
      #expect(woken.count - next <= WakeQueue.limit)
    }
    #expect(woken == ids)
    let mayRing = queue.ring("0")
    #expect(mayRing, "it has slept again")
  }

  @Test func sessionThatWakesMeanwhile_needsNoTurn() {
    var queue = WakeQueue()
    let first = (0..<WakeQueue.limit).map { "first \($0)" }
    let woken = (first + ["a", "b", "c"]).filter { queue.ring($0) }
    #expect(woken == first)
    let next = ["b", first[0], first[1], first[2], "unknown"].map { queue.end($0) }
    #expect(next == [nil, "a", "c", nil, nil])
  }
}
