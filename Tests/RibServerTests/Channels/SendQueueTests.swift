import RibTestSupport
import Testing

@testable import RibServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct SendQueueTests {
  @Test func bytes_arriveInOrderThroughASocketThatIsFullNowAndThen() throws {
    var pair: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, SystemSocket.stream, 0, &pair) == 0)
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
    try #require(socketpair(AF_UNIX, SystemSocket.stream, 0, &pair) == 0)
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
    try #require(socketpair(AF_UNIX, SystemSocket.stream, 0, &pair) == 0)
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
    try #require(socketpair(AF_UNIX, SystemSocket.stream, 0, &pair) == 0)
    close(pair[1])
    var queue = SendQueue()
    queue.bytes = [1]
    let isOpen = queue.send(to: pair[0])
    #expect(!isOpen)
    close(pair[0])
  }

  // MARK: Commits

  /// What a queue lets out: sends all it may to a socket, and reads that.
  private final class Wire {
    private var pair: [Int32] = [0, 0]
    private var room = [UInt8](repeating: 0, count: 1 << 20)

    init() throws {
      try #require(socketpair(AF_UNIX, SystemSocket.stream, 0, &pair) == 0)
      for end in pair { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    deinit { for end in pair { close(end) } }

    /// What arrives.
    func sent(by queue: inout SendQueue) throws -> String {
      let isOpen = queue.send(to: pair[0])
      try #require(isOpen)
      let count = read(pair[1], &room, room.count)
      return String(decoding: room.prefix(max(count, 0)), as: UTF8.self)
    }
  }

  @Test func heldBytes_waitForTheirCommit() throws {
    let wire = try Wire()
    var queue = SendQueue()
    queue.bytes += Array("a".utf8)
    queue.hold()
    queue.bytes += Array("b".utf8)
    #expect(queue.isHolding && queue.hasSendable)
    #expect(queue.sendableCount == 1 && queue.count == 2)
    #expect(try wire.sent(by: &queue) == "a")
    #expect(!queue.hasSendable && !queue.isEmpty)
    #expect(queue.sendableCount == 0 && queue.count == 1)
    queue.noteCut()
    // These are for the next one.
    queue.hold()
    queue.bytes += Array("c".utf8)
    #expect(try wire.sent(by: &queue) == "")
    queue.release(all: false)
    #expect(queue.isHolding)
    #expect(try wire.sent(by: &queue) == "b")
    queue.noteCut()
    queue.release(all: false)
    #expect(!queue.isHolding)
    #expect(try wire.sent(by: &queue) == "c")
    #expect(queue.isEmpty)
  }

  /// What was not there when the commit began is not let out by it.
  @Test func bytesThatAreHeldAfterTheCut_waitForTheNext() throws {
    let wire = try Wire()
    var queue = SendQueue()
    queue.noteCut()
    queue.hold()
    queue.bytes += Array("b".utf8)
    queue.release(all: false)
    #expect(try wire.sent(by: &queue) == "")
    queue.release(all: true)
    #expect(try wire.sent(by: &queue) == "b")
  }

  @Test func insertedBytes_goBeforeWhatIsHeld() throws {
    let wire = try Wire()
    var queue = SendQueue()
    queue.insertBeforeHeld(Array("1".utf8))
    queue.bytes += Array("a".utf8)
    queue.hold()
    queue.bytes += Array("b".utf8)
    queue.noteCut()
    queue.bytes += Array("c".utf8)
    queue.insertBeforeHeld(Array("22".utf8))
    #expect(try wire.sent(by: &queue) == "1a22")
    queue.release(all: false)
    #expect(try wire.sent(by: &queue) == "b")
    queue.insertBeforeHeld(Array("3".utf8))
    queue.release(all: true)
    #expect(try wire.sent(by: &queue) == "3c")
  }

  @Test func discardedBytes_areNeverSent() throws {
    let wire = try Wire()
    var queue = SendQueue()
    queue.bytes += Array("a".utf8)
    queue.hold()
    queue.bytes += Array("b".utf8)
    queue.noteCut()
    queue.bytes += Array("c".utf8)
    queue.discardHeld()
    queue.bytes += Array("d".utf8)
    #expect(!queue.isHolding)
    #expect(try wire.sent(by: &queue) == "ad")
    queue.bytes += Array("e".utf8)
    queue.discardHeld()
    #expect(try wire.sent(by: &queue) == "e")
  }

  /// All of it at random, with sends in between through a socket that is full now and then, against a model that is a list
  /// of what may go and what may not.
  @Test(arguments: TestRun.seeds(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, new: 10)) func anyOrder_letsOutWhatItMay(seed: UInt64)
    throws
  {
    var pair: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, SystemSocket.stream, 0, &pair) == 0)
    defer { for end in pair { close(end) } }
    for end in pair { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    // Little room, so that it is often full.
    var size: Int32 = 4096
    #expect(setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, 4) == 0)
    var random = Xorshift(state: seed &* 0x9E37_79B9_7F4A_7C15)
    var queue = SendQueue()
    var received: [UInt8] = []
    // The model: what may go, what the commit under way has, and what is for the next one.
    var (free, committing, next): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
    var (isHolding, isUnderWay) = (false, false)
    // Whether something was to be held when the commit under way began.
    var wasHolding = false
    var room = [UInt8](repeating: 0, count: 1 << 20)
    for step in 0..<400 {
      let message = [UInt8](repeating: UInt8(truncatingIfNeeded: step), count: Int.random(in: 1...3000, using: &random))
      switch Int.random(in: 0..<9, using: &random) {
      case 0...2:
        queue.bytes += message
        if isHolding { next += message } else { free += message }
      case 3:
        queue.hold()
        isHolding = true
      case 4 where !isUnderWay:
        queue.noteCut()
        (committing, next) = (next, [])
        isUnderWay = true
        wasHolding = isHolding
      case 5 where isUnderWay:
        let all = Bool.random(using: &random) && next.isEmpty
        queue.release(all: all)
        free += committing
        committing = []
        isUnderWay = false
        // What is held from before the commit on is held no more, unless something was written since.
        if all || wasHolding && next.isEmpty { isHolding = false }
      case 6 where step.isMultiple(of: 5):
        queue.discardHeld()
        (committing, next) = ([], [])
        (isHolding, isUnderWay) = (false, false)
      case 7:
        queue.insertBeforeHeld(message)
        free += message
      default:
        let isOpen = queue.send(to: pair[0])
        try #require(isOpen)
        if Bool.random(using: &random) { _ = queue.releaseSpareStorage() }
        guard Bool.random(using: &random) else { continue }
        let count = read(pair[1], &room, 5000)
        received += room.prefix(max(count, 0))
      }
      try #require(queue.isHolding == isHolding, "step \(step)")
      try #require(queue.count == free.count + committing.count + next.count - queue.sentCount, "step \(step)")
    }
    for _ in 0..<10_000 {
      let isOpen = queue.send(to: pair[0])
      try #require(isOpen)
      let count = read(pair[1], &room, room.count)
      if count <= 0 { break }
      received += room.prefix(count)
    }
    let isSame = received == free
    let place = zip(received, free).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? -1
    #expect(isSame, "\(received.count) bytes instead of \(free.count), different from \(place) on")
    #expect(queue.count == committing.count + next.count)
  }

  private struct Xorshift: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
  }
}
