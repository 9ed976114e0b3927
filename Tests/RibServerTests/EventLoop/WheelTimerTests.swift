import Synchronization
import Testing

@testable import RibServer

@Suite struct WheelTimerTests {
  private static func makeLoop() throws -> EventLoop {
    try EventLoop(name: "test", linger: 0, usesEpoll: true, messageLimit: 1000)
  }

  /// Sets deadlines on a loop.
  ///
  /// - Parameters:
  ///   - deadlines: ids, and milliseconds from now.
  ///   - count: how many of them are waited for.
  ///   - blocking: milliseconds that the loop is kept busy.
  /// - Returns: whose deadlines came, in order, and how many milliseconds too early or late.
  /// - Throws: if there is no loop.
  private static func due(
    _ deadlines: [(id: Int, milliseconds: UInt64)], waitingFor count: Int, blocking: UInt64 = 0
  ) async throws -> [(id: Int, delay: Double)] {
    let loop = try makeLoop()
    defer { loop.stop() }
    let (stream, continuation) = AsyncStream.makeStream(of: (Int, UInt64).self)
    let timer = Mutex<WheelTimer?>(nil)
    let start = loop.executeAndWait {
      let made = WheelTimer(tick: 10_000_000, on: loop) { continuation.yield(($0, loop.time())) }
      timer.withLock { $0 = made }
      for (id, milliseconds) in deadlines { made.schedule(id, after: milliseconds * 1_000_000) }
      let start = loop.now
      // What runs on the loop may take its time.
      while loop.time() < start + blocking * 1_000_000 {}
      return start
    }
    var due: [(Int, Double)] = []
    for await (id, time) in stream {
      let wanted = deadlines.first { $0.id == id }.map { $0.milliseconds } ?? 0
      due.append((id, Double(time - start) / 1e6 - Double(wanted)))
      if due.count == count { break }
    }
    return due
  }

  @Test func deadlines_comeInOrderAndNotEarly() async throws {
    let due = try await Self.due([(1, 150), (2, 0), (3, 45), (4, 700), (5, 45)], waitingFor: 5)
    #expect(due.map(\.id) == [2, 3, 5, 1, 4])
    #expect(due.allSatisfy { $0.delay >= 0 && $0.delay < 500 }, "\(due)")
  }

  /// Ticks that come late are made up for: not one after the other, each a tick later.
  @Test func deadlinesThatThePastHolds_comeAtOnce() async throws {
    let due = try await Self.due([(1, 50), (2, 150), (3, 290)], waitingFor: 3, blocking: 300)
    #expect(due.map(\.id) == [1, 2, 3])
    #expect(due[2].delay - due[0].delay < 0, "\(due)")
  }

  @Test func timer_standsStill_andTurnsAgain() async throws {
    let loop = try Self.makeLoop()
    defer { loop.stop() }
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    var iterator = stream.makeAsyncIterator()
    let timer = Mutex<WheelTimer?>(nil)
    loop.executeAndWait {
      timer.withLock { $0 = WheelTimer(tick: 1_000_000, on: loop) { continuation.yield($0) } }
    }
    for id in 1...3 {
      loop.executeAndWait { timer.withLock { $0?.schedule(id, after: 1_000_000) } }
      #expect(await iterator.next() == id)
    }
  }

  @Test func deadlinesThatAreForgotten_doNotCome() async throws {
    let loop = try Self.makeLoop()
    defer { loop.stop() }
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    var iterator = stream.makeAsyncIterator()
    let timer = Mutex<WheelTimer?>(nil)
    loop.executeAndWait {
      let made = WheelTimer(tick: 1_000_000, on: loop) { continuation.yield($0) }
      timer.withLock { $0 = made }
      made.schedule(1, after: 1_000_000)
      made.clear()
      made.schedule(2, after: 30_000_000)
    }
    #expect(await iterator.next() == 2)
  }
}
