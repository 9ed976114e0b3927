import Glibc
import Testing

@testable import RibServer

@Suite struct SendQueueTests {
  @Test func bytes_arriveInOrderThroughASocketThatIsFullNowAndThen() throws {
    var pair: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    for end in pair { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    var queue = SendQueue()
    var received: [UInt8] = []
    var sent: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 100_000)
    for round in 0..<200 {
      let message = [UInt8](repeating: UInt8(round), count: 5003)
      sent += message
      queue.bytes += message
      let isOpen = queue.send(to: pair[0])
      #expect(isOpen)
      if round.isMultiple(of: 7) {
        let count = read(pair[1], &room, room.count)
        received += room.prefix(max(count, 0))
      }
    }
    while received.count < sent.count {
      let isOpen = queue.send(to: pair[0])
      #expect(isOpen)
      let count = read(pair[1], &room, room.count)
      try #require(count > 0)
      received += room.prefix(count)
    }
    #expect(received == sent)
    #expect(queue.isEmpty && queue.count == 0)
    for end in pair { close(end) }
  }

  @Test func spareStorage_isReleasedEmpty_andWhatIsNotSentIsKept() throws {
    var pair: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    for end in pair { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    var queue = SendQueue()
    queue.bytes.reserveCapacity(8 << 20)
    let message = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    queue.bytes += message
    let isOpen = queue.send(to: pair[0])
    try #require(isOpen && !queue.isEmpty)
    let rest = queue.count
    let storage = queue.releaseSpareStorage()
    #expect(storage.isEmpty && storage.capacity >= 8 << 20)
    #expect(queue.count == rest && queue.bytes == message.suffix(rest) && queue.bytes.capacity < rest + 4096)
    for end in pair { close(end) }
  }

  @Test func releasedCount_isWhereTheHeldBytesBegin() throws {
    var pair: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    var queue = SendQueue()
    queue.bytes += [1, 2, 3]
    #expect(queue.writtenCount == 3 && queue.releasedCount == .max)
    queue.hold()
    queue.bytes += [4, 5]
    #expect(queue.writtenCount == 5 && queue.releasedCount == 3)
    let isOpen = queue.send(to: pair[0])
    #expect(isOpen && queue.count == 2)
    #expect(queue.writtenCount == 5 && queue.releasedCount == 3)
    queue.noteCut()
    queue.bytes += [6]
    queue.release(all: false)
    #expect(queue.writtenCount == 6 && queue.releasedCount == 5)
    queue.release(all: true)
    #expect(queue.releasedCount == .max)
    for end in pair { close(end) }
  }

  @Test func closedPeer_isReported() throws {
    var pair: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    close(pair[1])
    var queue = SendQueue()
    queue.bytes = [1]
    let isOpen = queue.send(to: pair[0])
    #expect(!isOpen)
    close(pair[0])
  }
}
