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

  /// What was put there before is not what is there now.
  @Test func oldLease_isTaken_forNothing() throws {
    let store = MemoryStore()
    let first = try store.create("one", StoreSample.cut(StoreSample.state(isHeld: true, seen: 1)))
    _ = try store.load()
    let second = try store.create("one", StoreSample.cut(StoreSample.state(isHeld: true, seen: 2)))
    guard case .removed(0) = try store.perform(.remove(sessionID: "one", first)),
      case .noted = try store.perform(.noteAbsence(sessionID: "one", first, now: 3))
    else {
      Issue.record("it was taken")
      return
    }
    let state = try #require(try store.load()).state
    #expect(state.isHeld && state.seen == 2)
    guard case .removed(0) = try store.perform(.remove(sessionID: "one", second)) else {
      Issue.record("it is not there")
      return
    }
    let third = try store.create()
    guard case .removed(1) = try store.perform(.remove(sessionID: "one", third)) else {
      Issue.record("it was not removed")
      return
    }
    #expect(try store.load() == nil)
  }

  @Test func store_survivesNothing() { #expect(MemoryStore().durability == .none) }
}
