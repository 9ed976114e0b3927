import RibCore
import RibTesting
import Synchronization
import Testing
import Wire

@testable import Showcase

struct RoomTests {
  private let clock = ManualClock()
  private let flaky: FlakyMessages
  private let hub: RoomHub
  /// That of the room's topic.
  private let exchange = TopicExchange()

  init() {
    flaky = FlakyMessages(clock: clock)
    let events = Topic<RoomEvent>(name: "room.events", bufferSize: 1_024, on: exchange)
    hub = RoomHub(messages: flaky.messages, events: events, guests: .immediate())
  }

  private func riblet(_ name: String, _ clients: ConnectedClients = ConnectedClients()) -> Room {
    Room(me: name, session: SessionContext(id: "of \(name)", clients: clients), hub: hub, clock: clock)
  }

  /// A room in which everything is loaded.
  private func room(_ name: String = "Ada", _ clients: ConnectedClients = ConnectedClients()) -> TestRiblet<Room> {
    let test = TestRiblet(riblet(name, clients), exhaustivity: .off)
    test.skipWhatHappened()
    test.exhaustivity = .on
    return test
  }

  private func message(_ id: Int, _ text: String = "Hello", by author: String = "Ada") -> Message {
    Message(id: id, author: author, text: text)
  }

  // MARK: Messages

  @Test func room_showsTheNewestMessages_andOlderOnes() async {
    await flaky.fill(120)
    let test = TestRiblet(riblet("Ada")) { $0.loading = .newest(known: 0) }
    test.receive(.presentChanged([]))
    test.receive(.loaded((71...120).map { message($0) })) { state in
      state.loading = nil
      state.messages = IdentifiedArray((71...120).map { message($0) })
    }
    test.send(.olderTapped) { $0.loading = .older }
    test.receive(.loaded((21...70).map { message($0) })) { state in
      state.loading = nil
      state.messages = IdentifiedArray((21...120).map { message($0) })
    }
    test.send(.olderTapped) { $0.loading = .older }
    test.receive(.loaded((1...20).map { message($0) })) { state in
      state.loading = nil
      state.hasOlder = false
      state.messages = IdentifiedArray((1...120).map { message($0) })
    }
    test.send(.olderTapped)
    test.skipEffectsInFlight()
  }

  @Test func window_hasTheNewest200() async {
    await flaky.fill(300)
    let test = room()
    test.exhaustivity = .off
    for _ in 1...5 { test.send(.olderTapped) }
    test.skipWhatHappened(strict: false)
    #expect(test.state.messages.map(\.id) == Array(101...300))
    #expect(test.session.viewState()?["hasOlder"] == .bool(false))
    hub.events.publish(.posted(message(301)))
    test.receive(.happened(.posted(message(301))))
    #expect(test.state.messages.map(\.id) == Array(102...301))
    test.skipEffectsInFlight()
  }

  @Test func messagesOfARest_areReadAgain_withoutAGap() async throws {
    await flaky.fill(2)
    let before = try TestSession(riblet("Ada"), effects: .running)
    #expect(before.messageIDs == [1, 2])
    let saved = try before.tree.snapshot()
    before.stop()
    try await flaky.store.remove(id: 2, by: "Ada")
    await flaky.fill(60)
    let after = try TestSession(riblet("Ada"), restoring: saved, effects: .running)
    #expect(after.messageIDs == Array(13...62))
  }

  @Test func removal_whileMessagesAreLoaded_isNotUndone() async throws {
    await flaky.fill(2)
    flaky.fails(.pageIsLate)
    let test = TestRiblet(riblet("Ada")) { $0.loading = .newest(known: 0) }
    test.receive(.presentChanged([]))
    try await flaky.store.remove(id: 2, by: "Ada")
    hub.events.publish(.removed(id: 2))
    test.receive(.happened(.removed(id: 2)))
    clock.advance(by: .seconds(1))
    test.receive(.loaded([message(1)])) { state in
      state.loading = nil
      state.hasOlder = false
      state.messages = [message(1)]
    }
    test.skipEffectsInFlight()
  }

  @Test func messagesThatCannotBeLoaded_areLoadedAfterAWhile() async {
    await flaky.fill(1)
    flaky.fails(.page)
    let test = TestRiblet(riblet("Ada"), exhaustivity: .off)
    test.skipWhatHappened()
    test.exhaustivity = .on
    #expect(test.state.problem == "The messages cannot be loaded.")
    flaky.fails(nil)
    clock.advance(by: .seconds(5))
    test.receive(.newestWanted)
    test.receive(.loaded([message(1)])) { state in
      state.loading = nil
      state.hasOlder = false
      state.problem = nil
      state.messages = [message(1)]
    }
    test.skipEffectsInFlight()
  }

