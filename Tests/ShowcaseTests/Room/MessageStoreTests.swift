import RibTesting
import Testing

@testable import RibCore
@testable import Showcase

struct MessageStoreTests {
  private let store = MessageStore()

  @Test func repetition_keepsOneMessage() async throws {
    let first = try await store.post("Hello", by: "Ada", session: "1", key: "a")
    #expect(try await store.post("Hello", by: "Ada", session: "1", key: "a") == first)
    #expect(store.page(before: nil, count: 10) == [first])
  }

  @Test func keys_areTheSessions() async throws {
    let first = try await store.post("Hello", by: "Ada", session: "1", key: "a")
    let second = try await store.post("Hello", by: "Ben", session: "2", key: "a")
    #expect([first.id, second.id] == [1, 2])
    store.forget(session: "1")
    #expect(try await store.post("Hello", by: "Ada", session: "1", key: "a").id == 3)
    #expect(try await store.post("Hello", by: "Ben", session: "2", key: "a") == second)
  }

  @Test func page_hasTheNewest_oldestFirst() async throws {
    for number in 1...5 { _ = try await store.post("\(number)", by: "Ada", session: "1", key: "\(number)") }
    #expect(store.page(before: nil, count: 2).map(\.id) == [4, 5])
    #expect(store.page(before: 4, count: 2).map(\.id) == [2, 3])
    #expect(store.page(before: 2, count: 2).map(\.id) == [1])
  }

  @Test func messagesThatAreTooMany_areForgotten() async throws {
    for number in 0...MessageStore.size { _ = try await store.post("a", by: "Ada", session: "1", key: "\(number)") }
    #expect(store.page(before: nil, count: .max).map(\.id) == Array(2...MessageStore.size + 1))
  }

  @Test func message_isRemovedByItsAuthorOnly() async throws {
    let message = try await store.post("Hello", by: "Ada", session: "1", key: "a")
    try await store.remove(id: message.id, by: "Ben")
    #expect(store.page(before: nil, count: 10) == [message])
    try await store.remove(id: message.id, by: "Ada")
    #expect(store.page(before: nil, count: 10) == [])
  }

  /// Long ones leave less room, so that the log fits into a cluster value, however it is escaped.
  @Test func messagesThatAreTooLongTogether_areForgotten() async throws {
    let exchange = ValueExchange()
    let log = ClusterValue(name: "log", MessageStore.Log(), on: exchange)
    let (store, text) = (MessageStore(log), String(repeating: "\u{1}", count: 8_000))
    for number in 1...40 { _ = try await store.post(text, by: "Ada", session: "\(number)", key: "\(number)") }
    #expect(store.page(before: nil, count: .max).map(\.id) == Array(25...40))
    _ = exchange.connect { _ in }
    log.update { _ in }
    #expect(log.nextWrite() != nil && log.takeFaults().isEmpty)
    await #expect(throws: MessageStore.Failure.tooLong) {
      try await store.post(text + text + text, by: "Ada", session: "1", key: "a")
    }
  }

  /// The end of a session that has posted nothing is no change.
  @Test func sessionThatHasPostedNothing_isNothingToForget() async throws {
    let exchange = ValueExchange()
    let log = ClusterValue(name: "log", MessageStore.Log(), on: exchange)
    let store = MessageStore(log)
    _ = try await store.post("Hello", by: "Ada", session: "1", key: "a")
    _ = exchange.connect { _ in }
    store.forget(session: "2")
    #expect(log.nextWrite() == nil)
    store.forget(session: "1")
    #expect(log.nextWrite() != nil)
  }

  /// A store that does not answer is not waited for without end.
  @Test func storeThatDoesNotAnswer_isGivenUp() async throws {
    let (exchange, clock) = (ValueExchange(), ManualClock())
    let store = MessageStore(ClusterValue(name: "log", MessageStore.Log(), on: exchange), clock: clock)
    _ = exchange.connect { _ in }
    let message = Task { try await store.post("Hello", by: "Ada", session: "1", key: "a") }
    while clock.sleeperCount == 0 { await Task.yield() }
    clock.advance(by: MessageStore.patience)
    await #expect(throws: MessageStore.Failure.noAnswer) { try await message.value }
  }
}
