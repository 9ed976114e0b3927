import Testing

@testable import RibCore

/// Topics by key.
@Suite(.timeLimit(.minutes(5))) struct TopicsTests {
  @Test func topicOfAKey_isOneForAll_andForgottenWithTheLast() async {
    let rooms = Topics<Int, String>()
    do {
      let room = rooms[7]
      #expect(rooms[7] === room && rooms[8] !== room)
      var heard = room.subscribe().makeAsyncIterator()
      rooms[8].publish("elsewhere")
      rooms[7].publish("here")
      #expect(await heard.next() == "here")
      #expect(rooms.count == 1)
    }
    #expect(rooms.count == 0)
  }

  /// A topic is there as long as an effect observes it, whoever else has it.
  @Test func topicThatIsObserved_isKept() async {
    let rooms = Topics<String, Int>()
    var stream: AsyncStream<Int>? = rooms["a"].subscribe()
    rooms["a"].publish(1)
    var values = stream?.makeAsyncIterator()
    #expect(await values?.next() == 1)
    (stream, values) = (nil, nil)
    #expect(rooms.count == 0)
  }

  @Test func publications_reachTheTopicOfThatKey() async {
    let (one, two) = (TopicExchange(), TopicExchange())
    _ = one.connect { two.receive($0) }
    let (here, there) = (Topics<[Int], Int>(name: "n", on: one), Topics<[Int], Int>(name: "n", on: two))
    var heard = there[[1, 2]].subscribe().makeAsyncIterator()
    let kept = there[[1, 2]]
    for key in [[1], [1, 2], [2, 1]] { here[key].publish(key.reduce(0) { $0 * 10 + $1 }) }
    here[[1, 2]].publish(0)
    #expect(await heard.next() == 12)
    #expect(await heard.next() == 0)
    withExtendedLifetime(kept) { #expect(there.count == 1) }
  }
}
