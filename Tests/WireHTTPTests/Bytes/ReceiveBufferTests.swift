import RibTestSupport
import Testing

@testable import WireHTTP

@Suite("Bytes that are not parsed yet")
struct ReceiveBufferTests {
  @Test("a new buffer is empty and owns no memory, and being asked for nothing does not change that")
  func newBuffer_ownsNothing() {
    var buffer = ReceiveBuffer()
    buffer.receive([])
    buffer.consume(0)
    #expect(buffer.fill(atLeast: 0) { $0.count } == 0)
    buffer.withMutableBytes(0..<0) { #expect($0.isEmpty) }
    #expect(buffer.isEmpty)
    #expect(buffer.count == 0)
    #expect(buffer.capacity == 0)
    #expect(buffer.unreadBytes == [])
  }

  @Test("bytes come out in the order in which they went in")
  func bytes_keepTheirOrder() {
    var buffer = ReceiveBuffer()
    buffer.receive([1, 2, 3])
    buffer.receive([])
    buffer.receive([4])
    #expect(buffer.unreadBytes == [1, 2, 3, 4])
    buffer.consume(2)
    #expect(buffer.unreadBytes == [3, 4])
    #expect(buffer.count == 2)
    buffer.receive([5, 6, 7, 8, 9])
    #expect(buffer.unreadBytes == [3, 4, 5, 6, 7, 8, 9])
    buffer.consume(7)
    #expect(buffer.isEmpty)
  }

  @Test("the unread part is where the positions say")
  func positions_leadToBytes() {
    var buffer = ReceiveBuffer()
    buffer.receive(0..<10)
    buffer.consume(4)
    #expect(buffer.readIndex == 4)
    #expect(buffer.writeIndex == 10)
    #expect(buffer.withBytes(5..<8) { Array(copying: $0) } == [5, 6, 7])
    #expect(buffer.withBytes(1..<2) { Array(copying: $0) } == [1])
    buffer.withMutableBytes(5..<7) { bytes in for index in bytes.indices { bytes[index] ^= 0xF0 } }
    #expect(buffer.unreadBytes == [4, 0xF5, 0xF6, 7, 8, 9])
  }

  // MARK: Room

  @Test("room is offered as asked, and only what is written counts")
  func fill_countsWhatIsWritten() {
    var buffer = ReceiveBuffer()
    let written = buffer.fill(atLeast: 100) { room in
      #expect(room.count >= 100)
      room[0] = 7
      room[1] = 8
      return 2
    }
    #expect(written == 2)
    #expect(buffer.unreadBytes == [7, 8])
    #expect(buffer.fill(atLeast: 1) { _ in 0 } == 0)
    #expect(buffer.unreadBytes == [7, 8])
  }

  @Test("a buffer that was read empty starts over, and needs no more memory")
  func emptyBuffer_startsOver() {
    var buffer = ReceiveBuffer()
    buffer.receive(0..<64)
    let capacity = buffer.capacity
    for size in [64, 16, 16, 1, 64] {
      buffer.consume(buffer.count)
      buffer.receive((0..<size).map { UInt8($0) })
      #expect(buffer.readIndex == 0)
      #expect(buffer.writeIndex == size)
    }
    #expect(buffer.capacity == capacity)
  }

  @Test("what is unread moves to the front before memory grows")
  func unreadBytes_moveToTheFront() {
    var buffer = ReceiveBuffer()
    buffer.receive(0..<64)
    let capacity = buffer.capacity
    buffer.consume(60)
    buffer.receive(64..<124)
    #expect(buffer.unreadBytes == Array(60..<124))
    #expect(buffer.readIndex == 0)
    #expect(buffer.capacity == capacity)
  }

  @Test("as long as there is room behind them, bytes stay where they are")
  func unreadBytes_stayWhileThereIsRoom() {
    var buffer = ReceiveBuffer()
    buffer.fill(atLeast: 64) { _ in 10 }
    buffer.consume(5)
    buffer.fill(atLeast: 54) { _ in 54 }
    #expect(buffer.readIndex == 5)
    #expect(buffer.writeIndex == 64)
  }

  @Test("memory at least doubles, so many small reads move few bytes")
  func growth_isGeometric() {
    var buffer = ReceiveBuffer()
    var capacities: Set<Int> = []
    for byte in 0..<10_000 {
      buffer.receive([UInt8(truncatingIfNeeded: byte)])
      capacities.insert(buffer.capacity)
    }
    #expect(buffer.unreadBytes == (0..<10_000).map { UInt8(truncatingIfNeeded: $0) })
    #expect(capacities.count <= 15)
    #expect(buffer.capacity < 20_000)
  }

  // MARK: Giving memory up

  @Test("an idle buffer gives its memory away and keeps none")
  func releaseStorage_leavesNothing() {
    var buffer = ReceiveBuffer()
    buffer.receive(0..<100)
    buffer.consume(100)
    let capacity = buffer.capacity
    let released = buffer.releaseStorage()
    #expect(buffer.capacity == 0)
    #expect(buffer.isEmpty)
    #expect(released.capacity == capacity)
    #expect(released.isEmpty)
    #expect(released.readIndex == 0)
  }

  @Test("what is unread stays, in memory of its size")
  func releaseStorage_keepsUnreadBytes() {
    var buffer = ReceiveBuffer()
    buffer.fill(atLeast: 4096) { room in
      for index in 0..<10 { room[index] = UInt8(index) }
      return 10
    }
    buffer.consume(7)
    var released = buffer.releaseStorage()
    #expect(buffer.unreadBytes == [7, 8, 9])
    #expect(buffer.capacity == 3)
    #expect(buffer.readIndex == 0)
    #expect(released.capacity == 4096)
    released.receive([1])
    buffer.receive([10])
    #expect(released.unreadBytes == [1])
    #expect(buffer.unreadBytes == [7, 8, 9, 10])
  }

  @Test("a copy goes its own way")
  func copy_isIndependent() {
    var buffer = ReceiveBuffer()
    buffer.receive([1, 2, 3])
    var copy = buffer
    copy.withMutableBytes(0..<3) { $0[0] = 9 }
    copy.consume(1)
    copy.receive([4])
    #expect(buffer.unreadBytes == [1, 2, 3])
    #expect(copy.unreadBytes == [2, 3, 4])
  }

  @Test("against a plain array, over any course of reads and writes", arguments: TestRun.seeds(31, 32))
  func anyCourse_keepsEveryByte(seed: UInt64) {
    var generator = SeededGenerator(state: seed)
    var buffer = ReceiveBuffer()
    var expected: [UInt8] = []
    for _ in 0..<3000 {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0...3:
        let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
        buffer.receive(bytes)
        expected += bytes
      case 4...6:
        let count = Int.random(in: 0...expected.count, using: &generator)
        buffer.consume(count)
        expected.removeFirst(count)
      default:
        _ = buffer.releaseStorage()
      }
      #expect(buffer.unreadBytes == expected, "seed \(seed)")
      #expect(buffer.count == expected.count && buffer.isEmpty == expected.isEmpty, "seed \(seed)")
    }
  }

  @Test("more than was received cannot be consumed")
  func consumingTooMuch_traps() async {
    await #expect(processExitsWith: .failure) {
      var buffer = ReceiveBuffer()
      buffer.fill(atLeast: 10) { _ in 1 }
      buffer.consume(2)
    }
  }
}
