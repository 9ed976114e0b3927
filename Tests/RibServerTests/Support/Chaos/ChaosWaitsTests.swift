import Testing

@Suite struct ChaosWaitsTests {
  @Test func wait_isFromTheFirstWord_untilTheClientIsLive() {
    var waits = ChaosWaits()
    // The client leaves on its own, and comes back.
    waits.leave(at: 10)
    waits.end(at: 20)
    #expect(waits.all == [] && waits.gaps == [])
    // The client is asked to go, leaves later, and is refused once before it is live again.
    waits.begin(at: 100)
    waits.leave(at: 140)
    waits.begin(at: 150)
    waits.leave(at: 150)
    waits.end(at: 160)
    #expect(waits.all == [60] && waits.gaps == [20])
    waits.end(at: 500)
    #expect(waits.all == [60] && waits.gaps == [20])
  }

  @Test func text_hasTheLongest() {
    #expect(ChaosWaits.text([3, 1, 200, 2]) == "p50 3, p99 200, at most 200 ms")
    #expect(ChaosWaits.text([]) == "none")
  }
}