  // MARK: Posting

  @Test func post_isSeenInBothSessions() {
    let (ada, ben) = (room("Ada"), room("Ben"))
    ada.send(.draftChanged("Hello")) { $0.draft = "Hello" }
    ada.send(.sendTapped) { state in
      state.draft = ""
      state.outgoing = .init(text: "Hello")
    }
    ada.receive(.posted(message(1))) { state in
      state.outgoing = nil
      state.messages = [message(1)]
    }
    ada.receive(.happened(.posted(message(1))))
    ben.receive(.happened(.posted(message(1)))) { $0.messages = [message(1)] }
    for test in [ada, ben] { test.skipEffectsInFlight() }
  }

  @Test func whatMayNotBeSent_isRefused() {
    let test = room()
    test.send(.sendTapped, refused: "There is nothing to send.")
    test.send(.draftChanged(" \n")) { $0.draft = " \n" }
    test.send(.sendTapped, refused: "There is nothing to send.")
    let long = String(repeating: "a", count: Room.longestMessage + 1)
    test.send(.draftChanged(long)) { state in
      state.draft = long
      state.problem = "A message has at most 500 characters."
    }
    test.send(.sendTapped, refused: "A message has at most 500 characters.")
    test.send(.draftChanged("a")) { state in
      state.draft = "a"
      state.problem = nil
    }
    test.send(.retryTapped, refused: "Nothing has failed.")
    test.skipEffectsInFlight()
  }

