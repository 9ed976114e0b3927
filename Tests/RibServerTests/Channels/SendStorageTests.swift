import Testing

@testable import RibServer

struct SendStorageTests {
  private func buffer(_ capacity: Int) -> [UInt8] {
    var buffer: [UInt8] = []
    buffer.reserveCapacity(capacity)
    return buffer
  }

  @Test func buffer_isLentAgain() {
    var storage = SendStorage()
    #expect(storage.take().capacity == 0)
    let first = buffer(100)
    let address = first.withUnsafeBufferPointer { $0.baseAddress }
    storage.give(buffer(200))
    storage.give(first)
    let again = storage.take()
    #expect(again.isEmpty)
    #expect(again.withUnsafeBufferPointer { $0.baseAddress } == address, "the last one is the first to be lent")
    #expect(storage.take().capacity >= 200)
    #expect(storage.take().capacity == 0)
    #expect(storage.capacity == 0)
  }

  @Test func kept_isLimitedInNumber() {
    var storage = SendStorage()
    for _ in 0..<SendStorage.countLimit + 10 { storage.give(buffer(64)) }
    var count = 0
    while storage.take().capacity > 0 { count += 1 }
    #expect(count == SendStorage.countLimit)
  }

  @Test func kept_isLimitedInBytes() {
    var storage = SendStorage()
    storage.give(buffer(SendStorage.capacityLimit * 2))
    #expect(storage.capacity == 0)
    let overHalf = SendStorage.capacityLimit / 2 + 1
    for _ in 0..<3 { storage.give(buffer(overHalf)) }
    #expect(storage.capacity <= SendStorage.capacityLimit)
    #expect(storage.take().capacity >= overHalf)
    #expect(storage.take().capacity == 0, "of two that are more than halves one is kept")
  }

  @Test func nothing_isNotKept() {
    var storage = SendStorage()
    storage.give(buffer(64))
    for _ in 0..<SendStorage.countLimit { storage.give([]) }
    #expect(storage.take().capacity >= 64)
  }
}
