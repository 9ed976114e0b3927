import Testing

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
}
