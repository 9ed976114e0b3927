import Synchronization
import Testing

@testable import RibCore

/// Topics with names, of several processes.
@Suite(.timeLimit(.minutes(5))) struct TopicExchangeTests {
  private enum Event: Codable, Equatable, Sendable { case said(String), counted(Int) }

  /// Two processes, each of which hears at once what the other one publishes.
  private static func pair() -> (TopicExchange, TopicExchange) {
    let (one, two) = (TopicExchange(), TopicExchange())
    _ = one.connect { [weak two] in two?.receive($0) }
    _ = two.connect { [weak one] in one?.receive($0) }
    return (one, two)
  }

  /// What is read of a topic, one after the other; nil for a gap.
  private static func read<Value>(_ topic: Topic<Value>, _ count: Int, while body: () -> Void) async -> [Value?] {
    let reader = PublicationReader(from: PublicationMark(in: topic.publications))
    body()
    var read: [Value?] = []
    for _ in 0..<count {
      switch await reader.next()?.value {
      case .value(let value)?: read.append(value)
      case .gap?: read.append(nil)
      case nil: break
      }
    }
    return read
  }

  @Test func publication_reachesTheTopicOfThatName() async {
    let (one, two) = Self.pair()
    let (here, there, other) = (
      Topic<Event>(name: "events", on: one), Topic<Event>(name: "events", on: two),
      Topic<Event>(name: "others", on: two)
    )
    let heard = await Self.read(there, 3) {
      here.publish(.said("a"))
      other.publish(.said("b"))
      here.publish(.counted(7))
      there.publish(.said("own"))
    }
    #expect(heard == [.said("a"), .counted(7), .said("own")])
    #expect(
      await Self.read(here, 2) {
        there.publish(.said("back")); here.publish(.said("own"))
      } == [.said("back"), .said("own")])
  }

  /// The other process has another version, or the value cannot be said.
  @Test func whatCannotBeRead_isAGap() async {
    let (one, two) = Self.pair()
    let (here, there) = (Topic<[String: Double]>(name: "n", on: one), Topic<Event>(name: "n", on: two))
    let heard = await Self.read(there, 2) {
      here.publish(["a": 1])
      two.noteGap()
    }
    #expect(heard == [nil, nil])
    struct Unsayable: Codable {
      func encode(to encoder: any Encoder) throws { throw CancellationError() }
    }
    let (mute, deaf) = (Topic<Unsayable>(name: "u", on: one), Topic<Int>(name: "u", on: two))
    #expect(await Self.read(deaf, 1) { mute.publish(Unsayable()) } == [nil])
  }

  /// Streams have values only; and who is not connected tells nobody.
  @Test func stream_hasNoGaps() async {
    let (one, two) = Self.pair()
    let (here, there) = (Topic<Int>(name: "n", on: one), Topic<Int>(name: "n", on: two))
    var values = there.subscribe().makeAsyncIterator()
    two.noteGap()
    here.publish(1)
    #expect(await values.next() == 1)
    let alone = TopicExchange()
    let bus = alone.connect { _ in Issue.record("nobody is there") }
    alone.disconnect(bus)
    alone.disconnect(bus)
    #expect(!alone.isConnected)
    Topic<Int>(name: "n", on: alone).publish(1)
  }

  @Test func names_areForgottenWithTheirTopics() {
    let exchange = TopicExchange()
    do {
      let (one, two) = (Topic<Int>(name: "a", on: exchange), Topic<Int>(name: "a", on: exchange))
      let rooms = Topics<Int, Int>(name: "rooms", on: exchange)
      #expect(exchange.nameCount == 2)
      withExtendedLifetime((one, two, rooms)) {}
    }
    #expect(exchange.nameCount == 0)
  }
}
