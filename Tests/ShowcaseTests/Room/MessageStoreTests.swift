import Testing

@testable import Showcase

struct MessageStoreTests {
  private let store = MessageStore()

  @Test func repetition_keepsOneMessage() async {
    let first = await store.post("Hello", by: "Ada", session: "1", key: "a")
    #expect(await store.post("Hello", by: "Ada", session: "1", key: "a") == first)
    #expect(await store.page(before: nil, count: 10) == [first])
  }

  @Test func keys_areTheSessions() async {
    let first = await store.post("Hello", by: "Ada", session: "1", key: "a")
    let second = await store.post("Hello", by: "Ben", session: "2", key: "a")
    #expect([first.id, second.id] == [1, 2])
    await store.forget(session: "1")
    #expect(await store.post("Hello", by: "Ada", session: "1", key: "a").id == 3)
    #expect(await store.post("Hello", by: "Ben", session: "2", key: "a") == second)
  }

  @Test func page_hasTheNewest_oldestFirst() async {
    for number in 1...5 { _ = await store.post("\(number)", by: "Ada", session: "1", key: "\(number)") }
    #expect(await store.page(before: nil, count: 2).map(\.id) == [4, 5])
    #expect(await store.page(before: 4, count: 2).map(\.id) == [2, 3])
    #expect(await store.page(before: 2, count: 2).map(\.id) == [1])
  }

  @Test func message_isRemovedByItsAuthorOnly() async {
    let message = await store.post("Hello", by: "Ada", session: "1", key: "a")
    await store.remove(id: message.id, by: "Ben")
    #expect(await store.page(before: nil, count: 10) == [message])
    await store.remove(id: message.id, by: "Ada")
    #expect(await store.page(before: nil, count: 10) == [])
  }
}
