import RibTesting
import Synchronization
import Testing
import Wire

@testable import RibCore

@Suite(.timeLimit(.minutes(5))) struct PresenceTests {
  struct Guest: Codable, Equatable, Identifiable, Sendable {
    let id: String
    var mood = ""
  }

  /// Shows who is there, and is there itself.
  private struct Room: Riblet {
    static let typeName = "Room"

    enum ViewAction: Codable { case moodTapped(String), leaveTapped }
    enum InternalAction: Equatable { case guestsChanged(IdentifiedArray<Guest>) }
    struct State: Codable, Equatable {
      var guests: IdentifiedArray<Guest> = []
    }

    let me: String
    let guests: Presence<Guest>
    let session: SessionContext

    func makeState() -> State { State() }

    func didBecomeActive(_ state: inout State) -> Effect<Self> {
      .merge(track(), .observe(guests, id: "guests") { .guestsChanged($0) })
    }

    private func track(_ mood: String = "") -> Effect<Self> {
      .track(Guest(id: me, mood: mood), in: guests, while: session.clients, id: "me")
    }

    func reduce(into state: inout State, viewAction: ViewAction) -> Effect<Self> {
      switch viewAction {
      case .moodTapped(let mood): track(mood)
      case .leaveTapped: .cancel(id: "me")
      }
    }

    func reduce(into state: inout State, internalAction: InternalAction) -> Effect<Self> {
      if case .guestsChanged(let guests) = internalAction { state.guests = guests }
      return .none
    }

    func view(_ state: State) -> [String] { state.guests.map { $0.id + $0.mood } }
  }

  private static func room(
    _ me: String, _ guests: Presence<Guest>, _ clients: ConnectedClients = ConnectedClients(1)
  ) -> Room {
    Room(me: me, guests: guests, session: SessionContext(id: me, clients: clients))
  }

  @Test func session_isThereAsLongAsAClientIsConnected() {
    let (guests, clients) = (Presence<Guest>.immediate(), ConnectedClients())
    let test = TestRiblet(Self.room("Ada", guests, clients))
    test.receive(.guestsChanged([]))
    for _ in 0..<2 {
      clients.update(to: 1)
      test.receive(.guestsChanged([Guest(id: "Ada")])) { $0.guests = [Guest(id: "Ada")] }
      clients.update(to: 2)
      clients.update(to: 1)
      clients.update(to: 0)
      test.receive(.guestsChanged([])) { $0.guests = [] }
    }
    test.skipEffectsInFlight()
  }

  @Test func anotherValue_takesThePlaceOfTheFirst() {
    let guests = Presence<Guest>.immediate()
    let test = TestRiblet(Self.room("Ada", guests))
    test.exhaustivity = .off
    test.skipWhatHappened()
    test.send(.moodTapped("!"))
    test.skipWhatHappened()
    #expect(guests.members == [Guest(id: "Ada", mood: "!")])
    test.send(.leaveTapped)
    #expect(guests.members == [])
    test.skipEffectsInFlight()
  }

  /// A session that rests is there as long as its bells are armed: as long as a client is connected.
  @Test func restingSession_isThere() async throws {
    let guests = Presence<Guest>.immediate()
    var session: TestSession? = try TestSession(Self.room("Ada", guests), effects: .running)
    #expect(guests.members.map(\.id) == ["Ada"])
    guard case .may(let bells)? = session?.tree.restWithClients else {
      Issue.record("it may rest")
      return
    }
    var tokens = bells.map { $0.arm {} }
    session?.stop()
    session = nil
    // The effect that had it there has ended, on whatever thread.
    while guests.holderCount(of: "Ada") > 1 { await Task.yield() }
    #expect(guests.members.map(\.id) == ["Ada"])
    tokens.removeLast()
    tokens.first?.cancel()
    #expect(guests.members.isEmpty)
    tokens = []
    #expect(guests.members.isEmpty)
  }

  /// Gathered, and with a grace for those who come back.
  @Test func observers_areToldTheEnd() async {
    let exchange = PresenceExchange()
    let guests = Presence<Guest>(name: "guests", on: exchange)
    var lists = guests.subscribe().makeAsyncIterator()
    #expect(await lists.next() == [])
    var entries = (0..<1_000).map { guests.enter(Guest(id: "\($0)")) }
    #expect(await lists.next()?.count == 1_000, "at once, and not one after the other")
    entries.removeFirst(999)
    let back = guests.enter(Guest(id: "0"))
    #expect(await lists.next().map { Set($0.map(\.id)) } == ["0", "999"])
    withExtendedLifetime((entries, back)) {}
  }

  @Test func afterAStart_nobodyIsSeenToLeave() async {
    let exchange = PresenceExchange()
    let guests = Presence<Guest>(name: "guests", on: exchange)
    exchange.settle(for: .milliseconds(500))
    let start = ContinuousClock.now
    let entry = guests.enter(Guest(id: "Ada"))
    var lists = guests.subscribe().makeAsyncIterator()
    #expect(await lists.next() == [Guest(id: "Ada")])
    #expect(start.duration(to: .now) >= .milliseconds(500))
    withExtendedLifetime(entry) {}
  }

  /// The presence is there before the server knows that there are sessions from before.
  @Test func afterAStart_whatWasShownBefore_isTakenBack() async {
    let exchange = PresenceExchange()
    let guests = Presence<Guest>(name: "guests", on: exchange)
    var before = guests.subscribe().makeAsyncIterator()
    #expect(await before.next() == [])
    exchange.settle(for: .milliseconds(300))
    let entry = guests.enter(Guest(id: "Ada"))
    var lists = guests.subscribe().makeAsyncIterator()
    #expect(await lists.next() == [Guest(id: "Ada")], "not that nobody is there")
    withExtendedLifetime(entry) {}
  }

  /// Five seconds behind the end of the link to a node, and not at once when it is known that it is gone.
  @Test(arguments: [(0, 48), (1_000, 38), (3_400, 14), (3_900, 11), (3_600_000, 11)])
  func whoWasAtANodeThatIsGone_leaves(milliseconds: Int, ticks: Int) {
    let exchange = PresenceExchange(clock: ManualClock())
    let guests = Presence<Guest>(name: "guests", on: exchange)
    let ada = PresenceChange(name: "guests", joined: [Array(#"{"id":"Ada","mood":""}"#.utf8)], left: [])
    exchange.receive(.change(ada), from: 1)
    guests.tellNow()
    exchange.forget(1, withoutLinkFor: .milliseconds(milliseconds))
    var shown = 0
    while shown < 100, !guests.members.isEmpty {
      guests.tellNow()
      shown += 1
    }
    #expect(shown == ticks)
  }

  @Test func settling_goesByTheClockOfTheExchange() {
    let clock = ManualClock()
    let exchange = PresenceExchange(clock: clock)
    let guests = Presence<Guest>(name: "guests", on: exchange, isImmediate: true)
    exchange.settle(for: .seconds(10))
    let entry = guests.enter(Guest(id: "Ada"))
    clock.advance(by: .seconds(9))
    guests.tellNow()
    #expect(guests.publications.last == nil)
    clock.advance(by: .seconds(1))
    guests.tellNow()
    #expect(guests.publications.last == [Guest(id: "Ada")])
    withExtendedLifetime(entry) {}
  }

  /// Settling that begins when a list is about to be shown has it wait.
  @Test func listThatSettlingOvertakes_isShownAtItsEnd() async {
    let clock = ManualClock()
    let exchange = PresenceExchange(clock: clock)
    let list = Presence<Meddler>(name: "list", on: exchange)
    let tell = { (number: Int) in
      exchange.receive(
        .change(PresenceChange(name: "list", joined: [Array("{\"id\":1,\"number\":\(number)}".utf8)], left: [])),
        from: 2)
    }
    tell(1)
    list.tellNow()
    tell(2)
    // The list is compared with the one shown last, and shown then.
    Meddler.meddle.withLock { $0 = { exchange.settle(for: .seconds(10)) } }
    list.tellNow()
    #expect(list.publications.last == nil)
    clock.advance(by: .seconds(10))
    list.tellNow()
    var lists = list.subscribe().makeAsyncIterator()
    #expect(await lists.next()?.map(\.number) == [2])
  }

  /// A value that does something when it is compared, once.
  private struct Meddler: Identifiable, Codable, Equatable {
    let id: Int
    let number: Int

    static let meddle = Mutex<(@Sendable () -> Void)?>(nil)

    static func == (one: Self, other: Self) -> Bool {
      let meddle = meddle.withLock { meddle in
        defer { meddle = nil }
        return meddle
      }
      meddle?()
      return (one.id, one.number) == (other.id, other.number)
    }
  }

  /// It waits for nothing that nobody has any more.
  @Test func presence_isForgottenWithItsLastUser() {
    let exchange = PresenceExchange()
    var guests: Presence<Guest>? = Presence(name: "guests", on: exchange, isImmediate: true)
    #expect(exchange.count == 1)
    _ = guests?.enter(Guest(id: "Ada"))
    guests = nil
    #expect(exchange.count == 0)
  }
}
