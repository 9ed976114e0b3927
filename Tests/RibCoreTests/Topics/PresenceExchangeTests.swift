import Synchronization
import Testing

@testable import RibCore

/// Presences of several processes.
@Suite(.timeLimit(.minutes(5))) struct PresenceExchangeTests {
  private typealias Guest = PresenceTests.Guest
  private typealias Guests = Presence<PresenceTests.Guest>

  private static func guests(on exchange: PresenceExchange, _ name: String = "guests") -> Guests {
    Presence(name: name, on: exchange, isImmediate: true)
  }

  /// Has one process hear what another one says.
  private static func connect(_ one: PresenceExchange, as number: Int, to two: PresenceExchange) -> Int {
    one.connect { [weak two] news in two?.receive(news, from: number) }
  }

  @Test func whoIsThere_isKnownToAll() {
    let (one, two) = (PresenceExchange(), PresenceExchange())
    let (here, there, other) = (Self.guests(on: one), Self.guests(on: two), Self.guests(on: two, "others"))
    let bus = Self.connect(one, as: 1, to: two)
    let (ada, ben) = (here.enter(Guest(id: "Ada")), there.enter(Guest(id: "Ben")))
    #expect(here.members.map(\.id) == ["Ada"] && there.members.map(\.id) == ["Ada", "Ben"] && other.members.isEmpty)
    ada.end()
    #expect(there.members.map(\.id) == ["Ben"])
    one.disconnect(bus)
    _ = here.enter(Guest(id: "Cleo"))
    #expect(there.members.map(\.id) == ["Ben"])
    withExtendedLifetime(ben) {}
  }

  @Test func roll_isAllThatOthersWereTold() {
    let (one, two) = (PresenceExchange(), PresenceExchange())
    let (here, empty, there) = (Self.guests(on: one), Self.guests(on: one, "empty"), Self.guests(on: two))
    let entries = ["Ada", "Ben"].map { here.enter(Guest(id: $0)) }
    let gone = PresenceChange(name: "guests", joined: [Array(#"{"id":"Cleo","mood":""}"#.utf8)], left: [])
    two.receive(.change(gone), from: 1)
    #expect(there.members.map(\.id) == ["Cleo"])
    #expect(one.roll.map(\.name) == ["guests"])
    two.receive(.rollBegins, from: 1)
    for change in one.roll { two.receive(.change(change), from: 1) }
    two.receive(.rollEnds, from: 1)
    #expect(Set(there.members.map(\.id)) == ["Ada", "Ben"])
    two.receive(.rollBegins, from: 2)
    two.receive(.rollEnds, from: 2)
    #expect(there.members.count == 2, "another process's roll is not this one's")
    two.forget(1)
    #expect(there.members.isEmpty)
    withExtendedLifetime((entries, empty)) {}
  }

  /// Others would go on to show whom it had.
  @Test func presenceThatNobodyHasAnyMore_isTakenBack() {
    let (one, two) = (PresenceExchange(), PresenceExchange())
    let there = Self.guests(on: two)
    _ = Self.connect(one, as: 1, to: two)
    var here: Guests? = Presence(name: "guests", on: one)
    var entry = here?.enter(Guest(id: "Ada"))
    // Told at once, as a tick would tell it.
    here?.tellNow()
    #expect(there.members.map(\.id) == ["Ada"])
    here = nil
    withExtendedLifetime(entry) {}
    entry = nil
    #expect(there.members.isEmpty)
  }

  /// A presence that is made later has missed what others have told.
  @Test func presenceThatIsNew_wantsTheRoll() {
    let exchange = PresenceExchange()
    let news = Mutex<[PresenceNews]>([])
    _ = exchange.connect { new in news.withLock { $0.append(new) } }
    let guests = Self.guests(on: exchange)
    #expect(news.withLock { $0 } == [.rollWanted])
    withExtendedLifetime(guests) {}
  }

  /// What another version of the program has told, and this one cannot read, is left out.
  @Test func whatCannotBeRead_isNotShown() {
    let exchange = PresenceExchange()
    let guests = Self.guests(on: exchange)
    let values = [#"{"id":7}"#, "[]", "nothing", #"{"id":"Ada","mood":"","more":1}"#].map { Array($0.utf8) }
    exchange.receive(.change(PresenceChange(name: "guests", joined: values, left: values)), from: 1)
    #expect(guests.members.map(\.id) == ["Ada"])
  }
}
