import Testing
import Wire

@testable import RibServer

@Suite struct MemoryStoreTests {
  /// It is with a server or in the store, never in both: who loads it has it alone.
  @Test func session_leavesTheStoreWhenItIsLoaded() throws {
    let store = MemoryStore()
    _ = try store.create()
    let loaded = try #require(try store.load())
    #expect(loaded.lease == nil)
    #expect(try store.load() == nil)
    _ = try store.create()
    #expect(try store.load() != nil)
  }

  @Test func store_survivesNothing() { #expect(MemoryStore().durability == .none) }
}