  @Test func messages_areSentOneAfterTheOther() throws {
    let session = try TestSession(riblet("Ada"))
    let texts = (0...Room.mostWaiting).map { "message \($0)" }
    for text in texts {
      try session.act(#"{"draftChanged":"\#(text)"}"#)
      try session.act(#""sendTapped""#)
    }
    #expect(session.viewState()?["outgoing"] == .string(texts[0]))
    #expect(session.viewState()?["waiting"] == .array(texts.dropFirst().map { .string($0) }))
    #expect(session.viewState()?["draft"] == .string(""))
    try session.act(#"{"draftChanged":"one more"}"#)
    #expect(try session.refusal(of: #""sendTapped""#).message.contains("20 messages wait already"))
    #expect(session.viewState()?["draft"] == .string("one more"))
  }

  @Test func messageThatWaits_isPostedAfterTheFirst() {
    let test = room()
    flaky.fails(.post)
    test.send(.draftChanged("Hello")) { $0.draft = "Hello" }
    test.send(.sendTapped) { state in
      state.draft = ""
      state.outgoing = .init(text: "Hello")
    }
    var key: IdempotencyKey?
    test.receive(where: { action in
      guard case .postFailed(let failed) = action else { return false }
      key = failed
      return true
    }) { $0.outgoing?.failed = key }
    test.send(.draftChanged("again")) { $0.draft = "again" }
    test.send(.sendTapped) { state in
      state.draft = ""
      state.waiting = ["again"]
    }
    flaky.fails(nil)
    test.send(.retryTapped) { $0.outgoing?.failed = nil }
    test.receive(.posted(message(1))) { state in
      state.outgoing = .init(text: "again")
      state.waiting = []
      state.messages = [message(1)]
    }
    test.receive(.happened(.posted(message(1))))
    test.receive(.posted(message(2, "again"))) { state in
      state.outgoing = nil
      state.messages = [message(1), message(2, "again")]
    }
    test.receive(.happened(.posted(message(2, "again"))))
    test.skipEffectsInFlight()
  }

  @Test func messagesThatWait_arePostedByARestoredSession() throws {
    let session = try TestSession(riblet("Ada"), effects: .running)
    flaky.fails(.post)
    for text in ["one", "two", "three"] {
      try session.act(#"{"draftChanged":"\#(text)"}"#)
      try session.act(#""sendTapped""#)
    }
    let restored = try session.restored(as: riblet("Ada"), effects: .running)
    session.stop()
    #expect(restored.viewState()?["waiting"] == .array([.string("two"), .string("three")]))
    flaky.fails(nil)
    clock.advance(by: .seconds(10))
    #expect(restored.messageIDs == [1, 2, 3])
    #expect(flaky.store.page(before: nil, count: 10).map(\.text) == ["one", "two", "three"])
  }

  /// A stored list may be empty.
  @Test func posting_withNoMessageThatWaits_ends() throws {
    let key = try #require(IdempotencyKey("test-1-1"))
    let state = Room.State(outgoing: .init(text: "Hello", failed: key), waiting: [])
    let test = TestRiblet(riblet("Ada"), given: state, exhaustivity: .off)
    test.send(.retryTapped)
    test.skipWhatHappened(strict: false)
    #expect(test.state.outgoing == nil && test.state.messages == [message(1)])
    test.skipEffectsInFlight()
  }

  /// The store has the message, and its answer is lost: a second attempt with the key of the first changes nothing.
  @Test(arguments: [FlakyMessages.Fault.post, .answerOfPost]) func postThatFails_isRepeatedWithItsKey(
    fault: FlakyMessages.Fault
  ) async {
    let test = room()
    flaky.fails(fault)
    test.send(.draftChanged("Hello")) { $0.draft = "Hello" }
    test.send(.sendTapped) { state in
      state.draft = ""
      state.outgoing = .init(text: "Hello")
    }
    var key: IdempotencyKey?
    test.receive(where: { action in
      guard case .postFailed(let failed) = action else { return false }
      key = failed
      return true
    }) { $0.outgoing?.failed = key }
    #expect(test.session.viewState()?["sending"] == .string("failed"))
    test.send(.draftChanged("Typed meanwhile")) { $0.draft = "Typed meanwhile" }
    flaky.fails(nil)
    test.send(.retryTapped) { $0.outgoing?.failed = nil }
    test.receive(.posted(message(1))) { state in
      state.outgoing = nil
      state.messages = [message(1)]
    }
    test.receive(.happened(.posted(message(1))))
    #expect(flaky.store.page(before: nil, count: 10) == [message(1)])
    test.skipEffectsInFlight()
  }

  @Test func postThatFails_isTriedEveryTenSeconds_untilTheStoreHasIt() async throws {
    let key = try #require(IdempotencyKey("test-1-1"))
    flaky.fails(.post)
    let state = Room.State(outgoing: .init(text: "Hello", failed: key))
    let test = TestRiblet(riblet("Ada"), given: state, exhaustivity: .off)
    test.skipWhatHappened()
    test.exhaustivity = .on
    for _ in 1...2 {
      clock.advance(by: .seconds(10))
      test.receive(.retryWanted) { $0.outgoing?.isTriedAgain = true }
      test.receive(.postFailed(key)) { $0.outgoing?.isTriedAgain = false }
    }
    flaky.fails(.postIsLate)
    clock.advance(by: .seconds(10))
    test.receive(.retryWanted) { $0.outgoing?.isTriedAgain = true }
    for _ in 1...2 {
      clock.advance(by: .seconds(10))
      test.receive(.retryWanted)
    }
    clock.advance(by: .seconds(5))
    test.receive(.posted(message(1))) { state in
      state.outgoing = nil
      state.messages = [message(1)]
    }
    test.receive(.happened(.posted(message(1))))
    clock.advance(by: .seconds(60))
    #expect(try await flaky.store.post("Again", by: "Ada", session: "of Ada", key: "\(key)") == message(1))
    test.skipEffectsInFlight()
  }

  @Test func postThatFails_isTriedAgain_alsoAfterARest() async throws {
    let session = try TestSession(riblet("Ada"), effects: .running)
    flaky.fails(.post)
    try session.act(#"{"draftChanged":"Hello"}"#)
    try session.act(#""sendTapped""#)
    #expect(session.viewState()?["sending"] == .string("failed"))
    let restored = try session.restored(as: riblet("Ada"), effects: .running)
    session.stop()
    flaky.fails(nil)
    #expect(restored.messageIDs == [])
    clock.advance(by: .seconds(10))
    #expect(restored.messageIDs == [1])
    #expect(restored.viewState()?["sending"] == nil)
  }

  @Test(arguments: [false, true]) func interruptedPost_isRepeated_andPostedOnce(hasReachedTheStore: Bool) async throws {
    let session = try TestSession(riblet("Ada"))
    try session.act(#"{"draftChanged":"Hello"}"#)
    try session.act(#""sendTapped""#)
    // What it reports is lost, as in a crash.
    let post = try #require(session.pendingEffects.last)
    if hasReachedTheStore { try await post.run { _ in } }
    let restored = try session.restored(as: riblet("Ada"), effects: .running, showsTheSame: false)
    #expect(restored.messageIDs == [1])
    #expect(restored.viewState()?["outgoing"] == nil)
    #expect(flaky.store.page(before: nil, count: 10) == [message(1)])
  }

  // MARK: Removing

  @Test func ownMessage_isRemovedForAll() async {
    await flaky.fill(2)
    let (ada, ben) = (room("Ada"), room("Ben"))
    ben.send(.removeTapped(id: 1), refused: "Only your own messages can be removed.")
    ada.send(.removeTapped(id: 7), refused: "Only your own messages can be removed.")
    ada.send(.removeTapped(id: 1))
    for test in [ada, ben] { test.receive(.happened(.removed(id: 1))) { $0.messages = [message(2)] } }
    flaky.fails(.remove)
    ada.send(.removeTapped(id: 2))
    ada.receive(.removeFailed) { $0.problem = "The message cannot be removed." }
    for test in [ada, ben] { test.skipEffectsInFlight() }
  }

  // MARK: Presence

  @Test func person_isPresentWhileAClientIsConnected() {
    let clients = ConnectedClients()
    let (ada, ben) = (room("Ada", clients), room("Ben"))
    clients.update(to: 1)
    ada.receive(.presentChanged(["Ada"])) { $0.present = ["Ada"] }
    ada.receiveChange(at: "people") { $0.people.people = [.init(name: "Ada", isMe: true)] }
    ben.receive(.presentChanged(["Ada"])) { $0.present = ["Ada"] }
    ben.receiveChange(at: "people") { $0.people.people = [.init(name: "Ada", isMe: false)] }
    clients.update(to: 2)
    clients.update(to: 1)
    clients.update(to: 0)
    for test in [ada, ben] {
      test.receive(.presentChanged([])) { $0.present = [] }
      test.receiveChange(at: "people") { $0.people.people = [] }
      test.skipEffectsInFlight()
    }
  }

  @Test func person_isPresentOnce_inTwoSessions() {
    let (phone, laptop) = (ConnectedClients(1), ConnectedClients(1))
    let tests = [room("Ada", phone), room("Ada", laptop)]
    phone.update(to: 0)
    for test in tests {
      test.exhaustivity = .off
      test.skipWhatHappened(strict: false)
    }
    for test in tests { #expect(test.session.viewState(at: "people")?["count"] == .integer(1)) }
    laptop.update(to: 0)
    // The laptop's session first: it is the one whose effect changes what both show.
    for test in tests.reversed() {
      test.skipWhatHappened(strict: false)
      #expect(test.session.viewState(at: "people")?["count"] == .integer(0))
      test.skipEffectsInFlight()
    }
  }

  /// Who was there is shown until it is known who is.
  @Test func restoredSession_showsThePresentAtOnce() throws {
    let session = try TestSession(riblet("Ada", ConnectedClients(1)), effects: .running)
    #expect(session.viewState(at: "people")?["count"] == .integer(1))
    let restored = try session.restored(as: riblet("Ada"), showsTheSame: false)
    #expect(restored.viewState(at: "people")?["count"] == .integer(1))
  }

  /// Another node's messages that did not come are read.
  @Test func eventsThatWereMissed_areReadAgain() async {
    await flaky.fill(1)
    let test = room()
    await flaky.fill(2)
    exchange.noteGap()
    test.receive(.eventsMissed) { $0.loading = .newest(known: 1) }
    test.receive(.loaded((1...3).map { message($0) })) { state in
      state.loading = nil
      state.messages = IdentifiedArray((1...3).map { message($0) })
    }
    test.skipEffectsInFlight()
  }
}

extension TestSession {
  /// The ids of the messages that a client sees.
  fileprivate var messageIDs: [Int] {
    guard case .array(let messages)? = viewState()?["messages"] else { return [] }
    return messages.compactMap { if case .integer(let id)? = $0["id"] { Int(id) } else { nil } }
  }
}

/// A store whose requests fail if the test says so.
final class FlakyMessages: Sendable {
  enum Fault: Sendable {
    case page, post, remove
    /// The message is kept, and its author is not told so.
    case answerOfPost
    /// A page is read, and arrives a second later.
    case pageIsLate
    /// A message is kept, and its author is told so 25 seconds later.
    case postIsLate
  }
  struct Failure: Error {}

  let store = MessageStore()
  private let clock: ManualClock
  private let fault = Mutex<Fault?>(nil)

  init(clock: ManualClock) { self.clock = clock }

  func fails(_ new: Fault?) { fault.withLock { $0 = new } }

  private func check(_ this: Fault) throws { if fault.withLock({ $0 == this }) { throw Failure() } }

  private func wait(_ seconds: Int, if this: Fault) async throws {
    guard fault.withLock({ $0 == this }) else { return }
    try await clock.sleep(until: clock.now.advanced(by: .seconds(seconds)))
  }

  /// Posts messages of Ada.
  func fill(_ count: Int) async {
    for number in 1...count {
      _ = try? await store.post("Hello", by: "Ada", session: "fill \(count)", key: "\(number)")
    }
  }

  var messages: RoomMessages {
    RoomMessages(
      post: { [self] text, author, session, key in
        try check(.post)
        let message = try await store.post(text, by: author, session: session, key: key)
        try check(.answerOfPost)
        try await wait(25, if: .postIsLate)
        return message
      },
      remove: { [self] id, author in
        try check(.remove)
        try await store.remove(id: id, by: author)
      },
      page: { [self] id, count in
        try check(.page)
        let page = store.page(before: id, count: count)
        try await wait(1, if: .pageIsLate)
        return page
      })
  }
}
